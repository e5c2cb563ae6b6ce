import type { AgentFailure } from "../../../core/session/agent-failure.ts";
import type { HarnessEvent } from "../../../ports/harness.ts";
import type { Traffic } from "../../../ports/sandbox.ts";
import { failureFromStatus, failureToReach } from "./classify-failure.ts";

/** So often in a row a provider may refuse the key before the session is given up. */
const REFUSALS = 3;
/** A CLI may wait this long by itself for its quota; what takes longer is Loom's to schedule. */
const WORTH_WAITING_MS = 90_000;
/** A provider that is broken or away for this long, by at least so many attempts, is Loom's to wait for, too. */
const FAULTS_MS = 25_000;
const FAULTS = 3;

/**
 * Watches what the model answers. CLIs try again for minutes where trying again can't help, and some say nothing
 * meanwhile; Loom sees the answers themselves.
 */
export function createPatience() {
  let refusals = 0;
  let faults = 0;
  let faultsSince = 0;
  let lost: AgentFailure | null = null;

  const waitAfterFault = (failure: AgentFailure, now: number): void => {
    if (faults === 0) faultsSince = now;
    faults += 1;
    if (faults >= FAULTS && now - faultsSince > FAULTS_MS) lost = failure;
  };

  const waitAfterFailure = (failure: AgentFailure, now: number): HarnessEvent[] => {
    switch (failure.kind) {
      case "auth":
        refusals += 1;
        if (refusals >= REFUSALS) lost = failure;
        return [{ kind: "retrying", reason: failure.message }];
      case "overloaded":
      case "network":
        waitAfterFault(failure, now);
        return [{ kind: "retrying", reason: failure.message }];
      case "quota":
        if (failure.resetsAt !== null && failure.resetsAt - now > WORTH_WAITING_MS) lost = failure;
        return [{ kind: "rate-limit", resetsAt: failure.resetsAt }];
      default:
        // Whatever is wrong with the request itself is not tried again.
        return [];
    }
  };

  return {
    note(seen: Traffic, now: number): HarnessEvent[] {
      switch (seen.kind) {
        case "denied":
          return [];
        case "unreachable":
          return waitAfterFailure(failureToReach(seen.host, seen.reason), now);
        case "answered":
          if (seen.status >= 400)
            return waitAfterFailure(failureFromStatus(seen.status, seen.body, seen.retryAt), now);
          refusals = 0;
          faults = 0;
          return [];
      }
    },
    /** Why the session is pointless by now; null while there is hope. */
    lost: (): AgentFailure | null => lost,
  };
}
