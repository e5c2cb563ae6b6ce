import type { RunId } from "../core/ids.ts";
import type { Run } from "../core/run/run.ts";
import type { Heartbeat } from "../ports/run-files.ts";
import type { Local } from "../wiring/local.ts";
import type { Io } from "./io.ts";
import { chooseOutput } from "./output/choose-output.ts";

const BEAT_MS = 500;

/** `undriven`: the run is not over, but no process drives it. */
export type WatchEnd = "ended" | "undriven" | "stopped";

/** `loom status --live`: watches a run that another process drives, until it ends, nobody drives it, or Ctrl-C. */
export async function followRun(io: Io, local: Local, id: RunId, json: boolean): Promise<WatchEnd> {
  const first = await local.engine.runs.get(id);
  const output = chooseOutput({ stream: io.stdout, json, env: io.env, run: first });
  let version = first.version;
  const seen = new Map<string, string>();
  const look = async (): Promise<Run> => {
    const news = await local.engine.store.loadSince(id, version);
    const run = await local.engine.runs.get(id);
    for (const event of news.events) output.show({ kind: "event", event, run });
    version = news.version;
    for (const beat of await local.engine.files.readHeartbeats(id)) showBeat(beat);
    return run;
  };
  const showBeat = (beat: Heartbeat): void => {
    if (beat.activity === null || seen.get(beat.stage) === `${beat.at}`) return;
    seen.set(beat.stage, beat.at);
    output.show({
      kind: "activity",
      run: id,
      stage: beat.stage,
      attempt: beat.attempt,
      at: beat.at,
      text: beat.activity,
    });
  };
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  try {
    for (;;) {
      const run = await look();
      const ended = run.status !== "running";
      if (ended) {
        output.finish({
          run,
          status: run.status,
          elapsedMs: Date.parse(run.finishedAt ?? run.createdAt) - Date.parse(run.createdAt),
        });
        return "ended";
      }
      if ((await local.lease.holder(id)) === null) return "undriven";
      if (!(await nextLook(local, id, stop.signal))) return "stopped";
    }
  } finally {
    process.off("SIGINT", onSignal);
    process.off("SIGTERM", onSignal);
    output.close();
  }
}

/** Waits for the ledger to grow or for the next beat; false when the watching is over. */
function nextLook(local: Local, id: RunId, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (goOn: boolean): void => {
      clearTimeout(timer);
      unwatch();
      signal.removeEventListener("abort", onAbort);
      resolve(goOn);
    };
    const onAbort = (): void => finish(false);
    const timer = setTimeout(() => finish(true), BEAT_MS);
    const unwatch = local.engine.store.watch(id, () => finish(true));
    if (signal.aborted) finish(false);
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
