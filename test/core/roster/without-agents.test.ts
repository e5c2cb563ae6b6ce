import { expect, it } from "vitest";
import { agentList, agentsFor } from "../../../src/core/roster/agent-list.ts";
import { findAgent } from "../../../src/core/roster/roster.ts";
import { withoutAgents } from "../../../src/core/roster/without-agents.ts";
import { loadRoster } from "../../../src/wiring/load-roster.ts";
import { aStage } from "../../support/check-values.ts";

const ROSTER = loadRoster();

it("takes agents out of what can be planned for, by either spelling, and keeps them for what was accepted", () => {
  const first = withoutAgents(ROSTER, ["seo_specialist", "nobody"]);
  const second = withoutAgents(first, ["Coder", "coder"]);
  expect([first.agents.size, second.agents.size]).toEqual([21, 20]);
  expect([...first.disabled.keys()]).toEqual(["seo-specialist"]);
  expect([...second.disabled.keys()]).toEqual(["seo-specialist", "coder"]);
  expect(findAgent(second, "coder")).toBe(ROSTER.agents.get("coder"));
  expect(agentList(second).get("coder")).toEqual({ readOnly: false, disabled: true });
  expect(second.skills).toBe(ROSTER.skills);
  expect(withoutAgents(ROSTER, ["nobody"])).toBe(ROSTER);
});

it("tells the rules of a plan who can only read", () => {
  const readers = [...agentList(ROSTER)].filter(([, { readOnly }]) => readOnly).map(([name]) => name);
  expect(readers).toEqual([
    "accessibility-specialist",
    "api-designer",
    "architect",
    "code-reviewer",
    "compliance-reviewer",
    "content-strategist",
    "debugger",
    "performance-engineer",
    "security-engineer",
    "seo-specialist",
  ]);
});

it("leaves stages of a run their agents, and keeps them from all others", () => {
  const stages = [
    aStage({ id: "one", agent: "coder" }),
    aStage({ id: "two", agent: "long-gone" }),
    aStage({ id: "three", agent: "refactor" }),
    aStage({ id: "four", agent: null }),
  ];
  const agents = agentsFor(ROSTER, ["coder", "tester"], stages);
  expect(["coder", "long-gone", "tester", "refactor"].map((name) => agents.get(name))).toEqual([
    { readOnly: false, disabled: true, keptBy: new Set(["one"]) },
    { readOnly: false, disabled: true, keptBy: new Set(["two"]) },
    { readOnly: false, disabled: true },
    { readOnly: false },
  ]);
  expect(agentsFor(ROSTER, ["coder"]).get("coder")).toEqual({ readOnly: false, disabled: true });
});
