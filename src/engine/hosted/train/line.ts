import type { RunId } from "../../../core/ids.ts";
import type { Run } from "../../../core/run/run.ts";
import type { RepoEngine } from "../host.ts";

const LINE = "line/";

/**
 * Has the train of the run's target come by. Which of its stages are due is asked of the ledger then; a note that gets lost
 * costs the time until the next sweep.
 */
export async function callTrain(
  engine: RepoEngine,
  { id, target }: Pick<Run, "id" | "target">,
): Promise<void> {
  await engine.shelf.set(`${LINE}${id}`, target);
  await engine.queue.enqueue({ kind: "train", repo: engine.repo, target });
}

/** The runs that called since this was asked last. Taken away before they are looked at: what becomes due later calls again. */
export async function takeLine(engine: RepoEngine, target: string): Promise<RunId[]> {
  const runs: RunId[] = [];
  for (const [key, wanted] of await engine.shelf.list(LINE)) {
    if (wanted !== target) continue;
    await engine.shelf.remove(key);
    runs.push(key.slice(LINE.length));
  }
  return runs;
}
