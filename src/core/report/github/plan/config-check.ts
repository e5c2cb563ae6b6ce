import { REPOSITORY_CONFIG_PATH } from "../../../config/repository/repository-config.ts";
import type { Problem } from "../../../plan/problem.ts";
import { countProblems, renderProblems } from "../markdown/problem-list.ts";
import { type CheckReport, checkNames, checkReport } from "../run/check-report.ts";

/** For a pull request that changes the config, before it counts. `broken`: as it stands, Loom would refuse to work. */
export function configCheck(broken: boolean, problems: readonly Problem[]): CheckReport {
  return checkReport({
    name: checkNames.config,
    status: "completed",
    conclusion: broken ? "failure" : "success",
    title: broken
      ? `${REPOSITORY_CONFIG_PATH} can't be used: ${countProblems(problems)}`
      : `${REPOSITORY_CONFIG_PATH} is fine`,
    summary: broken
      ? `With this file on the default branch, Loom would answer every command with these problems.\n\n${renderProblems(problems)}\n`
      : problems.length > 0
        ? `It can be used, with ${countProblems(problems)}.\n\n${renderProblems(problems)}\n`
        : "It takes effect once it is on the default branch.\n",
  });
}
