import type { Host, RepoEngine } from "../host.ts";
import { forgetTasks } from "../task/sweep-tasks.ts";
import { restoreEnds, restoreRuns } from "./restore-runs.ts";

/** Gone exactly when the store has lost everything else about the repository as well. */
const INTACT = "intact";
const known = new WeakMap<RepoEngine, string>();
/** Of many jobs that find it out at once, one does the work and the others wait for it. */
const rebuilding = new WeakMap<RepoEngine, Promise<string>>();
const restoring = new WeakMap<RepoEngine, Promise<void>>();

/** A ledger of theirs was found shorter than this process remembers it. */
const suspects = new WeakSet<RepoEngine>();

export function suspectLoss(engine: RepoEngine): void {
  suspects.add(engine);
}

/**
 * Before anything is done for a repository: when the store has lost its ledgers, they are brought back first, or a command
 * would start a run that is under way already (F7). Each such loss has a name of its own, by which a process that remembers
 * runs from before notices that their ledgers have become others. A process that has just started remembers nothing, so it
 * holds what there is against the copies: a ledger may have been cut back meanwhile.
 */
export async function ensureIntact(host: Host, engine: RepoEngine): Promise<void> {
  const noted = await engine.cache.get(INTACT);
  const epoch = noted ?? (await rebuildOnce(host, engine));
  const before = known.get(engine);
  if (noted !== null && (before === undefined || suspects.has(engine))) await restoreEndsOnce(host, engine);
  known.set(engine, epoch);
  if (before === undefined || before === epoch) return;
  for (const run of await engine.store.list()) engine.runs.forget(run);
  await forgetTasks(engine);
}

function rebuildOnce(host: Host, engine: RepoEngine): Promise<string> {
  return shared(rebuilding, engine, () => rebuild(host, engine));
}

function restoreEndsOnce(host: Host, engine: RepoEngine): Promise<void> {
  return shared(restoring, engine, async () => {
    suspects.delete(engine);
    if ((await engine.store.list()).length > 0) await restoreEnds(host, engine);
  });
}

function shared<T>(
  begun: WeakMap<RepoEngine, Promise<T>>,
  engine: RepoEngine,
  begin: () => Promise<T>,
): Promise<T> {
  const work = begun.get(engine) ?? begin().finally(() => begun.delete(engine));
  begun.set(engine, work);
  return work;
}

async function rebuild(host: Host, engine: RepoEngine): Promise<string> {
  await restoreRuns(host, engine);
  const epoch = engine.newId();
  await engine.cache.set(INTACT, epoch);
  return epoch;
}
