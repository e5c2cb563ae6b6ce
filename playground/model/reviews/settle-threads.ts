import type { PullIssue } from "../find.ts";
import type { GitChangedFile } from "../model-git.ts";
import { pullFiles } from "../pulls/pull-files.ts";
import { movedLine, readHunks } from "../pulls/read-hunks.ts";
import type { DiffRange, Repository, ReviewThread } from "../types.ts";
import type { World } from "../world.ts";
import { placeOnDiff } from "./place-on-diff.ts";

/**
 * Finds each conversation's lines again after the head or the base has moved. Counted from where it was begun every time,
 * so that lines which come back bring their conversation back.
 */
export async function settleThreads(world: World, repository: Repository, issue: PullIssue): Promise<void> {
  const { pull } = issue;
  if (pull.threads.length === 0) return;
  const files = await pullFiles(world, repository, issue);
  for (const thread of pull.threads) {
    const changes = await world.git.changedFiles(repository.gitDir, thread.original.commit, pull.headSha);
    const range = movedRange(changes, thread);
    const placed = range === null ? null : placeOnDiff(files, thread.path, range);
    thread.place =
      range !== null && placed?.kind === "placed" ? { ...range, position: placed.position } : null;
    if (thread.place !== null) thread.commit = pull.headSha;
  }
}

/** The side before the change has not moved with a push; where the diff begins elsewhere, its lines are not found. */
function movedRange(changes: readonly GitChangedFile[], { path, original }: ReviewThread): DiffRange | null {
  const { side, line, startSide, startLine } = original;
  const change = changes.find((file) => file.path === path || file.previousPath === path);
  if (change && (change.path !== path || change.patch === null)) return null;
  const hunks = readHunks(change?.patch ?? "");
  const moved = (on: DiffRange["side"], number: number) =>
    on === "LEFT" ? number : movedLine(hunks, number);
  const end = moved(side, line);
  const start = startLine === null ? null : moved(startSide, startLine);
  if (end === null || (startLine !== null && start === null)) return null;
  return { side, line: end, startSide, startLine: start };
}
