import { createPatterns } from "../adapters/text/patterns.ts";
import { patternProblem } from "../engine/run/pattern-problem.ts";

/** Where a plan is read before there is an engine. */
export const checkPattern = patternProblem(createPatterns());
