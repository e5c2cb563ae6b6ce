import { forgetErrands } from "./errands/sweep-errands.ts";
import type { Host, RepoEngine } from "./host.ts";
import { restoreRuns } from "./restore-runs.ts";

/** Gone exactly when the store has lost everything else about the repository as well. */
const INTACT = "intact";
const known = new WeakMap<RepoEngine, string>();
/** Of many jobs that find it out at once, one does the work and the others wait for it. */
const rebuilding = new WeakMap<RepoEngine, Promise<string>>();

/**
 * Before anything is done for a repository: when the store has lost its ledgers, they are brought back first, or a command
 * would start a run that is under way already (F7). Each such loss has a name of its own, by which a process that remembers
 * runs from before notices that their ledgers have become others.
 */
export async function ensureIntact(host: Host, engine: RepoEngine): Promise<void> {
  const epoch = (await engine.shelf.get(INTACT)) ?? (await rebuildOnce(host, engine));
  const before = known.get(engine);
  known.set(engine, epoch);
  if (before === undefined || before === epoch) return;
  for (const run of await engine.store.list()) engine.book.forget(run);
  await forgetErrands(engine);
}

function rebuildOnce(host: Host, engine: RepoEngine): Promise<string> {
  const begun = rebuilding.get(engine);
  if (begun) return begun;
  const work = rebuild(host, engine).finally(() => rebuilding.delete(engine));
  rebuilding.set(engine, work);
  return work;
}

async function rebuild(host: Host, engine: RepoEngine): Promise<string> {
  await restoreRuns(host, engine);
  const epoch = engine.newId();
  await engine.shelf.set(INTACT, epoch);
  return epoch;
}
