import { type RunId, stageBranch, type Timestamp } from "../ids.ts";
import type { Action } from "./decide.ts";
import type { RunEvent } from "./events.ts";

/** What an action comes to in the ledger; none for those that are work, which somebody has to do first. */
export function eventsFor(run: RunId, action: Action, at: Timestamp): RunEvent[] {
  switch (action.kind) {
    case "queue":
      return [
        {
          type: "stage-queued",
          at,
          stage: action.stage,
          attempt: action.attempt,
          notBefore: action.notBefore,
        },
      ];
    case "block":
      return [{ type: "stage-blocked", at, stage: action.stage, failure: action.failure }];
    case "skip":
      return [{ type: "stage-skipped", at, stage: action.stage, reason: action.reason }];
    case "explain-stall":
      return [{ type: "run-stalled", at, explanation: action.explanation }];
    case "pause":
      return [{ type: "run-paused", at, cause: action.cause }];
    case "hand-back":
      return [
        {
          type: "stage-taken",
          at,
          stage: action.stage,
          by: action.by,
          branch: stageBranch(run, action.stage),
          reason: action.reason,
        },
      ];
    case "finish":
      return [{ type: "run-finished", at, status: action.status }];
    case "stop":
      // Should a merge begin at this moment, one of the two events is refused: it holds the claim, or it does not.
      return action.idle
        ? [
            {
              type: "attempt-interrupted",
              at,
              stage: action.stage,
              attempt: action.attempt,
              reason: "stopped",
            },
          ]
        : [];
    case "start":
    case "merge":
    case "wake":
    case "record":
      return [];
  }
}
