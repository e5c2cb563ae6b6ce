import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommitAuthor, commitFiles, type FileContent } from "./objects/commit-files.ts";

/**
 * GitHub serves any commit it has by its id, also one that no branch holds any more; heads of pull requests can be read
 * but never pushed. Ref locks are waited for, as many pushes may come at once.
 */
const SETTINGS = `[uploadpack]
	allowAnySHA1InWant = true
	allowFilter = true
[http]
	receivepack = true
[receive]
	hideRefs = refs/pull
	advertiseAtomic = true
[core]
	repositoryformatversion = 0
	filemode = true
	bare = true
	filesRefLockTimeout = 10000
	packedRefsTimeout = 10000
[gc]
	auto = 0
`;

/** Makes an empty bare repository whose HEAD is this branch; leaves one that is there as it is. */
export async function createBare(gitDir: string, defaultBranch: string): Promise<void> {
  const there = await stat(join(gitDir, "HEAD")).catch(() => null);
  if (there !== null) return;
  // What `git init` makes, without the process; HEAD comes last, since it makes a repository of the folder.
  for (const folder of ["objects/info", "objects/pack", "refs/heads", "refs/tags"])
    await mkdir(join(gitDir, folder), { recursive: true });
  await writeFile(join(gitDir, "config"), SETTINGS);
  await writeFile(join(gitDir, "HEAD"), `ref: refs/heads/${defaultBranch}\n`);
}

/** A bare repository with one commit of these files on `main`; returns that commit. */
export async function createBareRepository(
  gitDir: string,
  files: Readonly<Record<string, FileContent>>,
  first: { readonly branch?: string; readonly author?: CommitAuthor; readonly message?: string } = {},
): Promise<string> {
  const branch = first.branch ?? "main";
  await createBare(gitDir, branch);
  return await commitFiles(gitDir, branch, files, {
    author: first.author ?? { name: "Octo Cat", email: "octocat@users.noreply.github.com" },
    message: first.message ?? "Initial commit",
  });
}
