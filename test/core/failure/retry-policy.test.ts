import { describe, expect, it } from "vitest";
import type { RunSettings } from "../../../src/core/config/run-settings.ts";
import { FAILURE_KINDS, type FailureKind } from "../../../src/core/failure/failure.ts";
import {
  clearsByItself,
  cutsOff,
  type DatedFailure,
  nextStep,
} from "../../../src/core/failure/retry-policy.ts";

const SETTINGS: RunSettings = {
  harness: "scripted",
  harnessWins: false,
  maxParallel: 1,
  retries: 2,
  timeoutSecs: 1,
  noProgressSecs: 1,
  transientDelaysSecs: [0, 600, 3_600],
  backoffSecs: { base: 30, max: 300 },
};
const NOON = Date.parse("2026-01-31T12:00:00Z");

/** Seconds to wait after each failure in turn; "person" when no further attempt is made. */
function waits(kinds: readonly FailureKind[], retries = 2): (number | "person")[] {
  return kinds.map((_kind, index) => {
    const failures = kinds
      .slice(0, index + 1)
      .map((kind, at): DatedFailure => ({ kind, message: "", evidence: null, at: NOON + at }));
    const step = nextStep(failures, retries, SETTINGS);
    return step.kind === "give-up" ? "person" : ((step.notBefore ?? NOON + index) - NOON - index) / 1000;
  });
}

const three = (kind: FailureKind): FailureKind[] => [kind, kind, kind];

describe("what follows a failure", () => {
  // What an agent can fix is tried again at once; a machine gets time; a provider more; the rest is for people.
  it.each<[FailureKind, (number | "person")[], boolean]>([
    ["no-change", [0, 0, "person"], false],
    ["checks-failed", [0, 0, "person"], false],
    ["refused", [0, 0, "person"], false],
    ["conflict-unresolved", [0, 0, "person"], false],
    ["agent-failed", [30, 60, "person"], false],
    ["timeout", [30, 60, "person"], false],
    ["stalled", [30, 60, "person"], false],
    ["crashed", [30, 60, "person"], false],
    ["setup-failed", [30, 60, "person"], false],
    ["infrastructure", [30, 60, "person"], true],
    ["transient", [0, 600, 3_600], true],
    ["out-of-reach", ["person", "person", "person"], false],
    ["precondition-failed", ["person", "person", "person"], false],
    ["merge-blocked", ["person", "person", "person"], true],
    ["target-rewound", ["person", "person", "person"], true],
    ["harness-missing", ["person", "person", "person"], true],
    ["quarantined", ["person", "person", "person"], false],
    ["dependency", ["person", "person", "person"], false],
    ["cancelled", ["person", "person", "person"], false],
  ])("%s: %j; resuming tries it again: %s", (kind, expected, again) => {
    expect(waits(three(kind))).toEqual(expected);
    expect(clearsByItself(kind)).toBe(again);
  });

  it("is settled for every kind that a ledger can hold", () => {
    for (const kind of FAILURE_KINDS) expect(() => waits([kind])).not.toThrow();
  });

  it("doubles the pause up to a limit", () => {
    expect(waits(Array(7).fill("crashed"), 10)).toEqual([30, 60, 120, 240, 300, 300, 300]);
  });

  it("charges nothing for a provider that was away", () => {
    expect(waits(["transient", "checks-failed", "transient", "checks-failed", "checks-failed"], 2)).toEqual([
      0,
      0,
      600,
      0,
      "person",
    ]);
  });

  it("gives up on a provider after the last pause", () => {
    expect(waits(["transient", "transient", "transient", "transient"])).toEqual([0, 600, 3_600, "person"]);
  });

  it("without retries is a person", () => {
    expect(waits(["checks-failed"], 0)).toEqual(["person"]);
    expect(waits(["crashed"], 0)).toEqual(["person"]);
  });

  it("is the same however late it is asked: the pause counts from the failure", () => {
    const failure: DatedFailure = { kind: "crashed", message: "", evidence: null, at: NOON };
    expect(nextStep([failure], 1, SETTINGS)).toEqual({ kind: "retry", notBefore: NOON + 30_000 });
  });

  it("before any failure is a start at once", () => {
    expect(nextStep([], 0, SETTINGS)).toEqual({ kind: "retry", notBefore: null });
  });

  it("waits for the moment that a provider names, when that is later than the delay", () => {
    const at = 1_000_000;
    const quota = (retryAt: number): DatedFailure => ({
      kind: "transient",
      message: "out of quota",
      evidence: null,
      retryAt,
      at,
    });
    expect(nextStep([quota(at + 9_000)], 2, SETTINGS)).toEqual({ kind: "retry", notBefore: at + 9_000 });
    expect(nextStep([quota(at - 9_000)], 2, SETTINGS)).toEqual({ kind: "retry", notBefore: at });
  });
});

describe("what the next session is told", () => {
  it("is that one was cut off, unless there is something to fix", () => {
    expect(FAILURE_KINDS.filter(cutsOff)).toEqual([
      "agent-failed",
      "timeout",
      "stalled",
      "crashed",
      "transient",
      "credentials",
      "infrastructure",
    ]);
  });
});
