import type { PullIssue } from "../find.ts";
import type { GitChangedFile } from "../model-git.ts";
import type { Repository } from "../types.ts";
import type { World } from "../world.ts";

/** What a pull request changes, compared with where it left its base; up to one of its commits, or its head. */
export async function pullFiles(
  { git }: World,
  { gitDir }: Repository,
  { pull }: PullIssue,
  commit = pull.headSha,
): Promise<readonly GitChangedFile[]> {
  return git.changedFiles(gitDir, await git.mergeBase(gitDir, pull.baseSha, commit), commit);
}
