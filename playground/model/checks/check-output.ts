import { type FieldProblem, Refusal } from "../refusal.ts";
import type { CheckRun } from "../types.ts";

export type CheckOutput = {
  readonly title?: string | null;
  readonly summary?: string | null;
  readonly text?: string | null;
  readonly annotations?: readonly unknown[];
};

const LONGEST = 65_535;
const ACTION_LIMITS = { label: 20, description: 40, identifier: 20 } as const;

/** GitHub's limits on what a check run shows; all problems at once. */
export function checkOutput(output: CheckOutput | undefined, actions: CheckRun["actions"] | undefined): void {
  const problems: FieldProblem[] = [];
  const add = (field: string, message: string) =>
    problems.push({ resource: "CheckRun", field, code: "invalid", message });
  for (const field of ["summary", "text"] as const) {
    if ([...(output?.[field] ?? "")].length <= LONGEST) continue;
    add(
      field,
      `Only ${LONGEST} characters are allowed; ${[...(output?.[field] ?? "")].length} were supplied.`,
    );
  }
  const annotations = output?.annotations?.length ?? 0;
  if (annotations > 50)
    add("annotations", `No more than 50 items are allowed; ${annotations} were supplied.`);
  if (output && (output.title ?? "") === "") add("title", "Output title can't be blank.");
  if (actions && actions.length > 3) {
    add("actions", `No more than 3 items are allowed; ${actions.length} were supplied.`);
  }
  for (const action of actions ?? []) {
    for (const [field, most] of Object.entries(ACTION_LIMITS) as [keyof typeof ACTION_LIMITS, number][]) {
      if ([...action[field]].length > most) {
        add(`actions.${field}`, `is too long (maximum is ${most} characters)`);
      }
    }
  }
  if (problems.length > 0) throw new Refusal(422, "Validation Failed", problems);
}
