import { describe, expect, it } from "vitest";
import { decide } from "../../../../src/core/run/decide.ts";
import type { RunEventOf } from "../../../../src/core/run/events.ts";
import { isOfferStale, stageOf } from "../../../../src/core/run/run.ts";
import { costOf } from "../../../../src/core/run/run-budget.ts";
import { usageByAgent } from "../../../../src/core/run/usage-by-agent.ts";
import { aRun, failure, shaOf } from "../../../support/a-run.ts";
import { planText, type StageFields } from "../../../support/plan-text.ts";

const STAGES: StageFields[] = [{ id: "core" }, { id: "api", dependencies: ["core"] }, { id: "docs" }];
const HOSTED = { hosted: { needsApproval: true } };
const at = "2026-01-31T12:00:00.000Z";

function amended(
  stages: readonly StageFields[],
  more: Partial<RunEventOf<"plan-amended">> & { fields?: Record<string, unknown> } = {},
): RunEventOf<"plan-amended"> {
  const { fields, ...event } = more;
  const text = planText(stages, fields);
  return {
    type: "plan-amended",
    at,
    by: "mia",
    via: "push",
    planText: text,
    head: null,
    blob: null,
    ...event,
  };
}
const offered = (of: string) =>
  ({ type: "plan-offered", at, pr: 2, head: shaOf(of), blob: shaOf(`${of}-plan`) }) as const;
const approved = (of: string) =>
  ({
    type: "run-approved",
    at,
    by: "wes",
    role: "write",
    head: shaOf(of),
    blob: shaOf(`${of}-plan`),
    via: "command",
  }) as const;

