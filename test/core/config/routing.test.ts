import { describe, expect, it } from "vitest";
import { parseRoutes } from "../../../src/core/config/parse-routes.ts";
import {
  chooseRoute,
  type Route,
  routeFor,
  routeRoleOf,
  routeSchema,
  tierOf,
} from "../../../src/core/config/routing.ts";
import type { StagePlan } from "../../../src/core/plan/plan.ts";
import { aStage } from "../../support/check-values.ts";

function routesOf(text: string): readonly Route[] {
  const { routes, problems } = parseRoutes(text);
  expect(problems).toEqual([]);
  return routes;
}

describe("LOOM_ROUTES", () => {
  it("names harness, model and effort by role and tier", () => {
    expect(
      routesOf("review=codex:gpt-5.5@high, work/low=claude:sonnet, small=:haiku, *=@low, planning=gemini,"),
    ).toMatchInlineSnapshot(`
        [
          {
            "effort": "high",
            "harness": "codex",
            "model": "gpt-5.5",
            "role": "review",
            "tier": "*",
          },
          {
            "effort": null,
            "harness": "claude",
            "model": "sonnet",
            "role": "work",
            "tier": "low",
          },
          {
            "effort": null,
            "harness": null,
            "model": "haiku",
            "role": "small",
            "tier": "*",
          },
          {
            "effort": "low",
            "harness": null,
            "model": null,
            "role": "*",
            "tier": "*",
          },
          {
            "effort": null,
            "harness": "gemini",
            "model": null,
            "role": "planning",
            "tier": "*",
          },
        ]
      `);
  });

  it("leaves models their own signs", () => {
    const [one, two] = routesOf("work=opencode:local/qwen:7b, review=claude:claude-opus@20250101@high");
    expect([one?.model, two?.model, two?.effort]).toEqual(["local/qwen:7b", "claude-opus@20250101", "high"]);
  });

  it("gives routes that a ledger can keep", () => {
    for (const route of routesOf("review=codex:gpt-5.5@high, *=claude")) {
      expect(routeSchema.parse(JSON.parse(JSON.stringify(route)))).toEqual(route);
    }
  });

  it("has each wrong part told and the others kept", () => {
    const { routes, problems } = parseRoutes(
      "review, reveiw=codex, cook=codex, work/hard=codex, work/low/x=codex, work=, work=sonnet, work=cluade:opus, review=codex:a b, small=:x, small=:y",
    );
    expect(routes.map(({ role, model }) => [role, model])).toEqual([["small", "x"]]);
    expect(problems).toMatchInlineSnapshot(`
      [
        "\`review\` is not a route such as \`review=codex:gpt-5.5@high\`.",
        "\`reveiw\` is not a role, did you mean \`review\`?",
        "\`cook\` is not a role, there are \`work\`, \`review\`, \`conflict\`, \`investigate\`, \`planning\`, \`small\` and \`*\`.",
        "\`work/hard\` is not a role with a tier; write, for example, \`work/low\`, with \`low\`, \`medium\` or \`high\`.",
        "\`work/low/x\` is not a role with a tier; write, for example, \`work/low\`, with \`low\`, \`medium\` or \`high\`.",
        "\`work=\` names neither a harness nor a model nor an effort.",
        "\`sonnet\` in \`work=sonnet\` is not a harness; a model of the usual harness is written \`:sonnet\`.",
        "\`cluade\` in \`work=cluade:opus\` is not a harness, did you mean \`claude\`?",
        "\`review=codex:a b\` has a space in it.",
        "\`small=:y\` comes after another route for the same work.",
      ]
    `);
  });
});

describe("the route of some work", () => {
  it("is that of its role and tier", () => {
    const routes = routesOf("work/low=:a, work/high=:b, work=:c, *=:d");
    expect(chooseRoute(routes, "work", "low")?.model).toBe("a");
    expect(chooseRoute(routes, "work", "high")?.model).toBe("b");
    expect(chooseRoute(routes, "work", "medium")?.model).toBe("c");
    expect(chooseRoute(routes, "review", "low")?.model).toBe("d");
  });

  it("is that of the next higher tier where a tier has none, and never that of a lower one", () => {
    expect(chooseRoute(routesOf("work/medium=:m, work/high=:h"), "work", "low")?.model).toBe("m");
    expect(chooseRoute(routesOf("work/low=:cheap"), "work", "medium")).toBeNull();
    expect(chooseRoute(routesOf("work/low=:cheap, */high=:good"), "work", "medium")?.model).toBe("good");
  });

  it("is the first of two", () => {
    expect(chooseRoute([...routesOf("work=:a"), ...routesOf("work=:b")], "work", "low")?.model).toBe("a");
  });
});

