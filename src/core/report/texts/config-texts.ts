import { REPOSITORY_CONFIG_PATH } from "../../config/repository/repository-config.ts";
import type { Problem } from "../../plan/problem.ts";

/** What people at a terminal are told about `.github/loom.yml`. */
export const configTexts = {
  broken: (problems: readonly Problem[]) =>
    [`${REPOSITORY_CONFIG_PATH} of the last commit can't be used:`, ...problems.map(problemLine)].join("\n"),
  brokenNext: () => "Fix it and commit that.",
  tooManyStages: (count: number, limit: number) =>
    `The plan has ${count} stages. It runs here; on GitHub this repository takes ${limit} at most (\`limits.max_stages\`).`,
  warning: (problem: Problem) => `${REPOSITORY_CONFIG_PATH}: ${problemLine(problem)}`,
};

function problemLine({ line, message, fix }: Problem): string {
  return `${line === null ? "" : `line ${line}: `}${message} ${fix}`;
}
