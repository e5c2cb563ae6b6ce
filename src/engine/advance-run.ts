import type { RunId } from "../core/ids.ts";
import { eventsFor } from "../core/run/action-events.ts";
import { type Action, decide } from "../core/run/decide.ts";
import type { Engine } from "./engine.ts";
import { timestamp } from "./engine.ts";
import { recordRun } from "./record-run.ts";

/** Looks at the whole run and does what is due: events at once, work as jobs. Safe to call at any time, any number of times. */
export async function advanceRun(engine: Engine, id: RunId): Promise<void> {
  const known = await engine.book.load(id);
  if (!known) return;
  let actions: Action[] = [];
  let settled = false;
  while (!settled) {
    await engine.book.write(id, (run) => {
      actions = decide(run, engine.now());
      const events = actions.flatMap((action) => eventsFor(action, timestamp(engine)));
      settled = events.length === 0;
      return events;
    });
  }
  for (const action of actions) await perform(engine, id, action);
}

async function perform(engine: Engine, run: RunId, action: Action): Promise<void> {
  switch (action.kind) {
    case "start":
      return engine.queue.enqueue({ kind: "stage", run, stage: action.stage, attempt: action.attempt });
    case "merge":
      return engine.queue.enqueue({ kind: "merge", run, stage: action.stage });
    case "wake":
      return engine.queue.enqueue(
        { kind: "advance", run },
        { delayMs: Math.max(0, action.at - engine.now()) },
      );
    case "record":
      return recordRun(engine, run);
    // Whoever holds the attempt watches the ledger and sees for itself that it has to stop.
    default:
      return;
  }
}
