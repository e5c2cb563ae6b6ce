import type { SessionResult } from "./session-types.ts";

/**
 * What a ledger calls the end of a session. `asked`: what a question makes of it. A stage pauses until it is answered; a task
 * is done with it, since whoever gave the task gets the question.
 */
export function endStateOf(
  { outcome }: SessionResult,
  asked: "completed" | "paused",
): "completed" | "paused" | "crashed" | "context-exhausted" {
  switch (outcome.kind) {
    case "finished":
      return "completed";
    case "asked":
      return asked;
    case "aborted":
      return "paused";
    case "exhausted":
      return "context-exhausted";
    default:
      return "crashed";
  }
}
