import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import type { CommandCheck, RegressionTest } from "../../core/plan/plan.ts";
import { quote } from "../../core/text/quote.ts";
import { type Criteria, GATE_TIMEOUT_SECS, mustExitZero } from "../../core/verify/criteria.ts";
import { leaf, type Verdict } from "../../core/verify/verdict.ts";
import { hasFolder, setUpBase } from "./check-base.ts";
import { checkCommand } from "./check-command.ts";
import type { CommitContent } from "./check-content.ts";
import { type CheckDeps, type CheckOrder, inCleanTree } from "./check-scene.ts";

/** How a shell says that there is no such program, or that it can't be run. */
const NOT_RUNNABLE = new Set([126, 127]);

export function regressionCheck(test: RegressionTest | null): CommandCheck | null {
  return test?.command ? mustExitZero(test.command, GATE_TIMEOUT_SECS) : null;
}

/** What can be told without a checkout: the test is there, this stage wrote it, and it says what it should. */
export async function checkRegressionFile(content: CommitContent, test: RegressionTest): Promise<Verdict[]> {
  if (test.file === null) return [];
  const wrong = await whatIsWrong(content, test.file, test.mustContain);
  return [leaf(wrong ? "failed" : "passed", test.file, wrong ?? "is there and belongs to this change")];
}

async function whatIsWrong(
  content: CommitContent,
  file: string,
  mustContain: readonly string[],
): Promise<string | null> {
  const path = await findTest(content, file);
  if (path === null) return "names no regular file of the commit";
  const text = await content.read(path);
  if (text === null) return "is too large to look into";
  if (!(await content.changed()).has(path)) return "was not changed by this stage";
  const missing = mustContain.filter((part) => !text.includes(part));
  return missing.length > 0 ? `does not contain ${missing.map(quote).join(", ")}` : null;
}

/** The test has to fail without the fix: on the base with nothing but the test's own file laid on top. */
export async function checkRegressionOnBase(
  deps: CheckDeps,
  order: CheckOrder,
  base: Sha,
  content: CommitContent,
  criteria: Criteria,
): Promise<Verdict[]> {
  const check = regressionCheck(criteria.regression);
  const { workingDir } = criteria;
  if (!check || workingDir === null) return [];
  const file = criteria.regression?.file ?? null;
  const path = file === null ? null : await findTest(content, file);
  const text = path === null ? null : await content.read(path);
  const title = check.command;
  const untried = (why: string) => [leaf("warned", title, `could not be tried without the fix: ${why}`)];

  return inCleanTree(deps, order, { commit: base, checks: 1 }, async (scene) => {
    if (path !== null && text !== null) scene.lay(path, text);
    if (!path?.startsWith(`${workingDir}/`) && !(await hasFolder(deps, base, workingDir)))
      return untried(`the base has no folder ${quote(workingDir)}`);
    if (!(await setUpBase(deps, scene, base, criteria))) return untried("the set-up fails on the base");
    return [judgeOnBase(title, await checkCommand(scene, workingDir, check))];
  });
}

function judgeOnBase(title: string, onBase: Verdict): Verdict {
  const { outcome, evidence } = onBase;
  if (outcome !== "failed")
    return leaf("failed", title, "passes without the fix as well, so it does not show the bug", evidence);
  return NOT_RUNNABLE.has(evidence?.exitCode ?? 0)
    ? leaf(
        "warned",
        title,
        `can't be run without the fix (exit ${evidence?.exitCode}), which says little`,
        evidence,
      )
    : leaf("passed", title, "fails without the fix, as it should", evidence);
}

async function findTest(content: CommitContent, file: string): Promise<string | null> {
  try {
    const [path, ...others] = await content.find(file);
    return path !== undefined && others.length === 0 ? path : null;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