describe("role and tier of a stage", () => {
  it("follow from its type and from what the session is for", () => {
    expect(routeRoleOf(aStage({}), "stage")).toBe("work");
    expect(routeRoleOf(aStage({ type: "knowledge" }), "knowledge")).toBe("work");
    expect(routeRoleOf(aStage({ type: "code-review" }), "retry")).toBe("review");
    expect(routeRoleOf(aStage({ type: "investigate" }), "stage")).toBe("investigate");
    expect(routeRoleOf(aStage({ type: "code-review" }), "merge-conflict")).toBe("conflict");
  });

  it("are its own effort, else the plan's complexity", () => {
    expect(tierOf("low", "complex")).toBe("low");
    expect([tierOf(null, "simple"), tierOf(null, "medium"), tierOf(null, "complex")]).toEqual([
      "low",
      "medium",
      "high",
    ]);
    expect(tierOf(null, null)).toBe("medium");
  });
});

describe("who does a stage", () => {
  const who = (stage: Partial<StagePlan>, routes = "", settings: { harnessWins?: boolean } = {}) =>
    routeFor({
      plan: aStage(stage),
      complexity: null,
      settings: { harness: "claude", harnessWins: false, routes: routesOf(routes), ...settings },
      role: "work",
    });

  it("is the usual harness with its own model when nobody says anything", () => {
    expect(who({})).toEqual({ harness: "claude", model: null, effort: "medium" });
  });

  it("is what the route says, and before it what the stage says", () => {
    const route = "work=codex:gpt-5.5@high";
    expect(who({}, route)).toEqual({ harness: "codex", model: "gpt-5.5", effort: "high" });
    expect(who({ model: "gpt-5-mini", effort: "low" }, route)).toEqual({
      harness: "codex",
      model: "gpt-5-mini",
      effort: "low",
    });
    expect(who({ harness: "gemini", model: "gemini-pro" }, route)).toEqual({
      harness: "gemini",
      model: "gemini-pro",
      effort: "high",
    });
  });

  it("leaves a model behind that was chosen for another harness", () => {
    expect(who({ harness: "gemini" }, "work=codex:gpt-5.5").model).toBeNull();
    expect(who({ harness: "codex", model: "gpt-5.5" }, "", { harnessWins: true })).toMatchObject({
      harness: "claude",
      model: null,
    });
    expect(who({ model: "opus" }, "work=codex:gpt-5.5")).toMatchObject({
      harness: "codex",
      model: "gpt-5.5",
    });
    expect(who({ harness: "opencode", model: "anthropic/claude-opus" }).model).toBe("anthropic/claude-opus");
    expect(who({ harness: "opencode" }, "work=:sonnet").model).toBeNull();
    expect(who({ harness: "command", model: "opus" }).model).toBe("opus");
    expect(who({ model: "of-my-own" }, "work=codex").model).toBe("of-my-own");
  });

  it("is the harness of the command line whatever stages and routes name", () => {
    expect(who({ harness: "codex" }, "work=gemini:gemini-pro@low", { harnessWins: true })).toEqual({
      harness: "claude",
      model: null,
      effort: "low",
    });
  });

  it("thinks harder when it plans", () => {
    const settings = { harness: "claude", harnessWins: false };
    const planning = { plan: null, complexity: null, role: "planning" as const };
    expect(routeFor({ ...planning, settings }).effort).toBe("high");
    expect(routeFor({ ...planning, settings: { ...settings, planEffort: "low" } }).effort).toBe("low");
    expect(routeFor({ ...planning, settings: { ...settings, effort: "low" }, role: "small" }).effort).toBe(
      "low",
    );
  });
});
