import type { RunId, StageId } from "../../core/ids.ts";
import { runnerLabel } from "../../core/plan/runner-label.ts";
import { eventsFor } from "../../core/run/action-events.ts";
import { type Action, decide } from "../../core/run/decide.ts";
import type { Run } from "../../core/run/run.ts";
import type { Engine } from "../engine.ts";
import { timestamp } from "../engine.ts";
import { recordRun } from "./record-run.ts";

/** Looks at the whole run and does what is due: events at once, work as jobs. Safe to call at any time, any number of times. */
export async function advanceRun(engine: Engine, id: RunId): Promise<void> {
  const known = await engine.runs.load(id);
  if (!known) return;
  let actions: Action[] = [];
  let settled = false;
  while (!settled) {
    await engine.runs.write(id, (run) => {
      actions = decide(run, engine.now());
      const events = actions.flatMap((action) => eventsFor(id, action, timestamp(engine)));
      settled = events.length === 0;
      return events;
    });
  }
  const run = await engine.runs.get(id);
  for (const action of actions) await perform(engine, run, action);
}

/** Ledgers may hold a label as it was written. */
export function labelOf(run: Run, stage: StageId): string | null {
  const wanted = run.stages.get(stage)?.plan.runsOn ?? run.settings.runsOn ?? null;
  return wanted === null ? null : runnerLabel(wanted);
}

async function perform(engine: Engine, run: Run, action: Action): Promise<void> {
  switch (action.kind) {
    case "start":
      return engine.queue.enqueue(
        { kind: "stage", run: run.id, stage: action.stage, attempt: action.attempt },
        { label: labelOf(run, action.stage) },
      );
    case "merge":
      return engine.queue.enqueue({ kind: "merge", run: run.id, stage: action.stage });
    case "wake":
      return engine.queue.enqueue(
        { kind: "advance", run: run.id },
        { delayMs: Math.max(0, action.at - engine.now()) },
      );
    case "record":
      return recordRun(engine, run.id);
    // Whoever holds the attempt watches the ledger and sees for itself that it has to stop.
    default:
      return;
  }
}
