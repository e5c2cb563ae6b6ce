import type { Rule } from "../plan-draft.ts";
import { checkStageLimits } from "../read/read-sandbox.ts";

export const checkLimits: Rule = ({ stages, sandbox }, reporter) => {
  for (const { stage, at } of stages) {
    checkStageLimits(stage.sandbox.limits, sandbox.limits, [...at, "sandbox"], reporter);
  }
};
