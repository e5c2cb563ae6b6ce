import type { PullIssue } from "../../../model/find.ts";
import { mergeableState } from "../../../model/pulls/ask-mergeable.ts";
import type { Repository } from "../../../model/types.ts";
import type { World } from "../../../model/world.ts";
import { userShape } from "../user.ts";
import { pullSimpleShape } from "./pull-simple.ts";

/** The whole pull request. It shows what is known about `mergeable`; it does not ask. */
export async function pullShape(world: World, repository: Repository, issue: PullIssue) {
  const { git } = world;
  const { pull } = issue;
  const from = await git.mergeBase(repository.gitDir, pull.baseSha, pull.headSha);
  const files = await git.changedFiles(repository.gitDir, from, pull.headSha);
  const commits = await git.commits(repository.gitDir, { from: pull.baseSha, to: pull.headSha });
  const mergeable = issue.state === "closed" ? null : pull.mergeable.value;
  return {
    ...pullSimpleShape(world, repository, issue),
    merged: pull.merged,
    mergeable,
    rebaseable: mergeable,
    mergeable_state: await mergeableState(world, repository, issue),
    merged_by: pull.mergedBy === null ? null : userShape(world, pull.mergedBy),
    comments: issue.comments.length,
    review_comments: pull.threads.reduce((sum, thread) => sum + thread.comments.length, 0),
    maintainer_can_modify: false,
    commits: commits.length,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
  };
}
