import { InternalError } from "../../../core/errors.ts";
import type { Sha } from "../../../core/ids.ts";
import { isProtectedPath } from "../../../core/paths/protected-paths.ts";
import type { RepositoryGit } from "../../../ports/git.ts";
import type { JoinOutcome } from "../../../ports/workspace.ts";
import type { CommitTools } from "../commit/commit-work.ts";
import { writeCommit } from "../objects/commit-facts.ts";
import { checkedSha, type ObjectReader } from "../objects/object-reader.ts";
import { inspectSettings } from "../run/inspect-settings.ts";
import { mergeTrees } from "./merge-trees.ts";

/**
 * One commit that contains all the given ones. Two machines that join the same commits must come to the same answer, or
 * each would take the other's branch for somebody's work: so nothing of here and now goes into it, neither the time nor
 * the order in which things were learned.
 */
export async function joinCommits(tools: CommitTools, commits: readonly Sha[]): Promise<JoinOutcome> {
  const { git, reader } = tools;
  const heads = await independent(git, commits);
  const [first, ...others] = heads;
  if (first === undefined) throw new InternalError("there are no commits to join");
  if (others.length === 0) return { kind: "joined", commit: first };

  const date = await newestDate(git, heads);
  let joined = first;
  let tree = first;
  for (const [index, other] of others.entries()) {
    const merge = await mergeTrees(git, joined, other);
    if (!merge.isClean) return { kind: "conflict", files: [...new Set(merge.conflicts)] };
    tree = merge.tree;
    joined = await writeJoin(tools, tree, heads.slice(0, index + 2), date);
  }
  const misplaced = await protectedAndNew(reader, heads, tree);
  return misplaced.length === 0 ? { kind: "joined", commit: joined } : { kind: "conflict", files: misplaced };
}

/** Those that no other one contains, in the given order. */
async function independent(git: RepositoryGit, commits: readonly Sha[]): Promise<Sha[]> {
  const given = [...new Set(commits.map(checkedSha))];
  if (given.length < 2) return given;
  const { stdout } = await git.trusted({ command: "merge-base", options: ["--independent"], values: given });
  const kept = new Set(stdout.split("\n"));
  return given.filter((commit) => kept.has(commit));
}

async function newestDate(git: RepositoryGit, commits: readonly Sha[]): Promise<string> {
  const { stdout } = await git.trusted({
    command: "log",
    options: ["--no-walk=unsorted", "--format=%ct"],
    values: commits,
  });
  return `@${Math.max(...stdout.trim().split("\n").map(Number))} +0000`;
}

async function writeJoin(
  { git, identity }: CommitTools,
  tree: Sha,
  parents: readonly Sha[],
  date: string,
): Promise<Sha> {
  const signature = { ...identity, date };
  const list = parents.map((parent) => `- ${parent}\n`).join("");
  const message = `Join ${parents.length} commits that later work builds on\n\n${list}`;
  return writeCommit(git, { tree, parents, author: signature, message }, signature);
}

/** A file that was renamed on one side takes a change of another side along, perhaps to where no agent may write. */
async function protectedAndNew(reader: ObjectReader, heads: readonly Sha[], tree: Sha): Promise<string[]> {
  const changes = await Promise.all(heads.map((head) => reader.changes(head, tree)));
  const refused = await Promise.all(
    changes.map(async (list, at) => {
      const settings = await inspectSettings(reader, heads[at] ?? tree, list);
      const named = list.map(({ path }) => path).filter((path) => isProtectedPath(path));
      return [...named, ...settings.map(({ path }) => path)];
    }),
  );
  const [first = [], ...others] = refused;
  return [...new Set(first)].filter((path) => others.every((paths) => paths.includes(path)));
}
