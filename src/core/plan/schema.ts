import * as z from "zod";
import { table } from "../table.ts";
import { sandboxSchema } from "./sandbox-schema.ts";
import { amount, count, filled, flag, listOf, seconds, text, WEEK } from "./schema-parts.ts";

/**
 * The shape of a plan as people write it, with every spelling that is accepted. Which spelling wins, what is filled in
 * and what else has to hold is decided in read-stage.ts, read-plan.ts and rules.ts. Keys that are not listed here are
 * reported by known-keys.ts; they do not make the shape wrong.
 *
 * Every message goes on after the name of the field: "`retries` must be …".
 */

const MAX_COMMAND = 100_000;

const command = filled.refine((value) => value.length <= MAX_COMMAND, {
  error: `must not be longer than ${MAX_COMMAND} characters`,
});

const output = {
  exit_code: count(0, 255).optional(),
  expected_exit_code: count(0, 255).optional(),
  stdout_contains: listOf(filled).optional(),
  expected_output: listOf(filled).optional(),
  stdout_not_contains: listOf(filled).optional(),
  stderr_empty: flag.optional(),
};

const checkFields = {
  command: command.optional(),
  run: command.optional(),
  description: text.optional(),
  name: text.optional(),
  timeout: seconds.optional(),
  timeout_secs: seconds.optional(),
  ...output,
  /** How wiring tests of the wild format say it. */
  success_criteria: z.object(output, { error: "must be a mapping" }).optional(),
};

/** A command alone means the command with exit code 0; `true` and `false` are commands. */
const check = z.preprocess(
  (value) => (typeof value === "string" || typeof value === "boolean" ? { command: String(value) } : value),
  z
    .object(checkFields, { error: "must be a command, or a mapping with `command`" })
    .refine(({ command, run }) => command !== undefined || run !== undefined, {
      error: "has a check without `command`; a command with a colon and a space in it has to stand in quotes",
    }),
);
const checks = listOf(check);

/** Also a mapping of lists, whose names do not matter. */
const groupedChecks = z.preprocess((value) => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const groups = Object.values(value);
  return "command" in value || "run" in value || !groups.every(Array.isArray) ? value : groups.flat();
}, checks);

const wiringFields = {
  source: filled,
  pattern: filled,
  description: text.optional(),
  literal: flag.optional(),
};
const regressionFields = {
  file: filled.optional(),
  must_contain: listOf(filled).optional(),
  command: command.optional(),
};
const budgetFields = {
  wall_clock_secs: amount("a number of seconds").optional(),
  tokens: amount("a number").optional(),
  cost_usd: amount("an amount").optional(),
};
const mergeFields = { mode: filled.optional() };

export const stageFields = {
  id: text.optional(),
  name: text.optional(),
  title: text.optional(),
  description: text.optional(),
  objective: text.optional(),
  dependencies: listOf(text).optional(),
  depends_on: listOf(text).optional(),
  blocked_by: listOf(text).optional(),
  agent: filled.optional(),
  agents: listOf(filled).optional(),
  // In the wild format this is a list of globs and means something else.
  harness: z.preprocess((value) => (Array.isArray(value) ? undefined : value), filled.optional()).optional(),
  model: filled.optional(),
  effort: filled.optional(),
  reasoning_effort: filled.optional(),
  stage_type: filled.optional(),
  type: filled.optional(),
  files: listOf(text).optional(),
  files_to_modify: listOf(text).optional(),
  files_to_create: listOf(text).optional(),
  working_dir: text.optional(),
  setup: listOf(command).optional(),
  acceptance: checks.optional(),
  validation: checks.optional(),
  truths: checks.optional(),
  truth_checks: checks.optional(),
  wiring_tests: checks.optional(),
  artifacts: listOf(text).optional(),
  wiring: listOf(z.object(wiringFields, { error: "must be a mapping" })).optional(),
  before: groupedChecks.optional(),
  before_stage: groupedChecks.optional(),
  after: groupedChecks.optional(),
  after_stage: groupedChecks.optional(),
  bug_fix: flag.optional(),
  regression_test: z
    .preprocess(
      (value) => (typeof value === "string" ? { file: value } : value),
      z.object(regressionFields, { error: "must be a mapping with `file`" }),
    )
    .optional(),
  context_budget: count(1, 100).optional(),
  timeout_secs: seconds.optional(),
  timeout: seconds.optional(),
  no_progress_secs: z
    .number({ error: "must be a number" })
    .min(0, { error: "must be 0 or more" })
    .max(WEEK, { error: "must be a week (604800 seconds) at most" })
    .optional(),
  retries: count(0, 100).optional(),
  max_retries: count(0, 100).optional(),
  runs_on: filled.optional(),
  sandbox: sandboxSchema.optional(),
  critical: flag.optional(),
  is_critical_path: flag.optional(),
  synthesis: flag.optional(),
  is_synthesis: flag.optional(),
  allow_no_change: flag.optional(),
};

export const planFields = {
  version: text.optional(),
  name: text.optional(),
  complexity: filled.optional(),
  task_complexity: filled.optional(),
  gate: z
    .preprocess((value) => {
      if (value === false || value === "off" || value === "none") return [];
      return value === true || value === "auto" ? undefined : value;
    }, checks.optional())
    .optional(),
  max_parallel: count(1, 1000).optional(),
  merge: z
    .preprocess(
      (value) => (typeof value === "string" ? { mode: value } : value),
      z.object(mergeFields, { error: "must be `auto`, `review` or a mapping with `mode`" }),
    )
    .optional(),
  auto_merge: flag.optional(),
  budget: z.object(budgetFields, { error: "must be a mapping" }).optional(),
  sandbox: sandboxSchema.optional(),
};

export const stageSchema = z.object(stageFields, { error: "must be a mapping that begins with `id:`" });
export const planSchema = z.object(planFields, { error: "must be a mapping" });

export type WrittenStage = z.infer<typeof stageSchema>;
export type WrittenPlan = z.infer<typeof planSchema>;
export type WrittenCheck = z.infer<typeof check>;

/** The keys below a field that is a mapping, or a list of mappings. */
export const NESTED_KEYS: Readonly<Record<string, ReadonlySet<string>>> = table({
  ...Object.fromEntries(
    [
      "acceptance",
      "validation",
      "truths",
      "truth_checks",
      "wiring_tests",
      "before",
      "before_stage",
      "after",
      "after_stage",
      "gate",
    ].map((field) => [field, new Set(Object.keys(checkFields))]),
  ),
  wiring: new Set(Object.keys(wiringFields)),
  regression_test: new Set(Object.keys(regressionFields)),
  merge: new Set(Object.keys(mergeFields)),
  budget: new Set(Object.keys(budgetFields)),
});
