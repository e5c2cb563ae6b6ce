import type { Problem } from "../../src/core/plan/problem.ts";
import { type ParsedPlan, type ParseOptions, parsePlan } from "../../src/core/plan/read/parse-plan.ts";

/** A plan document around these lines of YAML, which begin in line 4 and below `stages:`. */
export function withStages(stages: string, fields = ""): string {
  const indented = stages.trimEnd().replaceAll(/^(?=.)/gm, "    ");
  return `# A plan\n\n\`\`\`yaml\nloom:\n  version: 1\n${fields}  stages:\n${indented}\n\`\`\`\n`;
}

export function read(text: string | Uint8Array, options: Partial<ParseOptions> = {}): ParsedPlan {
  return parsePlan(text, { origin: "elsewhere", ...options });
}

/** Each problem in one line: `7 error stages[0].id: The stage has no id. | Add …`. */
export function told(problems: readonly Problem[]): string[] {
  return problems.map(
    ({ line, severity, path, message, fix }) =>
      `${line ?? "-"} ${severity} ${path || "-"}: ${message} | ${fix}`,
  );
}

export function problemsOf(text: string | Uint8Array, options: Partial<ParseOptions> = {}): string[] {
  return told(read(text, options).problems);
}

/** The only stage of a plan that has nothing but it. */
export function stageFrom(fields: string, options: Partial<ParseOptions> = {}) {
  const { plan, problems } = read(withStages(`- id: one\n${fields.replaceAll(/^(?=.)/gm, "  ")}`), options);
  const stage = plan?.stages[0];
  if (!stage) throw new Error(told(problems).join("\n"));
  return stage;
}
