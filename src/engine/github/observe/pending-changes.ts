import type { RunId } from "../../../core/ids.ts";
import type { StageRecord } from "../../../core/run/run.ts";
import type { RepoEngine } from "../host.ts";

/**
 * Somebody, or somebody's pipeline, did something about a run. The next look at it then wakes what waits for reviews and
 * checks; a look that the sweep asked for does not, or every wait would be cut short once a minute.
 */
export async function noteChange(engine: RepoEngine, run: RunId): Promise<void> {
  await engine.cache.set(pendingKey(run), "yes");
  await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run });
}

export async function takePendingChange(engine: RepoEngine, run: RunId): Promise<boolean> {
  const isThere = (await engine.cache.get(pendingKey(run))) !== null;
  // Before anything is looked at: what is told from here on is for the next look.
  if (isThere) await engine.cache.remove(pendingKey(run));
  return isThere;
}

/**
 * What is being merged can't be woken, and may be about to wait for the very thing that just happened, such as a pull
 * request that fell out of the merge queue. The news stays for whoever has ended the merge; if that was in the meantime,
 * for the next look.
 */
export async function keepPendingChange(engine: RepoEngine, run: RunId): Promise<void> {
  await engine.cache.set(pendingKey(run), "yes");
  const now = await engine.runs.load(run);
  if (now && ![...now.stages.values()].some(isMerging)) await observePendingChange(engine, run);
}

/** For whoever has ended a merge. */
export async function observePendingChange(engine: RepoEngine, run: RunId): Promise<void> {
  if ((await engine.cache.get(pendingKey(run))) !== null)
    await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run });
}

export function isMerging({ state, waiting }: StageRecord): boolean {
  return state.kind === "executing" && state.phase === "published" && waiting === null;
}

function pendingKey(run: RunId): string {
  return `pending-change/${run}`;
}
