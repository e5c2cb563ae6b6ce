import { type RunId, runOfBranch, type StageId } from "../../../core/ids.ts";
import type { Run } from "../../../core/run/run.ts";
import type { RepoEngine } from "../host.ts";
import { unlessForged } from "../recover/unless-forged.ts";

/** What an issue or a pull request has to do with a run. */
export type Thread =
  | { readonly kind: "issue"; readonly run: Run }
  | { readonly kind: "plan"; readonly run: Run }
  | { readonly kind: "stage"; readonly run: Run; readonly stage: StageId };

type Runs = Pick<RepoEngine, "store" | "runs">;

/**
 * The newest run that this number belongs to; ended ones only when no other is left. A pull request's branch names its run,
 * where it is Loom's: then nothing is searched.
 */
export async function findRun(
  engine: Runs & Pick<RepoEngine, "cache">,
  number: number,
  branch: string | null = null,
): Promise<Thread | null> {
  const named = branch === null ? null : runOfBranch(branch);
  const own = named === null ? null : await unlessForged(engine.runs.load(named));
  const offered = own && !own.archived ? threadOf(own, number) : null;
  if (offered && offered.kind !== "issue") return offered;
  const hint = await engine.cache.get(threadKey(number));
  const hinted = hint ? await engine.runs.load(hint) : null;
  const thread = hinted && threadOf(hinted, number);
  if (thread && thread.run.status === "running") return thread;
  const threads: Thread[] = [];
  for (const run of await allRuns(engine, (over) => threadOf(over, number) !== null)) {
    const found = threadOf(run, number);
    if (found) threads.push(found);
  }
  threads.sort((a, b) => rank(b.run) - rank(a.run) || b.run.createdAt.localeCompare(a.run.createdAt));
  return threads[0] ?? null;
}

/** So that the next question about this number needs no search. */
export async function rememberThread(engine: RepoEngine, number: number, run: RunId): Promise<void> {
  await engine.cache.set(threadKey(number), run);
}

/**
 * Without those that were archived. `mayMatter` is asked about runs that this process saw come to their end: webhooks come all
 * the time, and what they cost must not grow with all that was ever run. That nobody cut such a ledger is for the sweep to
 * find out, which reads each of them.
 */
export async function allRuns(engine: Runs, mayMatter: (over: Run) => boolean = () => true): Promise<Run[]> {
  const runs: Run[] = [];
  for (const id of await engine.store.list()) {
    const known = engine.runs.peek(id);
    if (known && isOver(known) && (known.archived || !mayMatter(known))) continue;
    const run = await unlessForged(engine.runs.load(id));
    if (run && !run.archived) runs.push(run);
  }
  return runs;
}

/**
 * What is being built for an issue; there is one at a time. The ledgers of its runs are read, also of those that this process
 * remembers as ended: in a store that lost its last second, such a run is under way again, and a second one must not begin
 * beside it.
 */
export async function runningOn(engine: Runs, issue: number): Promise<Run | null> {
  for (const id of await engine.store.list()) {
    const known = engine.runs.peek(id);
    // Where a run came from never changes.
    if (known && known.origin?.issue !== issue) continue;
    const run = await unlessForged(engine.runs.load(id));
    if (run?.origin?.issue === issue && run.status === "running" && !run.archived) return run;
  }
  return null;
}

export async function liveRuns(engine: Runs): Promise<Run[]> {
  return (await allRuns(engine, () => false)).filter(isLive);
}

/** It came to an end that nothing follows: it has all the threads that it will have, and is not live again. */
function isOver({ status, recorded, archived }: Run): boolean {
  return archived || status === "cancelled" || (status === "completed" && recorded !== null);
}

/** There is still something to do for it, if only to put its documents away. */
export function isLive(run: Run): boolean {
  return run.status === "running" || (run.status === "completed" && run.recorded === null);
}

/** It is done and recorded, and only waits to be archived by itself. */
export function awaitsArchive({ status, recorded, archived, settings }: Run): boolean {
  return settings.autoArchive === true && status === "completed" && recorded !== null && !archived;
}

export function threadOf(run: Run, number: number): Thread | null {
  if (run.offer?.pr === number) return { kind: "plan", run };
  for (const [stage, { pr }] of run.stages) if (pr === number) return { kind: "stage", run, stage };
  return run.origin?.issue === number ? { kind: "issue", run } : null;
}

function rank(run: Run): number {
  if (run.status === "running") return 2;
  return run.status === "blocked" || run.status === "failed" ? 1 : 0;
}

function threadKey(number: number): string {
  return `thread/${number}`;
}
