import type { RunId } from "../../../core/ids.ts";
import type { Run } from "../../../core/run/run.ts";
import type { RepoEngine } from "../host.ts";

const CALLS = "train-calls/";

/**
 * Has the train of the run's target come by. Which of its stages are due is asked of the ledger then; a note that gets lost
 * costs the time until the next sweep.
 */
export async function callTrain(engine: RepoEngine, run: Pick<Run, "id" | "target">): Promise<void> {
  await noteCall(engine, run);
  await engine.queue.enqueue({ kind: "train", repo: engine.repo, target: run.target });
}

/** For the next train, whenever it comes. */
export async function noteCall(
  engine: RepoEngine,
  { id, target }: Pick<Run, "id" | "target">,
): Promise<void> {
  await engine.cache.set(`${CALLS}${id}`, target);
}

/** The runs that called since this was asked last. Taken away before they are looked at: what becomes due later calls again. */
export async function takeCalls(engine: RepoEngine, target: string): Promise<RunId[]> {
  const runs: RunId[] = [];
  for (const [key, wanted] of await engine.cache.list(CALLS)) {
    if (wanted !== target) continue;
    await engine.cache.remove(key);
    runs.push(key.slice(CALLS.length));
  }
  return runs;
}
