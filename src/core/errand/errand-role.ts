import { type Choice, type RouteRole, routeFor } from "../config/routing.ts";
import type { Errand } from "./errand.ts";
import type { ErrandKind } from "./errand-kinds.ts";

/** Which route an errand takes: that of planning, of looking into something, or of reviewing. */
export function roleOfErrand(kind: ErrandKind): RouteRole {
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
export function routeOfErrand({
  kind,
  assessment,
  settings,
}: Pick<Errand, "kind" | "assessment" | "settings">): Choice {
  const complexity = assessment?.complexity ?? null;
  return routeFor({ plan: null, complexity, settings, role: roleOfErrand(kind) });
}
