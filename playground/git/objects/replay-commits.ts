import type { GitCommit, GitMerge } from "../../model/model-git.ts";
import { git } from "../run-git.ts";
import { commitTree } from "./commit-tree.ts";
import { mergeTrees } from "./merge-trees.ts";
import { readCommit, readCommits } from "./read-commits.ts";

/**
 * Puts the commits of base..head on top of base, each with its author and message, and returns the last one; null when
 * one does not fit. git 2.39 can't be told the merge base of `merge-tree`, so each step merges with a commit that says
 * "the tree so far, coming from this commit's parent": then that parent is the base. What becomes empty is left out.
 */
export async function replayCommits(gitDir: string, work: GitMerge): Promise<string | null> {
  const all = await readCommits(gitDir, { from: work.base, to: work.head });
  const start = await readCommit(gitDir, work.base);
  if (start === null) throw new Error(`failed to find the commit ${work.base}`);
  let onto = { sha: work.base, tree: start.tree };
  for (const commit of all.filter((one) => one.parents.length < 2).reverse()) {
    const tree = await replayedTree(gitDir, commit, onto.tree, work);
    if (tree === null) return null;
    if (tree === onto.tree) continue;
    const { message, author } = commit;
    const parents = [onto.sha];
    onto = {
      sha: await commitTree(gitDir, { tree, parents, message, author, committer: work.author }),
      tree,
    };
  }
  return onto.sha;
}

async function replayedTree(
  gitDir: string,
  commit: GitCommit,
  onto: string,
  { author }: GitMerge,
): Promise<string | null> {
  const stand = (tree: string, parent: string): Promise<string> =>
    commitTree(gitDir, { tree, parents: [parent], message: "replay", author, committer: author });
  const [parent] = commit.parents;
  if (parent !== undefined) return await mergeTrees(gitDir, await stand(onto, parent), commit.sha);
  const empty = await git(gitDir, ["mktree"]);
  const root = await commitTree(gitDir, {
    tree: empty,
    parents: [],
    message: "root",
    author,
    committer: author,
  });
  return await mergeTrees(gitDir, await stand(onto, root), await stand(commit.tree, root));
}