describe("a run whose plan was changed", () => {
  it("has the notes about the draft that changed it, and follows the design it had", () => {
    const design = { design: "# A design", designNotes: ["It has no section on risks."] };
    const planning = { task: "plan-1-1", ...design, notes: ["Fixed: a."] };
    const story = aRun(STAGES, { hosted: { needsApproval: true, planning } }).add(offered("one"));
    story.add(amended([{ id: "core" }]));
    expect(story.run.planning).toEqual({ ...planning, notes: [] });
    story.add(amended(STAGES, { via: "command", key: "revise-1-2", notes: ["Fixed: b."] }));
    expect(story.run.planning).toEqual({ ...planning, notes: ["Fixed: b."] });
    const written = aRun(STAGES, HOSTED).add(offered("one"));
    written.add(amended([{ id: "core" }], { via: "command", key: "revise-1-2", notes: [] }));
    expect(written.run.planning).toEqual({ task: "revise-1-2", design: null, notes: [] });
  });

  it("needs another approval, and its offer shows the older plan until it is made again", () => {
    const story = aRun(STAGES, HOSTED).add(offered("one"));
    const fresh = aRun(STAGES, HOSTED)
      .add(offered("one"))
      .add(amended([{ id: "core" }])).run;
    expect(fresh.approval).toEqual({ kind: "awaited", voided: null });

    story.add(approved("one")).add(amended([{ id: "core" }]));
    expect(story.run.approval).toEqual({
      kind: "awaited",
      voided: { kind: "amended", by: "mia" },
    });
    expect([story.run.planVersion, isOfferStale(story.run), decide(story.run, story.now)]).toEqual([
      2,
      true,
      [],
    ]);
    story.add(offered("two"));
    expect([isOfferStale(story.run), story.run.offer?.head]).toEqual([false, shaOf("two")]);
    story.add(approved("two"));
    expect(decide(story.run, story.now)).toEqual([
      { kind: "queue", stage: "core", attempt: 1, notBefore: null },
    ]);
    expect([...story.run.stages.keys()]).toEqual(["core"]);
  });

  it("keeps what is finished and what says the same, whatever it is called now", () => {
    const story = aRun(STAGES).starts("core").passes("core").starts("api").starts("docs");
    const { core, api, docs } = Object.fromEntries(story.run.stages);
    story.add(
      amended([
        { id: "docs", name: "All the documents" },
        { id: "core", name: "The core" },
        { id: "api", dependencies: ["core"] },
      ]),
    );
    const { stages } = story.run;
    expect(stageOf(story.run, "core")).toEqual({ ...core, plan: stages.get("core")?.plan });
    expect(stageOf(story.run, "api")).toEqual({ ...api, plan: stages.get("api")?.plan });
    expect(stageOf(story.run, "docs")).toEqual({ ...docs, plan: stages.get("docs")?.plan });
    expect([...stages.values()].map(({ plan }) => plan.name)).toEqual([
      "All the documents",
      "The core",
      "api",
    ]);
  });

  it("starts a stage over that says something else, under a number that nobody has used", () => {
    const story = aRun(STAGES).starts("docs").commits("docs").fails("docs", failure("checks-failed", "Red."));
    story.queues("docs");
    const before = stageOf(story.run, "docs");
    expect([before.kept, before.state]).toMatchObject([
      { base: shaOf("base") },
      { kind: "queued", attempt: 2 },
    ]);
    story.add(amended([{ id: "core" }, { id: "docs", description: "Write less." }]));
    const after = stageOf(story.run, "docs");
    expect(after).toMatchObject({
      state: { kind: "waiting-for-deps" },
      attempts: 2,
      firstAttempt: 3,
      kept: null,
      failures: [],
      usage: before.usage,
      startedAt: before.startedAt,
    });
    expect(decide(story.run, story.now)).toContainEqual({
      kind: "queue",
      stage: "docs",
      attempt: 3,
      notBefore: null,
    });
  });

  it("counts what a stage has used that is gone, and knows it when it comes back", () => {
    const story = aRun(STAGES).starts("docs").commits("docs");
    const [cost, agents] = [costOf(story.run), usageByAgent(story.run)];
    expect(cost).toBeGreaterThan(0);
    story.add(amended(STAGES.slice(0, 2)));
    expect([costOf(story.run), usageByAgent(story.run)]).toEqual([cost, agents]);
    expect([...story.run.removed.keys()]).toEqual(["docs"]);
    story.add(amended(STAGES));
    expect([costOf(story.run), story.run.removed.size]).toEqual([cost, 0]);
    expect(stageOf(story.run, "docs")).toMatchObject({ attempts: 1, state: { kind: "waiting-for-deps" } });
  });

  it("leaves no branch behind that its own work would not be known on", () => {
    const story = aRun(STAGES).starts("docs").commits("docs").verifies("docs");
    const { commit } = stageOf(story.run, "docs");
    story.add(amended([{ id: "docs", description: "Other." }]));
    expect(stageOf(story.run, "docs").branch).toEqual({ name: "loom/calc-3f2a1b/docs", tip: commit });
  });

  it("goes on after an end that the change undoes", () => {
    const story = aRun(STAGES)
      .starts("core")
      .fails("core", failure("refused", "No."))
      .blocks("core", failure("refused", "No."))
      .blocks("api", failure("dependency", "It waits for core."))
      .finishes("blocked");
    story.add(
      amended([
        { id: "core", description: "Another way." },
        { id: "api", dependencies: ["core"] },
      ]),
    );
    expect([story.run.status, story.run.finishedAt]).toEqual(["running", null]);
    expect([...story.run.stages.values()].map(({ state }) => state.kind)).toEqual([
      "waiting-for-deps",
      "waiting-for-deps",
    ]);
  });

  it("lets what comes after everything wait again when something came", () => {
    const stages = [{ id: "one" }, { id: "sum", synthesis: true }];
    const story = aRun(stages).starts("one").passes("one").starts("sum");
    story.add(amended([...stages, { id: "two" }]));
    expect(stageOf(story.run, "sum").state.kind).toBe("waiting-for-deps");
  });

  it("proves again what was proved by another gate, and takes its gate, its care and its limits from the new plan", () => {
    const story = aRun(STAGES, { hosted: { gate: ["make test"], alsoGate: ["make lint"] } });
    story.starts("docs").commits("docs").verifies("docs");
    const fields = { gate: ["npm test"], merge: "review" };
    story.add(amended(STAGES, { fields, maxParallel: 2, budgetUsd: 3 }));
    const { gate, merge, settings } = story.run;
    expect([
      gate.map(({ command }) => command),
      merge.mode,
      settings.maxParallel,
      settings.budgetUsd,
    ]).toEqual([["npm test", "make lint"], "review", 2, 3]);
    expect(stageOf(story.run, "docs")).toMatchObject({ verdict: null, state: { phase: "committed" } });
    story.add(amended(STAGES));
    expect(story.run.gate.map(({ command }) => command)).toEqual(["make test", "make lint"]);
    expect(story.run.merge.mode).toBe("review");
  });

  it("remembers an edit that it can't follow until there is a better one", () => {
    const story = aRun(STAGES, HOSTED).add(offered("one")).add(approved("one"));
    story.add({
      type: "plan-edit-refused",
      at,
      by: "mia",
      head: shaOf("two"),
      blob: null,
      problems: ["No."],
    });
    expect([story.run.refusedEdit?.problems, story.run.planVersion, story.run.approval.kind]).toEqual([
      ["No."],
      1,
      "awaited",
    ]);
    story.add(amended([{ id: "core" }]));
    expect(story.run.refusedEdit).toBe(null);
  });

  it("can't be made to forget what is finished", () => {
    const story = aRun(STAGES).starts("core").passes("core");
    expect(() => story.add(amended([{ id: "docs" }]))).toThrow(
      `{"kind":"removed","stage":"core","standing":{"kind":"merged"}}`,
    );
    expect(() => story.add({ ...amended([]), planText: "no plan" })).toThrow("does not load");
  });
});
