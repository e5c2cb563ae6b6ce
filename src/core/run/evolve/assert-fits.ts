import { InternalError } from "../../errors.ts";
import type { StageRecord } from "../run.ts";
import type { StageEvent } from "../stage-events.ts";

/** Beyond the table of moves: only the attempt that runs has a say, and only a question has an answer. */
export function assertFits({ state }: StageRecord, event: StageEvent): void {
  switch (event.type) {
    case "stage-queued":
    case "attempt-started":
    case "attempt-resumed":
    case "stage-blocked":
    case "stage-skipped":
    case "stage-reopened":
    case "stack-conflicted":
    case "stage-taken":
    case "stage-handed-over":
      return;
    default: {
      // A person may merge what Loom gave up on.
      if (event.type === "stage-merged" && state.kind === "blocked") return;
      const wanted = event.type === "input-answered" ? "waiting-for-input" : "executing";
      if (state.kind !== wanted || state.attempt !== event.attempt)
        throw new InternalError(
          `${event.type} of attempt ${event.attempt} does not fit: ${event.stage} is ${state.kind}`,
        );
    }
  }
}
