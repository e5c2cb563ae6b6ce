import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../../src/core/run/events.ts";
import { evolve } from "../../../../src/core/run/evolve/evolve.ts";
import { stageOf } from "../../../../src/core/run/run.ts";
import { aRun, failure, shaOf } from "../../../support/a-run.ts";

const AT = "2026-01-31T12:00:00.000Z";
const one = { at: AT, stage: "a", attempt: 1 } as const;
const story = () => aRun([{ id: "a" }, { id: "b", dependencies: ["a"] }]);
const published = () => story().starts("a").commits("a").verifies("a").publishes("a");

describe("a ledger", () => {
  it("starts with run-created, and has it once", () => {
    const [created] = story().events;
    if (!created) throw new Error("no event");
    expect(() => evolve(null, [{ type: "run-resumed", at: AT, by: "sam" }])).toThrow(
      "the ledger starts with run-resumed instead of run-created",
    );
    expect(() => evolve(story().run, [created])).toThrow("was created twice");
  });

  it.each<[string, () => ReturnType<typeof story>, RunEvent]>([
    ["a start without a queue", story, { type: "attempt-started", ...one, claim: "c", base: shaOf("x") }],
    [
      "a commit of a stage that does not run",
      () => story().queues("a"),
      { type: "attempt-committed", ...one, commit: shaOf("x"), base: shaOf("y"), files: [], stalled: false },
    ],
    [
      "a second merge",
      () => published().merges("a"),
      { type: "stage-merged", ...one, commit: shaOf("x"), merged: shaOf("x") },
    ],
    [
      "a failure behind the merge",
      () => published().merges("a"),
      { type: "attempt-failed", ...one, failure: failure("crashed", "x"), verdict: null },
    ],
    [
      "a skip of a stage that runs",
      () => story().starts("a"),
      { type: "stage-skipped", at: AT, stage: "a", reason: "x" },
    ],
    [
      "a retry of a stage that is merged",
      () => published().merges("a"),
      { type: "stage-reopened", at: AT, stage: "a", by: "sam" },
    ],
    [
      "a word of an attempt that is over",
      () => story().starts("a").fails("a", failure("crashed", "x")).starts("a"),
      { type: "work-kept", ...one, commit: shaOf("x"), base: shaOf("y") },
    ],
    ["an answer to no question", story, { type: "input-answered", ...one, by: "sam", answer: "x" }],
    [
      "the end of a session that has ended",
      published,
      {
        type: "session-ended",
        ...one,
        session: "a-1",
        state: "crashed",
        exitCode: null,
        signal: null,
        durationMs: 0,
        usage: null,
      },
    ],
    [
      "a stage that the plan does not have",
      story,
      { type: "stage-queued", ...one, stage: "z", notBefore: null },
    ],
  ])("refuses %s", (_name, before, event) => {
    const { run } = before();
    expect(() => evolve(run, [event])).toThrow();
  });

  it("leaves the run it was given as it was, whatever happens to the new one", () => {
    const { run } = story();
    const next = evolve(run, [{ type: "stage-queued", ...one, notBefore: null }]);
    expect(stageOf(run, "a").state.kind).toBe("waiting-for-deps");
    expect(next && stageOf(next, "a").state.kind).toBe("queued");
    expect(() =>
      evolve(run, [
        { type: "stage-queued", ...one, notBefore: null },
        { type: "stage-merged", ...one, commit: "", merged: "" },
      ]),
    ).toThrow();
    expect(run.version).toBe(1);
  });
});

describe("an attempt that was cut off", () => {
  it.each([
    ["working", () => story().starts("a")],
    ["committed", () => story().starts("a").commits("a")],
    ["verified", () => story().starts("a").commits("a").verifies("a")],
    ["published", published],
  ] as const)("goes on from where it was %s", (phase, before) => {
    const told = before();
    told.add({ type: "attempt-interrupted", ...one, reason: "died" });
    told.queues("a").add({ type: "attempt-resumed", ...one, claim: "another" });
    expect(stageOf(told.run, "a").state).toMatchObject({
      kind: "executing",
      phase,
      claim: "another",
      attempt: 1,
    });
    expect(stageOf(told.run, "a")).toMatchObject({ attempts: 1, deaths: 1, failures: [] });
  });

  it("is not charged when Loom was asked to stop", () => {
    const told = story()
      .starts("a")
      .add({ type: "attempt-interrupted", ...one, reason: "stopped" });
    expect(stageOf(told.run, "a")).toMatchObject({ deaths: 0, failures: [], open: true });
  });

  it("has no session any more", () => {
    const told = story()
      .starts("a")
      .add({ type: "attempt-interrupted", ...one, reason: "died" });
    expect(stageOf(told.run, "a").session?.state).toBe("crashed");
  });
});

describe("a failed attempt", () => {
  it("is closed, and its commit is what the next one builds on", () => {
    const told = story().starts("a").commits("a").fails("a", failure("checks-failed", "It failed."));
    expect(stageOf(told.run, "a")).toMatchObject({
      open: false,
      commit: null,
      kept: { commit: shaOf("a-1"), base: shaOf("base") },
    });
  });

  it("has no session any more, even when nobody saw it end", () => {
    const told = story().starts("a").fails("a", failure("infrastructure", "The log can't be written."));
    expect(stageOf(told.run, "a").session?.state).toBe("crashed");
  });

  it("and one that is held up have no session any more, even when nobody saw it end", () => {
    const why = failure("merge-blocked", "The ledger can't be written.");
    const told = story()
      .starts("a")
      .add({ type: "merge-held", ...one, failure: why });
    expect(stageOf(told.run, "a")).toMatchObject({ open: true, session: { state: "crashed" } });
  });

  it("stays open when the machine failed behind the commit: what is committed needs no agent", () => {
    const told = published().fails("a", failure("infrastructure", "Git was locked."));
    expect(stageOf(told.run, "a")).toMatchObject({ open: true, commit: shaOf("a-1") });
    told.queues("a").add({ type: "attempt-resumed", ...one, claim: "another" });
    expect(stageOf(told.run, "a").state).toMatchObject({ attempt: 1, phase: "published" });
  });
});
