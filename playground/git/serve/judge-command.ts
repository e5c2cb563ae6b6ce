import { atLeast, roleOf } from "../../model/people/role.ts";
import { checkState } from "../../model/pulls/merge-problem.ts";
import type { Protection, Repository } from "../../model/types.ts";
import type { World } from "../../model/world.ts";
import { type ObjectReader, objectsOf } from "../objects/object-reader.ts";
import { idAt } from "../objects/read-entry.ts";
import { reachable, readHistoryCommit } from "../objects/read-history.ts";
import { git, gitLines } from "../run-git.ts";
import type { GitActor } from "./authorize-git.ts";
import type { RefCommand } from "./read-push.ts";
import { listRefs } from "./read-refs.ts";
import { isWellFormedRef } from "./well-formed-ref.ts";

const WORKFLOWS = ".github/workflows";

const settledCommits = new WeakMap<ObjectReader, Set<string>>();

export type Verdict =
  | { readonly kind: "accepted" }
  /** `reason` stands in brackets behind the ref; the remarks are what people see as "remote: …". */
  | { readonly kind: "refused"; readonly reason: string; readonly remarks: readonly string[] };

/** May this ref be moved this way by this actor? In GitHub's words. */
export async function judgeCommand(
  world: World,
  repository: Repository,
  actor: GitActor,
  command: RefCommand,
): Promise<Verdict> {
  const { ref } = command;
  if (ref.startsWith("refs/pull/")) return refused("deny updating a hidden ref");
  if (ref.startsWith("refs/heads/gh-readonly-queue/"))
    return refused("branches of the merge queue are read-only");
  if (!isWellFormedRef(ref)) return refused("funny refname");
  const branch = ref.startsWith("refs/heads/") ? ref.slice("refs/heads/".length) : null;
  if (branch === repository.defaultBranch && command.after === null) {
    return refused(`refusing to delete the current branch: ${ref}`);
  }
  const protection = branch === null ? undefined : repository.protection.get(branch);
  const broken = protection && (await brokenProtection(world, repository, actor, command, protection));
  if (broken) {
    const remark = `error: GH006: Protected branch update failed for ${ref}.`;
    return refused("protected branch hook declined", [remark, `error: ${broken}`]);
  }
  const workflow = actor.mayWriteWorkflows ? null : await changedWorkflow(repository.gitDir, command);
  if (workflow === null) return { kind: "accepted" };
  return refused(
    `refusing to allow a GitHub App to create or update workflow \`${workflow}\` without \`workflows\` permission`,
  );
}

/** People who administer the repository may push past reviews and checks, nobody past the rules about history. */
async function brokenProtection(
  world: World,
  repository: Repository,
  actor: GitActor,
  { before, after }: RefCommand,
  protection: Protection,
): Promise<string | null> {
  const { gitDir } = repository;
  if (after === null) return "Cannot delete this branch";
  if (before !== null && !(await world.git.isAncestor(gitDir, before, after)))
    return "Cannot force-push to this branch";
  const range = before === null ? [after] : [after, `^${before}`];
  const merges =
    protection.linearHistory && (await git(gitDir, ["rev-list", "--merges", "-n1", ...range])) !== "";
  if (merges) return "This branch must not contain merge commits.";
  const isAdmin = actor.kind === "user" && atLeast(roleOf(world, repository, actor.login), "admin");
  if (isAdmin || before === null) return null;
  if (protection.mergeQueue) return "Changes must be made through the merge queue";
  if (protection.requiredApprovals > 0) return "Changes must be made through a pull request.";
  const missing = protection.requiredChecks.find(
    (name) => checkState(repository, after, name) !== "successful",
  );
  return missing === undefined ? null : `Required status check "${missing}" is expected.`;
}

/**
 * The first workflow file that a commit of this push creates, changes or removes. Commits that the repository has
 * already are somebody else's doing: branching off them, or merging them, is allowed.
 */
async function changedWorkflow(gitDir: string, { after }: RefCommand): Promise<string | null> {
  if (after === null) return null;
  const settled = settledOf(gitDir);
  const walked = await reachable(gitDir, [after], settled);
  const suspects: string[] = [];
  for (const sha of walked) if (await mayChangeWorkflows(gitDir, sha)) suspects.push(sha);
  // To find out what the repository has means to look at all its refs, of which there can be thousands.
  if (suspects.length === 0) {
    for (const sha of walked) settled.add(sha);
    return null;
  }
  const tips = (await listRefs(gitDir, "refs/")).map(({ sha }) => sha);
  for (const sha of await reachable(gitDir, tips, settled)) settled.add(sha);
  const commits = suspects.filter((sha) => !settled.has(sha));
  if (commits.length === 0) return null;
  // With --cc a merge counts only for what it has from neither side.
  const paths = await gitLines(
    gitDir,
    ["diff-tree", "--stdin", "--root", "--cc", "--name-only", "--no-commit-id", "-r", "--", WORKFLOWS],
    { input: `${commits.join("\n")}\n` },
  );
  return paths[0] ?? null;
}

/** Commits that were in the repository at some time, or leave workflows alone as all before them do: nobody has to look again. */
function settledOf(gitDir: string): Set<string> {
  const reader = objectsOf(gitDir);
  const commits = settledCommits.get(reader) ?? new Set<string>();
  settledCommits.set(reader, commits);
  return commits;
}

/** Whether the folder is another one than in each parent: most commits leave it alone, and need no diff. */
async function mayChangeWorkflows(gitDir: string, sha: string): Promise<boolean> {
  const parents = (await readHistoryCommit(gitDir, sha))?.parents ?? [];
  const folder = await idAt(gitDir, sha, WORKFLOWS);
  if (parents.length === 0) return folder !== null;
  for (const parent of parents) if ((await idAt(gitDir, parent, WORKFLOWS)) === folder) return false;
  return true;
}

function refused(reason: string, remarks: readonly string[] = []): Verdict {
  return { kind: "refused", reason, remarks };
}
