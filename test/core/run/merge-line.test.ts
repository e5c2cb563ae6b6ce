import { describe, expect, it } from "vitest";
import { decide } from "../../../src/core/run/decide.ts";
import type { RunEvent } from "../../../src/core/run/events.ts";
import { evolve } from "../../../src/core/run/evolve/evolve.ts";
import { endOfLine } from "../../../src/core/run/merge-line.ts";
import type { Run } from "../../../src/core/run/run.ts";
import type { Verdict } from "../../../src/core/verify/verdict.ts";
import { planText } from "../../support/plan-text.ts";
import { RunWorld, SETTINGS } from "../../support/run-world.ts";

const verdict = (outcome: Verdict["outcome"]): Verdict => ({
  outcome,
  title: "checks",
  detail: null,
  evidence: null,
  children: [],
});

/** Three stages without dependencies whose agents are at work, and what is told of them by short names. */
function threeAtWork(merge: "auto" | "review" = "auto") {
  const world = new RunWorld(planText(["a", "b", "c"].map((id) => ({ id }))), SETTINGS);
  let run: Run =
    merge === "review" ? { ...world.run, merge: { ...world.run.merge, mode: "review" } } : world.run;
  const at = world.at();
  const tell = (...events: RunEvent[]): void => {
    run = evolve(run, events) ?? run;
  };
  for (const stage of ["a", "b", "c"])
    tell(
      { type: "stage-queued", at, stage, attempt: 1, notBefore: null },
      { type: "attempt-started", at, stage, attempt: 1, claim: `c-${stage}`, base: run.tip },
    );
  return {
    run: () => run,
    tip: run.tip,
    end: (stage: string) => endOfLine(run, stage),
    merges: () => decide(run, world.now).flatMap((one) => (one.kind === "merge" ? [one.stage] : [])),
    commit: (stage: string, base: string, commit = `${stage}1`) =>
      tell({ type: "attempt-committed", at, stage, attempt: 1, commit, base, files: [], stalled: false }),
    verify: (stage: string, outcome: Verdict["outcome"] = "passed") =>
      tell({
        type: "attempt-verified",
        at,
        stage,
        attempt: 1,
        commit: `${stage}1`,
        verdict: verdict(outcome),
      }),
    publish: (stage: string) =>
      tell({
        type: "stage-published",
        at,
        stage,
        attempt: 1,
        commit: `${stage}1`,
        branch: `loom/r-1/${stage}`,
      }),
    merged: (stage: string) =>
      tell({ type: "stage-merged", at, stage, attempt: 1, commit: `${stage}1`, merged: `${stage}1` }),
    fail: (stage: string) =>
      tell({
        type: "attempt-failed",
        at,
        stage,
        attempt: 1,
        failure: { kind: "checks-failed", message: "no", evidence: null },
        verdict: verdict("failed"),
      }),
    wait: (stage: string) =>
      tell({ type: "merge-waiting", at, stage, attempt: 1, reason: "x", next: "y", until: null }),
  };
}

describe("stages that are proved side by side", () => {
  it("stand on each other in the order in which they were committed", () => {
    const line = threeAtWork();
    expect(line.end("a")).toBe(line.tip);
    line.commit("a", line.end("a"));
    expect(line.end("b")).toBe("a1");
    line.commit("b", line.end("b"));
    expect(line.end("c")).toBe("b1");
    // Its own commit is not before it.
    expect(line.end("b")).toBe("a1");
  });

  it("come in one behind the other, however their proofs ended in time", () => {
    const line = threeAtWork();
    line.commit("a", line.tip);
    line.commit("b", "a1");
    line.verify("b");
    line.publish("b");
    expect(line.merges()).toEqual([]);
    line.verify("a");
    line.publish("a");
    expect(line.merges()).toEqual(["a"]);
    line.merged("a");
    expect(line.merges()).toEqual(["b"]);
    expect(line.end("c")).toBe("b1");
  });

  it("wait for nobody who has failed, or who waits for something else", () => {
    for (const how of ["fail", "wait"] as const) {
      const line = threeAtWork();
      line.commit("a", line.tip);
      line.commit("b", "a1");
      line.verify("b");
      line.publish("b");
      if (how === "wait") {
        line.verify("a");
        line.publish("a");
      }
      line[how]("a");
      expect(line.merges(), how).toEqual(["b"]);
      expect(line.end("c"), how).toBe(line.tip);
    }
  });

  it("do not stand on what only a person may merge", () => {
    const line = threeAtWork();
    line.commit("a", line.tip);
    line.verify("a", "ask");
    expect(line.end("b")).toBe(line.tip);
  });

  it("stand on the target where people merge", () => {
    const line = threeAtWork("review");
    line.commit("a", line.tip);
    expect(line.end("b")).toBe(line.tip);
  });
});
