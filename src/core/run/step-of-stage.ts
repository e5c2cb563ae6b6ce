import type { RunEvent } from "./events.ts";

/** What a stage is at, for measuring: each step begins with an event and ends with the next one's. */
export const STEPS = [
  "queue",
  "prepare",
  "agent",
  "commit",
  "prove",
  "publish",
  "wait to merge",
  "merge",
] as const;

export type Step = (typeof STEPS)[number];

/** `null`: the stage is at rest. Absent: the event says nothing about it. */
const BEGUN_BY: Readonly<Partial<Record<RunEvent["type"], Step | null>>> = {
  "stage-queued": "queue",
  "attempt-started": "prepare",
  "attempt-resumed": "prepare",
  "session-started": "agent",
  "session-ended": "commit",
  "handed-off": "prepare",
  "attempt-committed": "prove",
  "attempt-verified": "publish",
  "stage-published": "wait to merge",
  "merge-claimed": "merge",
  "merge-proved": "merge",
  "merge-started": "merge",
  "merge-waiting": "wait to merge",
  "attempt-failed": null,
  "attempt-interrupted": null,
  "input-requested": null,
  "merge-conflicted": null,
  "merge-held": null,
  "stage-merged": null,
  "stage-blocked": null,
  "stage-skipped": null,
  "stage-taken": null,
};

/** undefined: the stage goes on with what it is at. */
export function stepBegunBy({ type }: RunEvent): Step | null | undefined {
  return Object.hasOwn(BEGUN_BY, type) ? BEGUN_BY[type] : undefined;
}
