import type { ModelGit } from "../model/model-git.ts";
import { createBare } from "./bare-repository.ts";
import { changedFiles, diffTrees } from "./objects/diff-trees.ts";
import { mergeCommits } from "./objects/merge-commits.ts";
import { mergeTrees } from "./objects/merge-trees.ts";
import { readCommit, readCommits } from "./objects/read-commits.ts";
import { readBlob, readEntry } from "./objects/read-entry.ts";
import { isFullSha, isReachable, mergeBases } from "./objects/read-history.ts";
import { resolveRevision } from "./objects/resolve-revision.ts";
import { writeCommit } from "./objects/write-commit.ts";
import { rememberAnswers } from "./remember-answers.ts";
import { asRevision, git, runGit } from "./run-git.ts";
import { listRefs } from "./serve/read-refs.ts";
import { updateRef } from "./serve/update-ref.ts";

/** Git for the model: bare repositories, no work trees, and a `git` process for what can't be read from objects and refs. */
export function createModelGit(): ModelGit {
  return rememberAnswers({
    createBare,
    resolve: resolveRevision,
    tip: (gitDir, branch) => resolveRevision(gitDir, `refs/heads/${branch}`),
    refs: listRefs,
    updateRef,
    isAncestor,
    mergeBase,
    commit: readCommit,
    commits: readCommits,
    changedFiles,
    diff: diffTrees,
    conflicts: async (gitDir, base, head) => (await mergeTrees(gitDir, base, head)) === null,
    merge: mergeCommits,
    commitFiles: writeCommit,
    entry: readEntry,
    blob: readBlob,
    fetchFrom,
  });
}

export async function isAncestor(gitDir: string, ancestor: string, descendant: string): Promise<boolean> {
  if (isFullSha(ancestor) && isFullSha(descendant)) return isReachable(gitDir, ancestor, descendant);
  const asked = ["merge-base", "--is-ancestor", asRevision(ancestor), asRevision(descendant)];
  return (await runGit(gitDir, asked, { codes: [0, 1, 128] })).code === 0;
}

async function mergeBase(gitDir: string, one: string, other: string): Promise<string | null> {
  if (isFullSha(one) && isFullSha(other)) {
    const [base = null, ...more] = await mergeBases(gitDir, one, other);
    if (more.length === 0) return base;
  }
  const asked = ["merge-base", asRevision(one), asRevision(other)];
  const { code, stdout } = await runGit(gitDir, asked, { codes: [0, 1, 128] });
  return code === 0 ? stdout.trim() : null;
}

async function fetchFrom(gitDir: string, otherGitDir: string, sha: string): Promise<void> {
  await git(gitDir, ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", otherGitDir, asRevision(sha)]);
}
