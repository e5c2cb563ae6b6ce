import type { GitMerge } from "../../model/model-git.ts";
import { commitTree } from "./commit-tree.ts";
import { mergeTrees } from "./merge-trees.ts";
import { replayCommits } from "./replay-commits.ts";

export type Merged = { kind: "merged"; sha: string } | { kind: "conflict" };

/** See `ModelGit.merge`. */
export async function mergeCommits(gitDir: string, work: GitMerge): Promise<Merged> {
  if (work.method === "rebase") {
    const sha = await replayCommits(gitDir, work);
    return sha === null ? { kind: "conflict" } : { kind: "merged", sha };
  }
  const tree = await mergeTrees(gitDir, work.base, work.head);
  if (tree === null) return { kind: "conflict" };
  const parents = work.method === "merge" ? [work.base, work.head] : [work.base];
  const { message, author } = work;
  return {
    kind: "merged",
    sha: await commitTree(gitDir, { tree, parents, message, author, committer: author }),
  };
}
