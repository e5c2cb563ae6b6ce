import type { Millis, StageId } from "../../ids.ts";
import type { RunEvent } from "../../run/events.ts";

/** A stretch of time in which one thing happened to a stage. */
export type Span = {
  readonly stage: StageId;
  readonly attempt: number;
  readonly kind: "work" | "verify" | "merge";
  readonly from: Millis;
  readonly to: Millis;
  /** It ended with a failure or a conflict. */
  readonly failed: boolean;
};

type Open = Omit<Span, "to" | "failed">;

/** Who did what when, from the ledger alone. What is still open ends with the last event. */
export function attemptSpans(events: readonly RunEvent[]): Span[] {
  const spans: Span[] = [];
  const open = new Map<StageId, Open>();
  const close = (stage: StageId, to: Millis, failed = false): void => {
    const span = open.get(stage);
    open.delete(stage);
    if (span) spans.push({ ...span, to, failed });
  };
  for (const event of events) {
    if (!("stage" in event)) continue;
    const { stage } = event;
    const at = Date.parse(event.at);
    const begin = (kind: Span["kind"], attempt: number): void => {
      close(stage, at);
      open.set(stage, { stage, attempt, kind, from: at });
    };
    switch (event.type) {
      case "attempt-started":
      case "attempt-resumed":
        begin("work", event.attempt);
        break;
      case "attempt-committed":
      case "stage-handed-over":
        begin("verify", event.attempt);
        break;
      case "attempt-verified":
        begin("merge", event.attempt);
        break;
      case "attempt-failed":
      case "merge-conflicted":
      case "merge-held":
      case "stage-blocked":
        close(stage, at, true);
        break;
      case "stage-merged":
      case "attempt-interrupted":
      case "input-requested":
      case "stage-skipped":
      case "stage-taken":
      case "stage-folded":
        close(stage, at);
        break;
    }
  }
  const end = Date.parse(events.at(-1)?.at ?? "") || 0;
  for (const stage of [...open.keys()]) close(stage, end);
  return spans;
}
