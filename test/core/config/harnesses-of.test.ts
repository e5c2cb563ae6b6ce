import { describe, expect, it } from "vitest";
import { harnessesOf, harnessOfWork } from "../../../src/core/config/harnesses-of.ts";
import type { RunSettings } from "../../../src/core/config/run-settings.ts";
import type { StagePlan } from "../../../src/core/plan/plan.ts";
import { aRun } from "../../support/a-run.ts";
import { aPlan, aStage } from "../../support/check-values.ts";

const settings = (parts: Partial<RunSettings> = {}): RunSettings => ({
  ...aRun([{ id: "a" }]).run.settings,
  harness: "claude",
  ...parts,
});
const needed = (stages: readonly Partial<StagePlan>[], parts: Partial<RunSettings> = {}) =>
  harnessesOf({ ...aPlan(aStage({})), stages: stages.map((stage) => aStage(stage)) }, settings(parts));

describe("harnessesOf", () => {
  it("names each that a stage or a route asks for, once", () => {
    expect(needed([{ harness: null }, { harness: "codex" }, { harness: null }])).toEqual(["claude", "codex"]);
    const review = { role: "review", tier: "*", harness: "gemini", model: null, effort: null } as const;
    expect(needed([{ type: "code-review", harness: null }], { routes: [review] })).toEqual([
      "gemini",
      "claude",
    ]);
  });

  it("heeds a wish from the command line over all of them", () => {
    expect(needed([{ harness: "codex" }], { harness: "opencode", harnessWins: true })).toEqual(["opencode"]);
  });

  it("leaves out what runs on machines with a label of their own", () => {
    expect(needed([{ runsOn: "gpu", harness: "codex" }, { harness: null }])).toEqual(["claude"]);
    expect(needed([{ harness: "codex" }], { runsOn: "linux" })).toEqual([]);
  });
});

describe("harnessOfWork", () => {
  const route = { role: "work", harness: "codex", model: null, effort: null } as const;

  it("is known before there is a plan, unless it depends on how hard the task is", () => {
    expect(harnessOfWork(settings())).toBe("claude");
    expect(harnessOfWork(settings({ routes: [{ ...route, tier: "*" }] }))).toBe("codex");
    expect(harnessOfWork(settings({ routes: [{ ...route, tier: "low" }] }))).toBeNull();
  });

  it("is nobody here where all stages run on machines with a label", () => {
    expect(harnessOfWork(settings({ runsOn: "linux" }))).toBeNull();
  });
});
