import { isPull, type PullIssue } from "../find.ts";
import { atLeast, roleOf } from "../people/role.ts";
import { Refusal } from "../refusal.ts";
import { codeOwners } from "../reviews/code-owners.ts";
import type { CheckRun, MergeMethod, Protection, Repository } from "../types.ts";
import type { World } from "../world.ts";

const NOT_ALLOWED: Readonly<Record<MergeMethod, string>> = {
  merge: "Merge commits are not allowed on this repository.",
  squash: "Squash merges are not allowed on this repository.",
  rebase: "Rebase merges are not allowed on this repository.",
};

export type MergeWish = {
  readonly method: MergeMethod;
  /** The head must be this. */
  readonly sha?: string | undefined;
  /** The merge queue itself merges: its own rule does not bind it. */
  readonly fromQueue?: boolean;
};

/** Why GitHub would not merge now, in its order and its words; null when it would. Conflicts are not looked at. */
export async function mergeProblem(
  world: World,
  repository: Repository,
  issue: PullIssue,
  wish: MergeWish,
): Promise<Refusal | null> {
  const { pull } = issue;
  if (issue.state === "closed" || pull.merged) return new Refusal(405, "Pull Request is not mergeable");
  if (pull.draft) return new Refusal(405, "Pull Request is still a draft");
  if (wish.sha !== undefined && wish.sha !== pull.headSha) {
    return new Refusal(409, "Head branch was modified. Review and try the merge again.");
  }
  if (!repository.mergeMethods.has(wish.method)) return new Refusal(405, NOT_ALLOWED[wish.method]);
  const protection = repository.protection.get(pull.baseRef);
  const rule = protection && (await brokenRule(world, repository, issue, protection, wish));
  return rule ? new Refusal(405, rule) : null;
}

/** The first rule of the base branch that is not kept. */
export async function brokenRule(
  world: World,
  repository: Repository,
  issue: PullIssue,
  protection: Protection,
  wish: Pick<MergeWish, "method" | "fromQueue">,
): Promise<string | null> {
  if (protection.mergeQueue && !wish.fromQueue) {
    return "Repository rule violations found\n\nChanges must be made through the merge queue\n\n";
  }
  if (protection.linearHistory && wish.method === "merge") {
    return "Merge commits are not allowed on this branch. Use squash or rebase instead.";
  }
  return (
    missingReviews(world, repository, issue, protection) ??
    (await missingOwner(world, repository, issue, protection)) ??
    (wish.fromQueue ? null : await missingChecks(world, repository, issue, protection))
  );
}

function missingReviews(
  world: World,
  repository: Repository,
  issue: PullIssue,
  protection: Protection,
): string | null {
  if (protection.requiredApprovals === 0) return null;
  // Only the last word of each reviewer counts, and a comment is no word.
  const words = new Map<string, string>();
  for (const review of issue.pull.reviews) {
    if (review.state === "COMMENTED" || !atLeast(roleOf(world, repository, review.author), "write")) continue;
    words.set(review.author, review.state);
  }
  const states = [...words.values()];
  if (states.includes("CHANGES_REQUESTED"))
    return "Changes have been requested by reviewers with write access.";
  if (states.filter((state) => state === "APPROVED").length >= protection.requiredApprovals) return null;
  const many = protection.requiredApprovals === 1 ? "review is" : "reviews are";
  return `At least ${protection.requiredApprovals} approving ${many} required by reviewers with write access.`;
}

async function missingOwner(
  world: World,
  repository: Repository,
  issue: PullIssue,
  protection: Protection,
): Promise<string | null> {
  if (!protection.codeOwnerReviews) return null;
  const approvers = issue.pull.reviews.filter((one) => one.state === "APPROVED").map((one) => one.author);
  for (const owners of await codeOwners(world, repository, issue)) {
    if (!owners.some((owner) => approvers.includes(owner))) {
      return `Waiting on code owner review from ${owners.join(", ")}.`;
    }
  }
  return null;
}

async function missingChecks(
  world: World,
  repository: Repository,
  issue: PullIssue,
  protection: Protection,
): Promise<string | null> {
  const { requiredChecks } = protection;
  const all = requiredChecks.length;
  if (all === 0) return null;
  // A branch that is behind counts as not yet checked, however green it is.
  const behind = protection.strict && (await isBehind(world, repository, issue));
  const states = requiredChecks.map((name) => ({
    name,
    state: behind ? ("expected" as const) : checkState(repository, issue.pull.headSha, name),
  }));
  const open = states.filter(({ state }) => state !== "successful");
  const first = open[0];
  if (!first) return null;
  const failing = open.filter(({ state }) => state === "failing");
  if (open.length === 1) return `Required status check "${first.name}" is ${first.state}.`;
  if (failing.length > 0) {
    return `${open.length} of ${all} required status checks have not succeeded: ${failing.length} failing.`;
  }
  return `${open.length} of ${all} required status checks are ${first.state}.`;
}

/** The base has commits that the head does not. */
export async function isBehind(world: World, repository: Repository, issue: PullIssue): Promise<boolean> {
  const base = await world.git.tip(repository.gitDir, issue.pull.baseRef);
  return base !== null && !(await world.git.isAncestor(repository.gitDir, base, issue.pull.headSha));
}

/** Of several runs with one name on one commit, the newest counts. */
export function checkState(
  repository: Repository,
  sha: string,
  name: string,
): "successful" | "failing" | "in progress" | "expected" {
  const run = newestRun(repository, sha, name);
  if (!run) return "expected";
  if (run.status !== "completed") return "in progress";
  const passed = run.conclusion === "success" || run.conclusion === "neutral" || run.conclusion === "skipped";
  return passed ? "successful" : "failing";
}

function newestRun(repository: Repository, sha: string, name: string): CheckRun | undefined {
  return repository.checkRuns.findLast((run) => run.headSha === sha && run.name === name);
}

/** Pull requests whose head is this commit; check runs and webhooks show them. */
export function pullsAt(repository: Repository, sha: string): PullIssue[] {
  return [...repository.issues.values()]
    .filter(isPull)
    .filter(({ state, pull }) => state === "open" && pull.headSha === sha);
}
