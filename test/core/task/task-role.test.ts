import { describe, expect, it } from "vitest";
import { TASK_KINDS } from "../../../src/core/command/task-kinds.ts";
import { routeFor } from "../../../src/core/config/routing.ts";
import { roleOfTask } from "../../../src/core/task/task-role.ts";
import { taskCreated } from "../../support/a-task.ts";

describe("the route of a task", () => {
  it("is that of planning, of looking into something or of reviewing", () => {
    expect(Object.fromEntries(TASK_KINDS.map((kind) => [kind, roleOfTask(kind)]))).toMatchInlineSnapshot(`
      {
        "a11y-audit": "review",
        "ask": "investigate",
        "compliance-check": "review",
        "debug": "investigate",
        "perf-check": "review",
        "plan": "planning",
        "review": "review",
        "revise": "planning",
        "security-audit": "review",
        "seo-audit": "review",
      }
    `);
  });

  it("leads each of them to the agent that the operator chose for it", () => {
    const settings = {
      ...taskCreated("ask").settings,
      routes: [
        {
          role: "planning" as const,
          tier: "*" as const,
          harness: "codex",
          model: "large",
          effort: "high" as const,
        },
        { role: "review" as const, tier: "*" as const, harness: "gemini", model: null, effort: null },
      ],
    };
    const chosen = (["plan", "revise", "review", "security-audit", "debug", "ask"] as const).map((kind) => {
      const { harness, model } = routeFor({
        plan: null,
        complexity: null,
        settings,
        role: roleOfTask(kind),
      });
      return `${kind}: ${harness} ${model ?? "-"}`;
    });
    expect(chosen).toMatchInlineSnapshot(`
      [
        "plan: codex large",
        "revise: codex large",
        "review: gemini -",
        "security-audit: gemini -",
        "debug: claude -",
        "ask: claude -",
      ]
    `);
  });
});
