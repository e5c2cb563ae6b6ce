import type { RunId } from "../../../core/ids.ts";
import type { Run } from "../../../core/run/run.ts";
import type { Host, RepoEngine } from "../host.ts";

const BATCH = 100;

/**
 * Tells the operator's webhook every event of a run, in order and at least once: how far it has been told is
 * remembered only after it answered. When it does not, the job fails, is tried again, and the sweep comes back to it.
 */
export async function notifyRun(host: Host, engine: RepoEngine, run: RunId): Promise<void> {
  if (!host.notify) return;
  for (;;) {
    const told = await toldOf(engine, run);
    const { events } = await engine.store.loadSince(run, told);
    if (events.length === 0) return;
    const batch = events.slice(0, BATCH);
    const { owner, name } = engine.repoRef.repo;
    await host.notify(JSON.stringify({ repository: `${owner}/${name}`, run, from: told + 1, events: batch }));
    await engine.cache.set(keyOf(run), String(told + batch.length));
  }
}

/** The webhook may have been away when the run ended, and nothing would come back to it by itself. */
export async function isToldAll(engine: RepoEngine, { id, version }: Run): Promise<boolean> {
  return (await toldOf(engine, id)) >= version;
}

async function toldOf(engine: RepoEngine, run: RunId): Promise<number> {
  return Number((await engine.cache.get(keyOf(run))) ?? "0");
}

function keyOf(run: RunId): string {
  return `notified/${run}`;
}
