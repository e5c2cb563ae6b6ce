import type { CommandCheck, StagePlan } from "../plan/plan.ts";
import type { Run } from "../run/run.ts";
import { plainText } from "../text/escape-text.ts";

/** What Loom will look at once the agent is done, one line each. */
export function describeChecks(run: Run, plan: StagePlan): string[] {
  return [
    ...[...plan.acceptance, ...plan.truths, ...plan.after, ...run.gate].map(describeCheck),
    ...plan.artifacts.map((glob) => `\`${glob}\` exists and is a real implementation`),
    ...plan.wiring.map(
      ({ source, pattern, description }) => `\`${source}\` matches \`${pattern}\`${inBrackets(description)}`,
    ),
  ];
}

function describeCheck(check: CommandCheck): string {
  const expected = check.exitCode === 0 ? "" : ` exits with ${check.exitCode}`;
  const output =
    check.stdoutContains.length > 0
      ? `, printing ${check.stdoutContains.map((text) => `"${plainText(text)}"`).join(" and ")}`
      : "";
  return `\`${plainText(check.command)}\`${expected}${output}${inBrackets(check.description)}`;
}

function inBrackets(text: string | null): string {
  return text ? ` (${plainText(text)})` : "";
}
