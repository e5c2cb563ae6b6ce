import { type CommandCheck, NO_SANDBOX_RULES, type Plan, type StagePlan } from "../../src/core/plan/plan.ts";
import { mustExitZero } from "../../src/core/verify/criteria.ts";

/** A stage that asks for nothing, but for what is given. */
export function aStage(parts: Partial<StagePlan>): StagePlan {
  return {
    id: "build-api",
    name: "Build the API",
    description: "",
    dependencies: [],
    agent: null,
    harness: null,
    model: null,
    effort: null,
    type: "standard",
    files: [],
    workingDir: ".",
    setup: [],
    acceptance: [],
    truths: [],
    artifacts: [],
    wiring: [],
    before: [],
    after: [],
    bugFix: false,
    regressionTest: null,
    contextBudget: 65,
    timeoutSecs: null,
    noProgressSecs: null,
    retries: null,
    runsOn: null,
    sandbox: NO_SANDBOX_RULES,
    critical: false,
    synthesis: false,
    allowNoChange: false,
    line: 1,
    ...parts,
  };
}

export function aPlan(stage: StagePlan, gate: readonly CommandCheck[] | null = null): Plan {
  return {
    name: null,
    complexity: null,
    stages: [stage],
    gate,
    maxParallel: null,
    merge: { mode: "auto" },
    budget: { wallClockSecs: null, tokens: null, costUsd: null },
    sandbox: NO_SANDBOX_RULES,
  };
}

export function aCheck(command: string, parts: Partial<CommandCheck> = {}): CommandCheck {
  return { ...mustExitZero(command, 20), ...parts };
}
