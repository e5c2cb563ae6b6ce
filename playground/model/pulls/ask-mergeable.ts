import type { PullIssue } from "../find.ts";
import type { Repository } from "../types.ts";
import type { World } from "../world.ts";
import { brokenRule, isBehind } from "./merge-problem.ts";

/**
 * Asking starts the work; the answer is there `world.delays.mergeable` milliseconds later, for whoever asks then. No
 * webhook tells. A push or a new base makes it unknown again.
 */
export async function askMergeable(
  world: World,
  repository: Repository,
  issue: PullIssue,
): Promise<boolean | null> {
  const { pull } = issue;
  if (issue.state === "closed") return pull.mergeable.value;
  const asked = pull.mergeable;
  if (asked.value !== null) return asked.value;
  if (asked.knownAt === null) asked.knownAt = world.clock.now() + world.delays.mergeable;
  if (world.clock.now() < asked.knownAt) return null;
  const base = await world.git.tip(repository.gitDir, pull.baseRef);
  if (base === null) return null;
  const value = !(await world.git.conflicts(repository.gitDir, base, pull.headSha));
  // A push meanwhile has put a new object there; the old answer is then nobody's.
  asked.value = value;
  return pull.mergeable === asked ? value : null;
}

export type MergeableState = "unknown" | "clean" | "dirty" | "blocked" | "behind" | "draft" | "unstable";

export async function mergeableState(
  world: World,
  repository: Repository,
  issue: PullIssue,
): Promise<MergeableState> {
  const { pull } = issue;
  const value = pull.mergeable.value;
  if (issue.state === "closed" || value === null) return "unknown";
  if (!value) return "dirty";
  if (pull.draft) return "draft";
  const protection = repository.protection.get(pull.baseRef);
  if (protection?.strict && (await isBehind(world, repository, issue))) return "behind";
  const [method = "merge"] = repository.mergeMethods;
  if (
    protection &&
    (await brokenRule(world, repository, issue, protection, { method, fromQueue: protection.mergeQueue }))
  ) {
    return "blocked";
  }
  const runs = repository.checkRuns.filter((run) => run.headSha === pull.headSha);
  const red = runs.some((run) => run.status !== "completed" || run.conclusion === "failure");
  return red ? "unstable" : "clean";
}
