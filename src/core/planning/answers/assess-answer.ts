import { readLoom } from "../draft/fix-plan.ts";
import { readPlannerAnswer } from "./read-planner-answer.ts";
import { type Assessment, readComplexity } from "./read-questions.ts";

/**
 * What the first look says of the task; null: it ends in a plan, or in nothing that can be read. A plan that calls the task
 * complex came too early, because the design comes first: all that is taken of it is what it says of the task.
 */
export function assessAnswer(text: string, maxQuestions: number): Assessment | null {
  const answer = readPlannerAnswer(text, { maxQuestions });
  if (answer.kind === "assessment") {
    const { complexity, why, questions } = answer;
    return { complexity, why, questions };
  }
  if (answer.kind === "neither") return null;
  const loom = readLoom(answer.document);
  const complexity = readComplexity(loom?.complexity ?? loom?.task_complexity);
  return complexity === "complex" ? { complexity, why: answer.sections.why, questions: [] } : null;
}
