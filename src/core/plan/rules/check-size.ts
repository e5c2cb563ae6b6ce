import type { Complexity } from "../plan.ts";
import type { Rule } from "../plan-draft.ts";

const MOST: Readonly<Record<Complexity, number>> = { simple: 3, medium: 8, complex: 25 };

export const checkSize: Rule = ({ outlines, complexity }, reporter) => {
  if (complexity === null || outlines.length <= MOST[complexity]) return;
  reporter.warning(
    ["stages"],
    `A ${complexity} task with ${outlines.length} stages: ${MOST[complexity]} are usual at most.`,
    "Join stages, or raise the complexity.",
  );
};
