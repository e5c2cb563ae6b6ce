import { type Profile, profileOf } from "../../graph/profile.ts";
import { withSynthesis } from "../../graph/with-synthesis.ts";
import type { StageId } from "../../ids.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Problem } from "../../plan/problem.ts";
import type { ParsedPlan } from "../../plan/read/parse-plan.ts";
import { type ParallelProfile, parallelProfile } from "../../planning/parallel-profile.ts";
import { plainLines, plainText } from "../../text/escape-text.ts";
import { sandboxAsks } from "../documents/sandbox-asks.ts";

export type PlanReport = {
  readonly valid: boolean;
  readonly problems: readonly Problem[];
  readonly stages: readonly { id: StageId; level: number; dependencies: readonly StageId[] }[];
  readonly profile: Profile | null;
};

/** What `loom plan check --json` says. */
export function planReportJson({ plan, problems, graph }: ParsedPlan): PlanReport {
  const order = graph && plan ? withSynthesis(graph, plan.stages) : graph;
  const levels = order ? [...order.levels] : [];
  return {
    valid: plan !== null,
    problems: problems.map(({ severity, path, line, message, fix }) => ({
      severity,
      path,
      line,
      message,
      fix,
    })),
    stages: levels.map(([id, level]) => ({ id, level, dependencies: graph?.dependencies.get(id) ?? [] })),
    profile: order ? profileOf(order) : null,
  };
}

const MAX_PROBLEMS = 50;
const MAX_LEVELS = 40;
const MAX_PER_LEVEL = 12;
const MAX_PATH = 20;
const MAX_ASKED = 100;

/** What `loom plan check` says: the problems, then how the stages follow each other. */
export function renderPlanReport(parsed: ParsedPlan, { file }: { file: string }): string {
  const sections = [renderProblems(parsed.problems, file), renderVerdict(parsed, file)];
  if (parsed.graph) sections.push(...renderGraph(parallelProfile(parsed.graph, parsed.plan)));
  if (parsed.plan) sections.push(renderSandbox(parsed.plan));
  return `${sections.filter((section) => section !== "").join("\n\n")}\n`;
}

function renderProblems(problems: readonly Problem[], file: string): string {
  const shown = problems.slice(0, MAX_PROBLEMS).map((problem) => renderProblem(problem, file));
  const left = problems.length - shown.length;
  if (left > 0) shown.push(`… and ${count(left, "more problem")}.`);
  return shown.join("\n\n");
}

function renderProblem(problem: Problem, file: string): string {
  const where = placeOf(problem, file);
  const fix = plainLines(problem.fix).split("\n").join("\n    ");
  return `${where}: ${problem.severity}: ${plainText(problem.message)}\n    ${fix}`;
}

/** A problem of a unit names its own file, and counts lines in it. */
function placeOf({ path, line }: Problem, file: string): string {
  const unit = /^(\d+[-_][^:/]*\.md)(?::|$)/i.exec(path)?.[1];
  const place = unit ? `${file.replace(/(?<!\/)\/+$/, "")}/${unit}` : file;
  return plainText(line === null ? place : `${place}:${line}`);
}

function renderVerdict({ plan, problems }: ParsedPlan, file: string): string {
  const name = plainText(file);
  const errors = problems.filter(({ severity }) => severity === "error").length;
  const warnings = problems.length - errors;
  const remarks = warnings > 0 ? count(warnings, "warning") : "";
  if (plan) return `${name} is valid${remarks ? `, with ${remarks}` : ""}.`;
  return `${name} is not valid: ${[count(errors, "error"), remarks].filter((part) => part !== "").join(", ")}.`;
}

function renderGraph({ batches, stages, widest, parallel, criticalPath }: ParallelProfile): string[] {
  const rows = batches.slice(0, MAX_LEVELS).map((batch, level) => {
    return `  ${String(level + 1).padStart(5)}  ${list(batch, MAX_PER_LEVEL, ", ")}`;
  });
  if (batches.length > MAX_LEVELS) {
    rows.push(`  ${"…".padStart(5)}  and ${count(batches.length - MAX_LEVELS, "more level")}`);
  }
  const beside =
    widest > 1
      ? `${parallel} of ${stages} stages can run beside others, ${widest} at a time.`
      : stages > 1
        ? "They run one after the other."
        : "";
  return [
    ["  level  stages", ...rows].join("\n"),
    `${count(stages, "stage")} in ${count(batches.length, "level")}. ${beside}`.trimEnd(),
    `Critical path (${count(criticalPath.length, "stage")}): ${list(criticalPath, MAX_PATH, " → ")}`,
  ];
}

function renderSandbox(plan: Plan): string {
  const lines = sandboxAsks(plan).map(({ what, items }) => {
    const texts = items.map(({ text, stages }) => {
      return plainText(stages === null ? text : `${text} (${list(stages, MAX_PER_LEVEL, ", ")})`);
    });
    return `  ${what}: ${list(texts, MAX_ASKED, ", ")}`;
  });
  return lines.length === 0 ? "" : ["Asks of the sandbox:", ...lines].join("\n");
}

function list(items: readonly string[], most: number, between: string): string {
  const shown = items.slice(0, most).join(between);
  return items.length > most ? `${shown}${between}… (${items.length - most} more)` : shown;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
