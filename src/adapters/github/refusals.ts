/** Why a person has to act, and how. Every sentence of this adapter that goes to people stands here. */
type Held = {
  readonly kind: "held";
  readonly reason: string;
  readonly next: string;
  /** The branch does not go together with what it would be merged into. */
  readonly conflict?: true;
};
type Waiting = {
  readonly kind: "waiting";
  readonly reason: string;
  readonly next: string;
  readonly retryMs: number | null;
};

const held = (reason: string, next: string): Held => ({ kind: "held", reason, next });
const waiting = (reason: string, next: string, retryMs: number): Waiting => ({
  kind: "waiting",
  reason,
  next,
  retryMs,
});

const SOON = 5_000;
const LATER = 60_000;

export const refusals = {
  closed: (pr: number, branch: string): Held =>
    held(
      `Pull request #${pr} was closed without being merged.`,
      `Reopen #${pr} to go on (restore the branch \`${branch}\` first if it was deleted), or cancel the run.`,
    ),
  pushRefused: (branch: string, reason: string): Held =>
    held(
      `GitHub refused the push to \`${branch}\`: ${reason}`,
      "Let the App push to branches that start with `loom/` in the repository's rules, then retry the stage.",
    ),
  branchRestless: (branch: string): Held =>
    held(
      `The branch \`${branch}\` kept moving while Loom pushed.`,
      "Retry the stage once nobody else pushes.",
    ),
  targetRestless: (target: string): Held =>
    held(`\`${target}\` kept moving while Loom merged the record.`, "Nothing to do; Loom tries again."),
  noPull: (branch: string): Held =>
    held(`There is no pull request for \`${branch}\`.`, "Retry the stage: Loom opens one."),
  mergedElsewhere: (pr: number, base: string, target: string): Held =>
    held(
      `Pull request #${pr} was merged into \`${base}\`, and its work is not in \`${target}\`.`,
      `Bring it into \`${target}\` with a pull request, or retry the stage.`,
    ),
  headMoved: (pr: number): Held =>
    held(
      `Somebody pushed to pull request #${pr} after it was verified.`,
      "Take the stage over with `/loom take`, or retry it.",
    ),
  draft: (pr: number): Held =>
    held(`Pull request #${pr} is a draft.`, "Mark it as ready for review, then retry the stage."),
  conflict: (pr: number): Held => ({
    ...held(
      `Pull request #${pr} conflicts with its base.`,
      "Resolve the conflict in the branch, or retry the stage.",
    ),
    conflict: true,
  }),
  methodNotAllowed: (method: string, said: string): Held =>
    held(
      `The repository does not allow the merge method \`${method}\`: ${said}`,
      "Set `merge.method` in `.github/loom.yml` to one that is allowed, or allow this one in the repository's settings.",
    ),
  noMethod: (): Held =>
    held(
      "The repository's rules leave no merge method.",
      "Allow squash, merge or rebase for the target branch, then retry the stage.",
    ),
  policy: (pr: number, said: string): Held =>
    held(`GitHub does not let Loom merge #${pr}: ${said}`, `Merge #${pr} by hand, or change the rule.`),
  noRight: (said: string, next: string): Held =>
    held(said, next || "Grant the App what it needs, then retry the stage."),
  planTouched: (branch: string): Held =>
    held(
      `The plan's branch \`${branch}\` holds changes that are not Loom's, so the run is not recorded there.`,
      "Take those changes out of the branch, or merge or close the plan's pull request.",
    ),
  planClosed: (pr: number): Held =>
    held(
      `Pull request #${pr}, which holds the plan, was closed, so the run is not recorded.`,
      "Reopen it to have the run recorded.",
    ),

  notYetKnown: (pr: number, retryMs: number): Waiting =>
    waiting(
      `GitHub is working out whether #${pr} can be merged.`,
      "Nothing to do; Loom asks again.",
      retryMs,
    ),
  notYetSeen: (pr: number): Waiting =>
    waiting(`GitHub is merging #${pr}.`, "Nothing to do; Loom looks again.", SOON),
  queued: (pr: number): Waiting =>
    waiting(`#${pr} is in the merge queue.`, "Nothing to do; the queue merges it.", LATER),
  checks: (pr: number, which: string): Waiting =>
    waiting(
      `#${pr} waits for required checks: ${which}.`,
      "Nothing to do while they run; fix those that failed.",
      LATER,
    ),
  review: (pr: number, said: string): Waiting =>
    waiting(`#${pr} needs a review: ${said}`, `Review #${pr}.`, LATER),
  limited: (retryMs: number): Waiting =>
    waiting(
      "GitHub limits how often Loom may ask.",
      "Nothing to do; Loom goes on when the limit ends.",
      retryMs,
    ),
};
