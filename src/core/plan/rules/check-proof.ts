import type { Rule } from "../plan-draft.ts";

/** Nobody takes an agent's word for it: a stage that changes code has to say how that shows. */
export const checkProof: Rule = ({ stages, agents }, reporter) => {
  for (const { stage, at, whole } of stages) {
    if (!whole) continue;
    if (stage.bugFix && !stage.regressionTest) {
      reporter.warning(
        [...at, "bug_fix"],
        `The bug fix \`${stage.id}\` names no regression test.`,
        "Add `regression_test: { file: … }`: a test that fails without the fix.",
      );
    }
    // What can't change a file leaves nothing to prove.
    if (stage.agent !== null && agents?.get(stage.agent)?.readOnly) continue;
    const checks = [stage.acceptance, stage.truths, stage.artifacts, stage.wiring, stage.after];
    if (stage.type === "standard" && !stage.regressionTest && checks.every((list) => list.length === 0)) {
      reporter.warning(
        at,
        `Nothing proves the stage \`${stage.id}\`.`,
        "Add `acceptance`, such as a test command, or `truths`, `artifacts` or `wiring`.",
      );
    }
  }
};
