import type { TaskKind } from "../command/task-kinds.ts";
import { type Choice, type RouteRole, routeFor } from "../config/routing.ts";
import type { Task } from "./task.ts";

/** Which route a task takes: that of planning, of looking into something, or of reviewing. */
export function roleOfTask(kind: TaskKind): RouteRole {
  switch (kind) {
    case "plan":
    case "revise":
      return "planning";
    case "ask":
    case "debug":
      return "investigate";
    default:
      return "review";
  }
}

/** Who does it, as long as nobody is out of quota. */
export function routeOfTask({
  kind,
  assessment,
  settings,
}: Pick<Task, "kind" | "assessment" | "settings">): Choice {
  const complexity = assessment?.complexity ?? null;
  return routeFor({ plan: null, complexity, settings, role: roleOfTask(kind) });
}
