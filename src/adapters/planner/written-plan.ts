import type { Planner, PlanOutcome, PlanRequest } from "../../ports/planner.ts";

/** A plan that a person wrote already: in the file they named, or in the issue itself. null: there is none. */
async function findWrittenPlan({ issue, path, readFile }: PlanRequest): Promise<PlanOutcome | null> {
  if (path !== null) {
    const text = await readFile(path);
    return text === null
      ? {
          kind: "refused",
          reason: `There is no file \`${path}\` on the default branch.`,
          next: "Name a plan by its path from the repository's root.",
        }
      : { kind: "planned", text, label: path };
  }
  return holdsPlan(issue.body) ? { kind: "planned", text: issue.body, label: `issue-${issue.number}` } : null;
}

/** A fenced block that begins with `loom:`, be it right or wrong: whoever wrote one wants to hear what is wrong with it. */
function holdsPlan(body: string): boolean {
  return /^ {0,3}(?:`{3,}|~{3,})[^\n]*\r?\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*loom:/m.test(body);
}

/** Takes plans that people wrote, and hands the rest to an agent, where there is one. */
export function createPlanner(agent: Planner | null): Planner {
  return {
    async plan(request, signal) {
      const written = await findWrittenPlan(request);
      if (written) return written;
      if (agent) return agent.plan(request, signal);
      return {
        kind: "refused",
        reason: "This issue holds no plan, and no planner is set up here.",
        next: "Put a plan into the issue (a fenced `yaml` block that begins with `loom:`), or name one: `/loom run docs/plan.md`.",
      };
    },
  };
}
