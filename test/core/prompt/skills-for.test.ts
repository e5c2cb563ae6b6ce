import { describe, expect, it } from "vitest";
import type { AgentProfile } from "../../../src/core/plan/agent-profile.ts";
import type { StagePlan } from "../../../src/core/plan/plan.ts";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { MAX_SKILLS, skillsFor } from "../../../src/core/prompt/skills-for.ts";
import { SKILL_NAMES } from "../../../src/core/roster/roster.ts";
import { loadRoster } from "../../../src/wiring/load-roster.ts";
import { planText, type StageFields } from "../../support/plan-text.ts";

const ROSTER = loadRoster();
const KINDS = ["stage", "retry", "recovery", "hand-off", "merge-conflict"] as const;

function aStage(fields: Partial<StageFields>): StagePlan {
  const { plan } = parsePlan(planText([{ id: "one", ...fields }]), { origin: "elsewhere" });
  const stage = plan?.stages[0];
  if (!stage) throw new Error("no stage");
  return stage;
}

function agent(name: string): AgentProfile {
  const profile = ROSTER.agents.get(name);
  if (!profile) throw new Error(`no agent ${name}`);
  return profile;
}

describe("the skills of a session", () => {
  it("go by the kind of stage", () => {
    const of = (fields: Partial<StageFields>) => skillsFor(aStage(fields), "stage", null);
    expect(of({})).toEqual([]);
    expect(of({ acceptance: ["npm test"] })).toEqual(["validation"]);
    expect(of({ truths: ["npm start"] })).toEqual(["validation"]);
    expect(of({ effort: "high", acceptance: ["npm test"] })).toEqual(["execution", "validation"]);
    expect(of({ stage_type: "code-review" })).toEqual(["code-review"]);
    expect(of({ stage_type: "integration-verify", acceptance: ["npm test"] })).toEqual(["validation"]);
    expect(of({ stage_type: "knowledge" })).toEqual([]);
    expect(of({ stage_type: "investigate" })).toEqual([]);
  });

  it("go by what the session goes on with", () => {
    const stage = aStage({ acceptance: ["npm test"] });
    expect(skillsFor(stage, "hand-off", null)).toEqual(["session-management", "validation"]);
    expect(skillsFor(stage, "recovery", null)).toEqual(["session-management", "validation"]);
    expect(skillsFor(stage, "retry", null)).toEqual(["validation"]);
    expect(skillsFor(stage, "merge-conflict", agent("coder"))).toEqual(["validation"]);
  });

  it("are also those of its agent", () => {
    expect(skillsFor(aStage({}), "stage", agent("refactor"))).toEqual(["delegation"]);
    expect(skillsFor(aStage({ acceptance: ["npm test"] }), "stage", agent("coder"))).toEqual([
      "execution",
      "validation",
    ]);
  });

  it("are those that its tools are enough for", () => {
    const checked = aStage({ effort: "high", acceptance: ["npm test"] });
    expect(skillsFor(checked, "stage", agent("copywriter"))).toEqual(["execution"]);
    expect(skillsFor(checked, "stage", agent("architect"))).toEqual(["implementation-planning"]);
    expect(skillsFor(checked, "stage", agent("debugger"))).toEqual(["validation"]);
    expect(skillsFor(checked, "recovery", { ...agent("copywriter"), skills: ["validation"] })).toEqual([
      "session-management",
      "execution",
    ]);
    expect(skillsFor(checked, "merge-conflict", agent("copywriter"))).toEqual(["validation", "execution"]);
  });

  it("are three at most and each of them once, whoever does what", () => {
    const greedy = { ...agent("coder"), skills: [...SKILL_NAMES] };
    const stages = (
      ["standard", "code-review", "integration-verify", "investigate", "knowledge"] as const
    ).map((stage_type) => aStage({ stage_type, effort: "high", acceptance: ["npm test"] }));
    for (const stage of stages)
      for (const kind of KINDS)
        for (const who of [null, greedy, ...ROSTER.agents.values()]) {
          const skills = skillsFor(stage, kind, who);
          expect(new Set(skills).size).toBe(skills.length);
          expect(skills.length).toBeLessThanOrEqual(MAX_SKILLS);
        }
  });
});
