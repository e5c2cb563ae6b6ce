import { readFile } from "node:fs/promises";
import { UserError } from "../../core/errors.ts";
import type { Planner } from "../../ports/planner.ts";

/** Answers every issue with one plan from a file: for demonstrations and tests, where no model is at work. */
export function createScriptedPlanner(file: string): Planner {
  return {
    async plan({ issue }) {
      const text = await readFile(file, "utf8").catch((cause: unknown) => {
        throw new UserError("The scripted planner can't read its plan.", {
          next: "LOOM_PLANNER_SCRIPT has to name a plan file that exists.",
          cause,
        });
      });
      return { kind: "planned", text, label: `issue-${issue.number}` };
    },
  };
}
