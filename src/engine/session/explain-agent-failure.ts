import type { Failure } from "../../core/failure/failure.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import type { AgentFailure } from "../../core/session/agent-failure.ts";

/** What a session that failed comes to, by what its harness knows about it. */
export function explainAgentFailure(
  harness: string,
  code: number,
  failure: AgentFailure | null,
  tail: string,
): Failure {
  switch (failure?.kind) {
    case "auth":
      return failures.credentials(harness, failure.message);
    case "overloaded":
    case "network":
      return failures.transient(failure.message, tail);
    default:
      return failure ? failures.agentSaid(harness, failure.message, tail) : failures.agentFailed(code, tail);
  }
}
