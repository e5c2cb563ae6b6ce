import type { StageGraph } from "../../graph/stage-graph.ts";
import type { StageId } from "../../ids.ts";
import { splitLines } from "../../text/text-lines.ts";
import type { Plan } from "../plan.ts";
import type { Problem } from "../problem.ts";
import { createReporter, cutProblems, formatPath, sortProblems } from "../report-problems.ts";
import { decodeText } from "./decode-text.ts";
import { findPlanBlock } from "./find-plan-block.ts";
import { type ParseOptions, readPlan } from "./read-plan.ts";
import { type Path, readYaml } from "./read-yaml.ts";

export type { ParseOptions } from "./read-plan.ts";

export type ParsedPlan = {
  /** null when there is any error. */
  readonly plan: Plan | null;
  /** All of them, in the order of the file. */
  readonly problems: readonly Problem[];
  /** null when no graph can be made of the ids and dependencies; it may be there although the plan is not. */
  readonly graph: StageGraph | null;
};

/** A plan with what could be read of it, to tell what else is wrong in the same round. */
export type ParsedText = ParsedPlan & {
  readonly readable: {
    /** Whatever could not be read is missing, so it must not be run. */
    readonly plan: Plan;
    /** By their places in the list that was written; null: that stage has none, and is not in the plan. */
    readonly ids: readonly (StageId | null)[];
  } | null;
};

/**
 * Reads a plan document and reports everything that is wrong with it. Whatever the bytes are, the answer comes in time
 * that is linear in their number, and as a value: nothing is thrown.
 */
export function parsePlan(input: Uint8Array | string, options: ParseOptions): ParsedText {
  const decoded = decodeText(input);
  if (decoded.kind === "unreadable") return refuse([decoded.problem]);
  const lines = splitLines(decoded.text);
  const { block, problems: found } = findPlanBlock(lines);
  if (!block) return refuse(found);
  const { source, problems: misread } = readYaml(lines, block.range);
  if (!source) return refuse([...found, ...misread]);
  const reporter = createReporter((at: Path) => ({
    path: formatPath(at),
    line: source.lineOf(["loom", ...at]),
    file: null,
  }));
  const { loom, ...others } = isMapping(source.value) ? source.value : {};
  const beside = Object.keys(others).map((key) => besideLoom(key, source.lineOf([key]), options));
  const { plan, ids, graph } = readPlan(loom, block.title, options, reporter);
  const parsed = conclude(plan, graph, [...found, ...misread, ...beside, ...reporter.problems]);
  return { ...parsed, readable: plan && { plan, ids } };
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function besideLoom(key: string, line: number, { origin }: ParseOptions): Problem {
  return {
    severity: origin === "loom" ? "error" : "warning",
    path: key,
    line,
    message: `\`${key}\` stands beside \`loom:\` and is passed over.`,
    fix: "Indent it to put it below `loom:`, or remove it.",
  };
}

function refuse(problems: readonly Problem[]): ParsedText {
  return { ...conclude(null, null, problems), readable: null };
}

function conclude(plan: Plan | null, graph: StageGraph | null, problems: readonly Problem[]): ParsedPlan {
  const isWrong = problems.some(({ severity }) => severity === "error");
  return { plan: isWrong ? null : plan, problems: cutProblems(sortProblems(problems)), graph };
}
