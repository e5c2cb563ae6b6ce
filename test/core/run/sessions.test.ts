import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/run/events.ts";
import { runEventSchema } from "../../../src/core/run/events.ts";
import { stageOf } from "../../../src/core/run/run.ts";
import { aRun, failure, START } from "../../support/a-run.ts";

const one = { at: "2026-01-31T12:00:00.000Z", stage: "a", attempt: 1 } as const;
const usage = (inputTokens: number, costUsd: number | null) => ({ inputTokens, outputTokens: 1, costUsd });
const working = () => aRun([{ id: "a" }, { id: "b", dependencies: ["a"] }]).starts("a");

function sessions(...parts: readonly { model: string | null; harness: string; used: number }[]): RunEvent[] {
  return parts.flatMap(({ model, harness, used }, index): RunEvent[] => {
    const session = `a-1-${index}`;
    const started = { ...one, session, harness, model, prompt: "stage", marker: "m", tree: "/t" } as const;
    return [
      { type: "session-started", ...started },
      {
        type: "session-ended",
        ...one,
        session,
        state: "context-exhausted",
        exitCode: 0,
        signal: null,
        durationMs: 1,
        usage: usage(used, 0.5),
        context: { used: 700, window: 1_000 },
      },
    ];
  });
}

function told(events: readonly RunEvent[]) {
  const story = working();
  for (const event of events) story.add(runEventSchema.parse(event));
  return { run: story.run, record: stageOf(story.run, "a") };
}

describe("what a ledger knows of the sandbox", () => {
  const again = { at: one.at, stage: "a", attempt: 2 } as const;
  const before = () => aRun([{ id: "a" }]).add({ type: "stage-queued", ...one, notBefore: null });
  const start = (sandbox?: string): RunEvent =>
    runEventSchema.parse({ type: "attempt-started", ...one, claim: "c", base: "b", sandbox });

  it("is whether a stage ever had none, in whatever attempt", () => {
    const unconfined = (...events: readonly RunEvent[]): boolean => {
      const story = before();
      for (const event of events) story.add(event);
      return stageOf(story.run, "a").unconfined;
    };
    expect(unconfined(start("bubblewrap"))).toBe(false);
    // Ledgers of before.
    expect(unconfined(start())).toBe(false);
    expect(unconfined(start("off"))).toBe(true);
    const stopped = { type: "attempt-interrupted", ...one, reason: "stopped" } as const;
    const queued = { type: "stage-queued", ...one, notBefore: null } as const;
    const resumed = (sandbox: string): RunEvent => ({ type: "attempt-resumed", ...one, claim: "d", sandbox });
    expect(unconfined(start("bubblewrap"), stopped, queued, resumed("off"))).toBe(true);
    expect(unconfined(start("off"), stopped, queued, resumed("bubblewrap"))).toBe(true);
    expect(
      unconfined(
        start("off"),
        { type: "attempt-failed", ...one, failure: failure("checks-failed", "It failed."), verdict: null },
        { type: "stage-queued", ...again, notBefore: null },
        { type: "attempt-started", ...again, claim: "e", base: "b", sandbox: "container" },
      ),
    ).toBe(true);
  });
});

describe("what a ledger knows of sessions", () => {
  it("adds up what they used, by harness and model, the small model's questions included", () => {
    const { record } = told([
      ...sessions(
        { harness: "claude", model: "opus", used: 10 },
        { harness: "claude", model: "opus", used: 5 },
        { harness: "codex", model: null, used: 7 },
      ),
      { type: "small-model-used", ...one, harness: "claude", model: "haiku", usage: usage(2, 0.1) },
    ]);
    expect(Object.fromEntries(record.usageBy)).toEqual({
      "claude/opus": { inputTokens: 15, outputTokens: 2, costUsd: 1 },
      codex: { inputTokens: 7, outputTokens: 1, costUsd: 0.5 },
      "claude/haiku": { inputTokens: 2, outputTokens: 1, costUsd: 0.1 },
    });
    expect(record.usage?.inputTokens).toBe(24);
    expect(record.session).toMatchObject({
      state: "context-exhausted",
      context: { used: 700, window: 1_000 },
    });
  });

  it("takes the model's name from the CLI where nobody asked for one, and tells a pause from an end", () => {
    const [started, ended] = sessions({ harness: "codex", model: null, used: 3 });
    if (started?.type !== "session-started" || ended?.type !== "session-ended") throw new Error("no session");
    const { record } = told([started, { ...ended, state: "paused", model: "gpt-5.5" }]);
    expect(record.session).toMatchObject({ state: "paused", model: "gpt-5.5" });
    expect([...record.usageBy.keys()]).toEqual(["codex/gpt-5.5"]);
  });

  it("keeps a hand-off until the attempt has a commit, and counts them per attempt", () => {
    const handOff = { type: "handed-off", ...one, session: "s", by: "agent", document: "# so far" } as const;
    expect(told([handOff, handOff]).record).toMatchObject({ handOff: "# so far", handOffs: 2 });
    const later = working().add(handOff).fails("a", failure("crashed", "x")).starts("a");
    expect(stageOf(later.run, "a")).toMatchObject({ handOff: null, handOffs: 0 });
    const committed = working().add(handOff).commits("a");
    expect(stageOf(committed.run, "a").handOff).toBeNull();
  });

  it("keeps the report over attempts, warnings and refused hosts for one attempt, each host once", () => {
    const story = working()
      .add({ type: "report-received", ...one, text: "Did it.", downstream: null })
      .add({ type: "attempt-warned", ...one, text: "odd" })
      .add({ type: "hosts-denied", ...one, by: "agent", hosts: ["x.test", "y.test"] })
      .add({ type: "hosts-denied", ...one, by: "checks", hosts: ["y.test"] });
    expect(stageOf(story.run, "a")).toMatchObject({
      report: { text: "Did it." },
      warnings: ["odd"],
      deniedHosts: ["x.test", "y.test"],
    });
    story.fails("a", failure("checks-failed", "x")).starts("a");
    expect(stageOf(story.run, "a")).toMatchObject({
      warnings: [],
      deniedHosts: [],
      report: { text: "Did it." },
    });
  });

  it("remembers for the whole run which harness is out of quota", () => {
    const { run } = told([{ type: "harness-exhausted", ...one, harness: "claude", until: START + 5_000 }]);
    expect(run.exhausted).toEqual(new Map([["claude", START + 5_000]]));
  });

  it("takes a name for a run whose plan has none", () => {
    expect(working().add({ type: "run-named", at: one.at, name: "Teach it to add" }).run.name).toBe(
      "Teach it to add",
    );
  });
});
