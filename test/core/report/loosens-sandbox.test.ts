import { describe, expect, it } from "vitest";
import { NO_SANDBOX_RULES, type SandboxRules } from "../../../src/core/plan/plan.ts";
import { loosensSandbox } from "../../../src/core/report/documents/sandbox-asks.ts";

const { network, filesystem } = NO_SANDBOX_RULES;
const stage = (sandbox: SandboxRules) =>
  ({ sandbox }) as Parameters<typeof loosensSandbox>[0]["stages"][number];
const rules = (more: Partial<SandboxRules>): SandboxRules => ({ ...NO_SANDBOX_RULES, ...more });

describe("a plan that asks for more than others get", () => {
  it.each([
    ["a host for agents", rules({ network: { ...network, allowedDomains: ["a.example"] } })],
    ["a host for set-up commands", rules({ network: { ...network, setup: ["a.example"] } })],
    ["a host for checks", rules({ network: { ...network, checks: ["a.example"] } })],
    ["more to write", rules({ filesystem: { ...filesystem, allowWrite: ["lib/**"] } })],
  ])("is told by %s, in the plan or in one stage", (_what, asked) => {
    expect(loosensSandbox({ sandbox: asked, stages: [] })).toBe(true);
    const stages = [stage(NO_SANDBOX_RULES), stage(asked)];
    expect(loosensSandbox({ sandbox: NO_SANDBOX_RULES, stages })).toBe(true);
  });

  it("is none that only forbids itself something", () => {
    const careful = rules({
      filesystem: { ...filesystem, denyRead: ["secrets/**"], denyWrite: ["src/**"] },
      excludedCommands: ["rm"],
    });
    expect(loosensSandbox({ sandbox: careful, stages: [stage(careful)] })).toBe(false);
  });
});
