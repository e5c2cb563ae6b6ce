import type { RunEvent } from "../../run/events.ts";

/**
 * The ledger as JSON Lines for `.loom/<run>/history.jsonl`. The plan's text is left out, it stands in PLAN.md; of a
 * work tree only its name is kept, because the file is published and the rest of the path belongs to one machine.
 */
export function renderHistory(events: readonly RunEvent[]): string {
  return events.map((event) => `${JSON.stringify(publicEvent(event))}\n`).join("");
}

function publicEvent(event: RunEvent): object {
  switch (event.type) {
    case "run-created":
    case "plan-amended":
      return withoutPlanText(event);
    case "session-started":
      return { ...event, tree: event.tree.split(/[\\/]/).at(-1) ?? "" };
    default:
      return event;
  }
}

/** The plan can be a megabyte; no onlooker needs it again. */
export function withoutPlanText(event: RunEvent): object {
  if (event.type !== "run-created" && event.type !== "plan-amended") return event;
  const { planText: _left, ...rest } = event;
  return rest;
}
