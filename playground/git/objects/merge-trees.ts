import { asRevision, runGit } from "../run-git.ts";
import { isFullSha, isReachable, readHistoryCommit } from "./read-history.ts";

/** The merged tree, or null for a conflict. Histories without a common commit conflict, too. */
export async function mergeTrees(gitDir: string, base: string, head: string): Promise<string | null> {
  const ahead = await whatIsAhead(gitDir, base, head);
  if (ahead !== null) return ahead;
  const { code, stdout, stderr } = await runGit(
    gitDir,
    ["merge-tree", "--write-tree", "--no-messages", "--name-only", asRevision(base), asRevision(head)],
    { codes: [0, 1, 128] },
  );
  if (code === 0) return stdout.split("\n")[0] ?? null;
  if (code === 1 || /unrelated histories/.test(stderr)) return null;
  throw new Error(`failed to merge ${head} into ${base}: ${stderr.trim()}`);
}

/** Where one has all that the other has, there is nothing to merge. */
async function whatIsAhead(gitDir: string, base: string, head: string): Promise<string | null> {
  if (!isFullSha(base) || !isFullSha(head)) return null;
  for (const [behind, ahead] of [
    [base, head],
    [head, base],
  ] as const)
    if (await isReachable(gitDir, behind, ahead))
      return (await readHistoryCommit(gitDir, ahead))?.tree ?? null;
  return null;
}
