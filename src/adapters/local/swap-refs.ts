import type { RefMove, RefReason, RepositoryGit } from "../../ports/git.ts";
import { removeLeftLocks } from "./checkout-locks.ts";

/**
 * Moves refs to commits of Loom's, all or none, and says what git has against it, or null. Git is only asked where there is more
 * to it than the files of the refs. A Loom that was killed in that moment leaves its locks, which nobody else would remove.
 */
export async function swapRefs(
  git: RepositoryGit,
  moves: readonly RefMove[],
  reason: RefReason,
  gitDir = git.repository.commonDir,
): Promise<string | null> {
  const move = (): boolean => git.moveRefs(moves, reason, gitDir);
  const moveOnceUnlocked = (): boolean => removeLeftLocks(git.repository, moves) && move();
  if (move() || moveOnceUnlocked()) return null;
  const lines = moves.map(({ ref, to, from }) => {
    const old = from === undefined ? "" : (from ?? "0".repeat(to.length));
    return `update ${ref}\0${to}\0${old}\0`;
  });
  const { code, stderr } = await git.refs(
    {
      command: "update-ref",
      options: [["-m", reason.message], "-z", "--stdin"],
      input: lines.join(""),
      answers: [1, 128],
      committer: reason.by,
    },
    gitDir,
  );
  // Git has waited for the lock meanwhile.
  return code === 0 || moveOnceUnlocked() ? null : stderr.replace(/^fatal: /, "").trim();
}
