import type { RunId } from "../src/core/ids.ts";
import type { Run } from "../src/core/run/run.ts";
import type { Engine } from "../src/engine/engine.ts";
import { recoverRun } from "../src/engine/run/recover-run.ts";
import { startWorker } from "./start-worker.ts";

export type DriveOutcome =
  | { readonly kind: "finished"; readonly run: Run }
  /** Nothing more happens until somebody answers a question. */
  | { readonly kind: "waiting"; readonly run: Run }
  | { readonly kind: "interrupted"; readonly run: Run };

const SWEEP_MS = 30_000;

/**
 * Drives one run in this process until it ends, waits for a person, or is asked to stop. The caller holds its lease.
 * Throws when the run can't be written down any more; what was written is enough to go on from.
 */
export async function driveRun(engine: Engine, id: RunId, signal: AbortSignal): Promise<DriveOutcome> {
  await recoverRun(engine, id);
  const { settings } = await engine.runs.get(id);
  const wake = (): void => void engine.queue.enqueue({ kind: "advance", run: id }).catch(() => {});
  const unwatch = engine.store.watch(id, wake);
  const sweep = setInterval(wake, SWEEP_MS);
  const stop = new AbortController();
  const onStop = (): void => stop.abort();
  if (signal.aborted) onStop();
  else signal.addEventListener("abort", onStop, { once: true });
  const trouble: unknown[] = [];
  startWorker(engine, {
    maxStages: settings.maxParallel,
    onBroken(error) {
      trouble.push(error);
      onStop();
    },
  });
  try {
    await untilAtRest(engine, id, wake, stop.signal);
    // Only work that is done or safely put down may be left behind.
    await engine.queue.close();
    if (trouble.length > 0) throw trouble[0];
    const run = await engine.runs.get(id);
    if (run.status !== "running") return { kind: "finished", run };
    return { kind: signal.aborted ? "interrupted" : "waiting", run };
  } finally {
    clearInterval(sweep);
    unwatch();
    signal.removeEventListener("abort", onStop);
  }
}

/**
 * The queue may be empty although there is something to do: another process wrote at the last moment, or an attempt
 * could not be given back because the ledger was out of reach for a while. So the ledger is asked before it is left.
 */
async function untilAtRest(engine: Engine, id: RunId, wake: () => void, stop: AbortSignal): Promise<void> {
  let seen = 0;
  for (;;) {
    wake();
    await idleOrStopped(engine, stop);
    if (stop.aborted) return;
    const run = await engine.runs.get(id);
    if (run.status !== "running" || run.version === seen) return;
    seen = run.version;
    // With no job at work, whoever is still executing has been lost.
    await recoverRun(engine, id);
  }
}

async function idleOrStopped(engine: Engine, stop: AbortSignal): Promise<void> {
  if (stop.aborted) return;
  let onAbort = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    onAbort = resolve;
    stop.addEventListener("abort", onAbort, { once: true });
  });
  await Promise.race([engine.queue.idle(), stopped]);
  stop.removeEventListener("abort", onAbort);
}
