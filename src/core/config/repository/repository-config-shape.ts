import type { z } from "zod";
import type { Path } from "../../plan/read/read-yaml.ts";
import { placeOf, seenInstead } from "../../plan/read/seen-instead.ts";
import { formatPath, type Reporter } from "../../plan/report-problems.ts";
import { table } from "../../table.ts";
import { nearestName } from "../../text/nearest-name.ts";
import { quote } from "../../text/quote.ts";
import { TIERS } from "../routing.ts";

/** What a right value looks like, for the advice behind a wrong one; also the list of all that is known. */
const EXAMPLES: Readonly<Record<string, string>> = table({
  version: "version: 1",
  merge: "merge: { mode: review }",
  "merge.mode": "mode: review",
  "merge.method": "method: squash",
  "merge.stack": "stack: auto",
  "merge.delete_branches": "delete_branches: true",
  approval: "approval: { roles: maintain }",
  "approval.label": 'label: "loom: approve"',
  "approval.roles": "roles: maintain",
  "approval.express": "express: false",
  labels: 'labels: { done: "loom: done" }',
  "labels.plan_review": 'plan_review: "loom: plan review"',
  "labels.approved": 'approved: "loom: approved"',
  "labels.running": 'running: "loom: running"',
  "labels.needs_human": 'needs_human: "loom: needs human"',
  "labels.blocked": 'blocked: "loom: blocked"',
  "labels.done": 'done: "loom: done"',
  limits: "limits: { budget_usd: 20 }",
  "limits.max_parallel": "max_parallel: 4",
  "limits.retries": "retries: 2",
  "limits.timeout_secs": "timeout_secs: 3600",
  "limits.budget_usd": "budget_usd: 20",
  "limits.max_stages": "max_stages: 50",
  harness: "harness: claude",
  runs_on: "runs_on: linux",
  models: "models: { review: { harness: codex, effort: high } }",
  "models.work": "work: { model: opus }",
  "models.work.harness": "harness: claude",
  "models.work.model": "model: opus",
  "models.work.effort": "effort: high",
  "models.review": "review: { harness: codex, effort: high }",
  "models.conflict": "conflict: { model: opus }",
  "models.investigate": "investigate: { effort: high }",
  "models.planning": "planning: { effort: high }",
  "models.small": "small: { model: haiku }",
  "models.*": '"*": { harness: claude }',
  planner: "planner: { depth: standard }",
  "planner.degraded": "degraded: require-approval",
  "planner.depth": "depth: standard",
  "planner.mode": "mode: guided",
  "planner.remind_after_hours": "remind_after_hours: 24",
  "planner.default_after_hours": "default_after_hours: 72",
  "planner.budget_usd": "budget_usd: 10",
  agents: "agents: { disabled: [seo-specialist] }",
  "agents.disabled": "disabled: [seo-specialist]",
  commands: "commands: { budget_usd: 2 }",
  "commands.budget_usd": "budget_usd: 2",
  "commands.timeout_secs": "timeout_secs: 1800",
  fallback: "fallback: [codex, gemini]",
  effort: "effort: medium",
  contract: "contract: warn",
  sandbox: "sandbox: { network: { allowed_domains: [api.example.com] } }",
  "sandbox.network": "network: { allowed_domains: [api.example.com] }",
  "sandbox.network.allowed_domains": "allowed_domains: [api.example.com]",
  "sandbox.network.setup": "setup: [packages.example.com]",
  "sandbox.network.checks": "checks: [api.example.com]",
  "sandbox.limits": "limits: { memory_mb: 4096 }",
  "sandbox.limits.processes": "processes: 256",
  "sandbox.limits.memory_mb": "memory_mb: 4096",
  "sandbox.limits.file_mb": "file_mb: 512",
  "sandbox.limits.disk_mb": "disk_mb: 4096",
  protected_paths: "protected_paths: [infra, db/schema.sql]",
  gate: "gate: [npm test]",
  auto_run: "auto_run: true",
  notify: "notify: { panel: true }",
  "notify.panel": "panel: true",
});

/** Tells what zod found in the words of the file. */
export function reportConfigShape(
  issues: readonly z.core.$ZodIssue[],
  root: unknown,
  reporter: Reporter,
): void {
  for (const issue of issues) {
    const at = placeOf(issue);
    if (issue.code === "unrecognized_keys") {
      for (const key of issue.keys) reportUnknown(key, at, reporter);
      continue;
    }
    const field = formatPath(at.filter((step) => typeof step === "string"));
    const label = field === "" ? "The file" : quote(field);
    const example = EXAMPLES[generic(field)] ?? "version: 1";
    reporter.error(
      at,
      `${label} ${issue.message}${seenInstead(issue, root)}.`,
      `Write, for example, ${quote(example)}.`,
    );
  }
}

function reportUnknown(key: string, at: Path, reporter: Reporter): void {
  const near = nearestName(key, keysBelow(at));
  const home = near === null ? homeOf(key) : null;
  const [role = "", tier] = key.split("/");
  const fix = near
    ? `Did you mean ${quote(near)}?`
    : formatPath(at) === "models" && tier !== undefined && keysBelow(at).includes(role)
      ? `Write ${quote(role)}, ${TIERS.map((known) => quote(`${role}/${known}`)).join(" or ")}.`
      : home
        ? `Write it below ${quote(`${home}:`)}.`
        : `Remove it. Known here: ${keysBelow(at).map(quote).join(", ")}.`;
  reporter.error([...at, key], `Loom does not know ${quote(formatPath([...at, key]))}.`, fix);
}

function keysBelow(at: Path): string[] {
  const prefix = at.length === 0 ? "" : `${generic(formatPath(at))}.`;
  return Object.keys(EXAMPLES)
    .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes("."))
    .map((path) => path.slice(prefix.length));
}

/** All kinds of work are described by the same keys: `models.review/low.model` is like `models.work.model`. */
function generic(path: string): string {
  const [group = "", place = "", ...inside] = path.split(".");
  if (group !== "models" || place === "") return path;
  return inside.length > 0 ? ["models", "work", ...inside].join(".") : `models.${place.split("/")[0]}`;
}

/** A setting that stands at the wrong place is not misspelled. */
function homeOf(key: string): string | null {
  const path = Object.keys(EXAMPLES).find((one) => one.endsWith(`.${key}`));
  return path?.split(".").slice(0, -1).join(".") ?? null;
}
