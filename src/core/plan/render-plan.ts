import { stringify } from "yaml";
import {
  type CommandCheck,
  DEFAULT_CHECK_TIMEOUT_SECS,
  DEFAULT_CONTEXT_BUDGET,
  type Plan,
  type StagePlan,
} from "./plan.ts";
import { sandboxFields } from "./read/read-sandbox.ts";

/** The plan as one document in the plan format; it parses to the same plan. What equals the default is left out. */
export function renderPlan(plan: Plan): string {
  const heading = plan.name === null ? "" : `# ${plan.name}\n\n`;
  return `${heading}\`\`\`\`yaml\n${renderPlanBlock(plan)}\`\`\`\`\n`;
}

/** What stands inside of the code block, with `loom:` on its top level. */
export function renderPlanBlock(plan: Plan): string {
  const { gate, ...fields } = planFields(plan);
  const loom = { version: 1, ...fields, stages: plan.stages.map(stageFields), ...(gate ? { gate } : {}) };
  return stringify({ loom }, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** What a plan says besides its stages, by the names that people write. An empty gate is a wish, and stays. */
export function planFields(plan: Plan): Record<string, unknown> {
  const fields = prune({
    complexity: plan.complexity,
    max_parallel: plan.maxParallel,
    merge: plan.merge.mode === "auto" ? null : { mode: plan.merge.mode },
    budget: prune({
      wall_clock_secs: plan.budget.wallClockSecs,
      tokens: plan.budget.tokens,
      cost_usd: plan.budget.costUsd,
    }),
    sandbox: pruneDeep(sandboxFields(plan.sandbox)),
  });
  return plan.gate === null ? fields : { ...fields, gate: plan.gate.map(checkFields) };
}

/** A stage by the names that people write. */
export function stageFields(stage: StagePlan): Record<string, unknown> {
  return prune({
    id: stage.id,
    name: stage.name,
    description: stage.description,
    dependencies: stage.dependencies,
    agent: stage.agent,
    harness: stage.harness,
    model: stage.model,
    effort: stage.effort,
    // Also when it is the usual one: where it is missing, some ids are taken for a type.
    stage_type: stage.type,
    files: stage.files,
    working_dir: stage.workingDir === "." ? null : stage.workingDir,
    setup: stage.setup,
    acceptance: stage.acceptance.map(checkFields),
    truths: stage.truths.map(checkFields),
    artifacts: stage.artifacts,
    wiring: stage.wiring.map((wire) => prune({ ...wire })),
    before: stage.before.map(checkFields),
    after: stage.after.map(checkFields),
    bug_fix: stage.bugFix || null,
    regression_test:
      stage.regressionTest &&
      prune({
        file: stage.regressionTest.file,
        must_contain: stage.regressionTest.mustContain,
        command: stage.regressionTest.command,
      }),
    context_budget: stage.contextBudget === DEFAULT_CONTEXT_BUDGET ? null : stage.contextBudget,
    timeout_secs: stage.timeoutSecs,
    no_progress_secs: stage.noProgressSecs,
    retries: stage.retries,
    runs_on: stage.runsOn,
    sandbox: pruneDeep(sandboxFields(stage.sandbox)),
    critical: stage.critical || null,
    synthesis: stage.synthesis || null,
    allow_no_change: stage.allowNoChange || null,
  });
}

/** A command that just has to end well is written as people write it. */
function checkFields(check: CommandCheck): Record<string, unknown> | string {
  const fields = prune({
    command: check.command,
    description: check.description,
    timeout_secs: check.timeoutSecs === DEFAULT_CHECK_TIMEOUT_SECS ? null : check.timeoutSecs,
    exit_code: check.exitCode === 0 ? null : check.exitCode,
    stdout_contains: check.stdoutContains,
    stdout_not_contains: check.stdoutNotContains,
    stderr_empty: check.stderrEmpty || null,
  });
  return Object.keys(fields).join() === "command" ? check.command : fields;
}

function prune(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isVoid(value)));
}

function pruneDeep(fields: Record<string, unknown>): Record<string, unknown> {
  const pruned = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === "object" && value !== null && !Array.isArray(value) ? pruneDeep({ ...value }) : value,
  ]);
  return prune(Object.fromEntries(pruned));
}

function isVoid(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}
