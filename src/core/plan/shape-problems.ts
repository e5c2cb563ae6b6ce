import type { z } from "zod";
import { table } from "../table.ts";
import type { Path } from "./read/read-yaml.ts";
import { placeOf, seenInstead } from "./read/seen-instead.ts";
import type { Reporter } from "./report-problems.ts";

/** What a right value looks like, for the advice behind a wrong one. */
const EXAMPLES: Readonly<Record<string, string>> = table({
  acceptance: "acceptance: [npm test]",
  after: "after: [npm run smoke]",
  agent: "agent: coder",
  allow_no_change: "allow_no_change: true",
  allow_write: "allow_write: [docs/**]",
  allowed_domains: "allowed_domains: [packages.example.com]",
  artifacts: "artifacts: [src/auth/*.ts]",
  auto_merge: "auto_merge: true",
  before: "before: [test ! -e src/auth]",
  budget: "budget: { wall_clock_secs: 7200, tokens: 2000000, cost_usd: 20 }",
  bug_fix: "bug_fix: true",
  context_budget: "context_budget: 65",
  cost_usd: "cost_usd: 20",
  critical: "critical: true",
  deny_read: "deny_read: [secrets/**]",
  deny_write: "deny_write: [db/migrations/**]",
  dependencies: "dependencies: [build]",
  description: "description: What to do, and why.",
  disk_mb: "disk_mb: 4096",
  effort: "effort: medium",
  enabled: "enabled: true",
  excluded_commands: "excluded_commands: [npm publish]",
  exit_code: "exit_code: 0",
  file_mb: "file_mb: 512",
  files: "files: [src/auth/**]",
  filesystem: "filesystem: { deny_write: [db/migrations/**] }",
  gate: "gate: [npm test]",
  harness: "harness: claude",
  id: "id: build-api",
  limits: "limits: { memory_mb: 4096 }",
  max_parallel: "max_parallel: 4",
  memory_mb: "memory_mb: 4096",
  merge: "merge: { mode: review }",
  model: "model: opus",
  name: "name: Build the API",
  network: "network: { allowed_domains: [packages.example.com] }",
  "network.checks": "checks: [api.example.com]",
  "network.setup": "setup: [packages.example.com]",
  no_progress_secs: "no_progress_secs: 1800",
  processes: "processes: 256",
  regression_test: "regression_test: { file: test/login.test.ts, must_contain: [expired] }",
  retries: "retries: 2",
  runs_on: "runs_on: linux",
  sandbox: "sandbox: { network: { allowed_domains: [packages.example.com] } }",
  setup: "setup: [npm ci]",
  stage_type: "stage_type: standard",
  stderr_empty: "stderr_empty: true",
  stdout_contains: "stdout_contains: [ok]",
  synthesis: "synthesis: true",
  timeout_secs: "timeout_secs: 3600",
  tokens: "tokens: 2000000",
  truths: "truths: [curl -f localhost:8080/health]",
  wall_clock_secs: "wall_clock_secs: 7200",
  wiring: 'wiring: [{ source: src/main.ts, pattern: "createServer", description: The server starts }]',
  working_dir: "working_dir: packages/api",
});

const SAME_AS: Readonly<Record<string, string>> = table({
  after_stage: "after",
  allowWrite: "allow_write",
  allowedDomains: "allowed_domains",
  agents: "agent",
  before_stage: "before",
  blocked_by: "dependencies",
  denyRead: "deny_read",
  denyWrite: "deny_write",
  depends_on: "dependencies",
  excludedCommands: "excluded_commands",
  expected_exit_code: "exit_code",
  expected_output: "stdout_contains",
  files_to_create: "files",
  files_to_modify: "files",
  is_critical_path: "critical",
  is_synthesis: "synthesis",
  max_retries: "retries",
  reasoning_effort: "effort",
  stdout_not_contains: "stdout_contains",
  timeout: "timeout_secs",
  truth_checks: "truths",
  type: "stage_type",
  validation: "acceptance",
  wiring_tests: "truths",
});

/**
 * The fields that have the right shape. The others are reported and left out, so that what else is wrong comes to light
 * in the same round. `root` stands at `at`.
 */
export function parseShape<T extends z.ZodType>(
  schema: T,
  root: unknown,
  at: Path,
  reporter: Reporter,
): { readonly data: z.infer<T> | null; readonly whole: boolean } {
  const parsed = schema.safeParse(root);
  if (parsed.success) return { data: parsed.data, whole: true };
  reportShape(parsed.error.issues, root, at, reporter);
  if (typeof root !== "object" || root === null || Array.isArray(root)) return { data: null, whole: false };
  const wrong = new Set(parsed.error.issues.map(({ path }) => path[0]));
  const rest = Object.fromEntries(Object.entries(root).filter(([key]) => !wrong.has(key)));
  return { data: schema.safeParse(rest).data ?? null, whole: false };
}

/** Tells what zod found in the words of the plan. */
function reportShape(issues: readonly z.core.$ZodIssue[], root: unknown, at: Path, reporter: Reporter): void {
  for (const issue of issues) {
    const inside = placeOf(issue);
    const names = inside.filter((step) => typeof step === "string");
    const field = names.at(-1);
    const label = field === undefined ? "The stage" : `\`${field}\``;
    reporter.error(
      [...at, ...inside],
      `${label} ${issue.message}${seenInstead(issue, root)}.`,
      exampleOf(names.slice(-2).join("."), field) ??
        exampleOf(field) ??
        exampleOf(names[0]) ??
        "Compare it with its neighbours.",
    );
  }
}

/** `field`: as it is called here, when `place` is more than its name. */
function exampleOf(place: string | undefined, field = place): string | null {
  if (place === undefined || field === undefined) return "Begin each stage with `- id: its-name`.";
  const example = EXAMPLES[place] ?? EXAMPLES[SAME_AS[place] ?? ""];
  return example ? `Write, for example, \`${example.replace(/^\w+/, field)}\`.` : null;
}
