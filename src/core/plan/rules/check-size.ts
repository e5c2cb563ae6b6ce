import type { Complexity } from "../plan.ts";
import type { Rule } from "../plan-draft.ts";

/** How many stages a task of its kind takes at most. */
export const USUAL_SIZE: Readonly<Record<Complexity, number>> = { simple: 3, medium: 8, complex: 25 };

export const checkSize: Rule = ({ outlines, complexity }, reporter) => {
  if (complexity === null || outlines.length <= USUAL_SIZE[complexity]) return;
  reporter.warning(
    ["stages"],
    `A ${complexity} task with ${outlines.length} stages: ${USUAL_SIZE[complexity]} are usual at most.`,
    "Join stages, or raise the complexity.",
  );
};
