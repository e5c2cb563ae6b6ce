import type { RunSettings } from "../config/run-settings.ts";
import { assertNever } from "../errors.ts";
import type { Millis } from "../ids.ts";
import type { Failure, FailureKind } from "./failure.ts";

export type NextStep =
  | { readonly kind: "retry"; readonly notBefore: Millis | null }
  | { readonly kind: "give-up" };

/** A failure together with the moment it happened. */
export type DatedFailure = Failure & { readonly at: Millis };

/**
 * What follows the last of these failures. Times are counted from the failure, not from now, so that the answer is the
 * same however late the question is asked.
 */
export function nextStep(
  failures: readonly DatedFailure[],
  retries: number,
  settings: RunSettings,
): NextStep {
  const last = failures.at(-1);
  if (!last) return { kind: "retry", notBefore: null };
  switch (handlingOf(last.kind)) {
    case "person":
      return { kind: "give-up" };
    case "later": {
      const before = failures.filter((one) => handlingOf(one.kind) === "later").length - 1;
      const delay = settings.transientDelaysSecs[before];
      if (delay === undefined) return { kind: "give-up" };
      return { kind: "retry", notBefore: Math.max(last.at + delay * 1000, last.retryAt ?? 0) };
    }
    case "at-once":
      return charged(failures) > retries ? { kind: "give-up" } : { kind: "retry", notBefore: null };
    case "backoff": {
      const count = charged(failures);
      if (count > retries) return { kind: "give-up" };
      const { base, max } = settings.backoffSecs;
      return { kind: "retry", notBefore: last.at + Math.min(base * 2 ** (count - 1), max) * 1000 };
    }
  }
}

function charged(failures: readonly DatedFailure[]): number {
  return failures.filter((one) => handlingOf(one.kind) !== "later").length;
}

type Handling = "at-once" | "backoff" | "later" | "person";

/** An agent that can do better with what it is told gets another go at once; a machine in trouble gets time. */
function handlingOf(kind: FailureKind): Handling {
  switch (kind) {
    case "no-change":
    case "checks-failed":
    case "refused":
    case "conflict-unresolved":
    case "contract-unmet":
      return "at-once";
    case "agent-failed":
    case "timeout":
    case "stalled":
    case "crashed":
    case "setup-failed":
    case "infrastructure":
      return "backoff";
    case "transient":
      return "later";
    case "out-of-reach":
    case "credentials":
    case "context-overflow":
    case "precondition-failed":
    case "merge-blocked":
    case "target-rewound":
    case "branch-taken":
    case "pull-closed":
    case "harness-missing":
    case "quarantined":
    case "dependency":
    case "cancelled":
      return "person";
    default:
      return assertNever(kind);
  }
}

/** The session was cut off before it was done, as opposed to having done what does not pass. */
export function cutsOff(kind: FailureKind): boolean {
  const handling = handlingOf(kind);
  return (
    (handling === "backoff" && kind !== "setup-failed") || handling === "later" || kind === "credentials"
  );
}

/** The agent could work and did not get there, as opposed to trouble around it that people or time have to fix. */
export function hadItsChance(kind: FailureKind): boolean {
  const handling = handlingOf(kind);
  return (
    handling === "at-once" || (handling === "backoff" && kind !== "setup-failed" && kind !== "infrastructure")
  );
}

/** The trouble was outside of the stage's own work, so `loom resume` may simply try again. */
export function clearsByItself(kind: FailureKind): boolean {
  return (
    kind === "merge-blocked" ||
    kind === "target-rewound" ||
    kind === "harness-missing" ||
    kind === "credentials" ||
    kind === "infrastructure" ||
    kind === "transient"
  );
}
