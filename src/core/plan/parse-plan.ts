import type { StageGraph } from "../graph/stage-graph.ts";
import { decodeText } from "./decode-text.ts";
import { findPlanBlock } from "./find-plan-block.ts";
import type { Plan } from "./plan.ts";
import type { Problem } from "./problem.ts";
import { type ParseOptions, readPlan } from "./read-plan.ts";
import { type Path, readYaml } from "./read-yaml.ts";
import { createReporter, cutProblems, formatPath, sortProblems } from "./report-problems.ts";
import { splitLines } from "./text-lines.ts";

export type { ParseOptions } from "./read-plan.ts";

export type ParsedPlan = {
  /** null when there is any error. */
  readonly plan: Plan | null;
  /** All of them, in the order of the file. */
  readonly problems: readonly Problem[];
  /** null when no graph can be made of the ids and dependencies; it may be there although the plan is not. */
  readonly graph: StageGraph | null;
};

/**
 * Reads a plan document and reports everything that is wrong with it. Whatever the bytes are, the answer comes in time
 * that is linear in their number, and as a value: nothing is thrown.
 */
export function parsePlan(input: Uint8Array | string, options: ParseOptions): ParsedPlan {
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
  const { plan, graph } = readPlan(loom, block.title, options, reporter);
  return conclude(plan, graph, [...found, ...misread, ...beside, ...reporter.problems]);
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

function refuse(problems: readonly Problem[]): ParsedPlan {
  return conclude(null, null, problems);
}

function conclude(plan: Plan | null, graph: StageGraph | null, problems: readonly Problem[]): ParsedPlan {
  const isWrong = problems.some(({ severity }) => severity === "error");
  return { plan: isWrong ? null : plan, problems: cutProblems(sortProblems(problems)), graph };
}
