import type { Plan } from "../plan/plan.ts";
import { routeFor, routeRoleOf, TIERS } from "./routing.ts";
import type { RunSettings } from "./run-settings.ts";

/** Every harness that a plan needs on this machine; stages for runners with a label of their own are left out. */
export function harnessesOf(plan: Pick<Plan, "stages" | "complexity">, settings: RunSettings): string[] {
  const { complexity } = plan;
  const here = settings.runsOn ? [] : plan.stages.filter(({ runsOn }) => runsOn === null);
  return [
    ...new Set(
      here.flatMap((stage) =>
        ["stage", "merge-conflict"].map(
          (kind) => routeFor({ plan: stage, complexity, settings, role: routeRoleOf(stage, kind) }).harness,
        ),
      ),
    ),
  ];
}

/** Who does ordinary work whatever a planner will write; null: it depends on how hard the task is, or nobody here does. */
export function harnessOfWork(settings: RunSettings): string | null {
  if (settings.runsOn) return null;
  const harnesses = TIERS.map((effort) => {
    const plan = { harness: null, model: null, effort };
    return routeFor({ plan, complexity: null, settings, role: "work" }).harness;
  });
  return new Set(harnesses).size === 1 ? (harnesses[0] ?? null) : null;
}
