import { runFolder } from "../../../core/config/run-folder.ts";
import { InternalError } from "../../../core/errors.ts";
import { planBranch, type Sha } from "../../../core/ids.ts";
import { recordMessage } from "../../../core/merge/trailers.ts";
import type { MergeOutcome, RecordOutcome, RecordSpec } from "../../../ports/forge.ts";
import { assertIds } from "../assert-ids.ts";
import { mergeRules } from "../contents/merge-rules.ts";
import { openPull } from "../pulls/open-pull.ts";
import { getPull, pullsFromBranch } from "../pulls/pull.ts";
import { refusals } from "../refusals.ts";
import type { Repository } from "../repository.ts";
import { guarded, mergePull, type PullMerge } from "./merge.ts";
import type { GitHubForgeParts } from "./parts.ts";

/**
 * The run's documents go onto the plan's branch, so that one pull request brings plan and outcome. Where that has been
 * merged before, a new one is opened from the same branch. With `auto` Loom merges it; with `review` people do.
 */
export async function writeRecord(forge: GitHubForgeParts, spec: RecordSpec): Promise<RecordOutcome> {
  assertIds(spec.run);
  const folder = `${spec.folder ?? runFolder({}, spec.run)}/`;
  const strange = Object.keys(spec.files).find(
    (path) => !path.startsWith(folder) || /(?:^|\/)\.{1,2}(?:\/|$)/.test(path),
  );
  if (strange !== undefined)
    throw new InternalError(`${JSON.stringify(strange)} is no place for a document of a run`);

  for (let round = 1; ; round += 1) {
    const outcome = await recordOnce(forge, spec, folder);
    if (outcome.kind !== "moved") return outcome;
    if (round === ROUNDS) return refusals.targetRestless(forge.target);
  }
}

/** The target may move each time: where a branch has to be up to date, the documents are placed anew then. */
const ROUNDS = 5;

async function recordOnce(
  forge: GitHubForgeParts,
  spec: RecordSpec,
  folder: string,
): Promise<RecordOutcome | Extract<MergeOutcome, { kind: "moved" }>> {
  const { repository } = forge;
  const target = await forge.targetTip();
  if (await holds(repository, target, spec.files)) return { kind: "recorded", commit: target };
  const branch = planBranch(spec.run);
  const [latest] = await pullsFromBranch(repository, branch);
  if (latest && !latest.open && !latest.merged) return refusals.planClosed(latest.number);

  const placed = await placeDocuments(forge, {
    branch,
    target,
    spec,
    folder,
    mayContinue: latest?.open === true,
  });
  if (placed.kind === "held") return placed;
  const subject = spec.message.split("\n")[0] ?? "";
  const body = `The documents of the run \`${spec.run}\`.`;
  const pull = latest?.open
    ? latest
    : await openPull(repository, { branch, base: forge.target, title: subject, body });
  if (pull === null || forge.config.mode === "review") return { kind: "recorded", commit: placed.commit };

  const message = recordMessage({ text: spec.message, run: spec.run, status: "completed" });
  const outcome = await mergeSoon(forge, pull.number, { commit: placed.commit, onto: target, message });
  if (outcome.kind === "merged") return { kind: "recorded", commit: outcome.as };
  return outcome.kind === "moved" ? outcome : { kind: "held", reason: outcome.reason, next: outcome.next };
}

const LOOKS = 4;
const SOON_MS = 15_000;

/**
 * The plan's branch is seldom on top of the target, so that GitHub has to work out first whether it can be merged. Nobody
 * proves documents, so they may be merged into whatever the target has become, as long as the branch may be behind it.
 */
async function mergeSoon(
  forge: GitHubForgeParts,
  number: number,
  spec: PullMerge & { readonly onto: Sha },
): Promise<MergeOutcome> {
  // Asked for the first time, GitHub begins to work it out; it has until the rules are read. What is wrong comes out below.
  await getPull(forge.repository, number).catch(() => null);
  const { upToDate } = await mergeRules(forge.repository, forge.target);
  const onto = upToDate ? spec.onto : null;
  for (let look = 1; ; look += 1) {
    const outcome = await guarded(() => mergePull(forge, number, { ...spec, onto }));
    if (look === LOOKS) return outcome;
    if (outcome.kind === "waiting" && outcome.retryMs !== null && outcome.retryMs <= SOON_MS)
      await forge.repository.pause(outcome.retryMs);
    // In the moment of the merge, which can be tried again at once.
    else if (outcome.kind !== "moved" || onto !== null) return outcome;
  }
}

type Placing = {
  readonly branch: string;
  readonly target: Sha;
  readonly spec: RecordSpec;
  readonly folder: string;
  /** Its pull request is open: what is on the branch stays. */
  readonly mayContinue: boolean;
};

async function placeDocuments(
  { repository, identity }: GitHubForgeParts,
  { branch, target, spec, folder, mayContinue }: Placing,
): Promise<{ kind: "placed"; commit: Sha } | Extract<RecordOutcome, { kind: "held" }>> {
  const ref = `refs/heads/${branch}`;
  const tip = (await repository.remote.fetchRefs([ref])).get(ref) ?? null;
  let base = tip === null || !mayContinue ? target : tip;
  if (tip !== null) {
    // Whatever else stands there was approved by nobody, and would be merged with the documents.
    const from = await repository.workspace.mergeBase(target, tip);
    if (from === null) return refusals.planTouched(branch);
    const changed = await repository.workspace.changedFiles(from, tip);
    if (changed.some((path) => !path.startsWith(folder))) return refusals.planTouched(branch);
    // A branch that has to be up to date with the target (strict protection) is made anew on it; a person's commits stay.
    const isBehind = from !== target;
    const isOwn = (await repository.git.history.notes(from, tip, "all")).every(
      ({ committer }) => committer === identity.email,
    );
    if (isBehind && isOwn) base = target;
    else if (await holds(repository, tip, spec.files)) return { kind: "placed", commit: tip };
  }
  const commit = await repository.workspace.commitFiles({
    base,
    files: spec.files,
    message: recordMessage({ text: spec.message, run: spec.run, status: "completed" }),
  });
  const pushed = await repository.remote.push([{ ref, to: commit, expected: tip }]);
  if (pushed.kind === "refused") return refusals.pushRefused(branch, pushed.reason);
  if (pushed.kind === "stale") return refusals.branchRestless(branch);
  return { kind: "placed", commit };
}

async function holds(
  repository: Repository,
  commit: Sha,
  files: Readonly<Record<string, string>>,
): Promise<boolean> {
  for (const [path, text] of Object.entries(files)) {
    if ((await repository.workspace.readFile(commit, path, Buffer.byteLength(text) + 1)) !== text)
      return false;
  }
  return true;
}
