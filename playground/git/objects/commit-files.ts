import { updateRef } from "../serve/update-ref.ts";
import { resolveRevision } from "./resolve-revision.ts";
import { type FileContent, writeCommit } from "./write-commit.ts";

export type { FileContent } from "./write-commit.ts";
export type CommitAuthor = { readonly name: string; readonly email: string };
export type NewCommit = {
  readonly author: CommitAuthor;
  readonly message: string;
  /** Milliseconds since the epoch; now when left out. */
  readonly at?: number;
  /** Where a branch that does not exist yet starts; a branch without it starts with no history. */
  readonly from?: string;
};

/**
 * Commits onto a branch and returns the commit: somebody worked in the repository without a push. Throws, and nothing
 * has changed, when the branch was moved meanwhile.
 */
export async function commitFiles(
  gitDir: string,
  branch: string,
  files: Readonly<Record<string, FileContent>>,
  { author, message, at = Date.now(), from }: NewCommit,
): Promise<string> {
  const ref = `refs/heads/${branch}`;
  const tip = await resolveRevision(gitDir, ref);
  const parent = tip ?? (from === undefined ? null : await resolveRevision(gitDir, from));
  if (parent === null && from !== undefined) throw new Error(`failed to find ${from} in ${gitDir}`);
  const commit = await writeCommit(gitDir, { parent, files, message, author: { ...author, at } });
  if (await updateRef(gitDir, ref, commit, tip)) return commit;
  throw new Error(`failed to commit to ${branch}: it was moved meanwhile`);
}
