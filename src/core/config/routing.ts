import * as z from "zod";
import type { Complexity, Effort, StagePlan } from "../plan/plan.ts";
import { table } from "../table.ts";
import { DEFAULTS } from "./defaults.ts";

/**
 * Which agent and which model does what. A route is a wish of the operator or of the repository for a kind of
 * work; what a stage names itself comes before it, and a harness that a person asked for on the command line before
 * both. A model belongs to the harness it was chosen for and is left behind when another one does the work.
 */

export const ROUTE_ROLES = ["work", "review", "conflict", "investigate", "planning", "small"] as const;
export const TIERS = ["low", "medium", "high"] as const;
export type RouteRole = (typeof ROUTE_ROLES)[number];
export type Tier = (typeof TIERS)[number];

export const routeSchema = z.object({
  role: z.enum([...ROUTE_ROLES, "*"]),
  tier: z.enum([...TIERS, "*"]),
  harness: z.string().nullable(),
  model: z.string().nullable(),
  effort: z.enum(TIERS).nullable(),
});
export type Route = z.infer<typeof routeSchema>;

/** The part of a run's settings that says who works. */
export type RouteSettings = {
  readonly harness: string;
  readonly harnessWins: boolean;
  readonly effort?: Effort | undefined;
  readonly planEffort?: Effort | undefined;
  readonly routes?: readonly Route[] | undefined;
};

export type Choice = {
  readonly harness: string;
  /** null: the harness's own. */
  readonly model: string | null;
  readonly effort: Effort;
};

/**
 * The route of this role, else the one for all roles. Where a tier has none of its own, the route without a tier
 * counts, then that of the next higher tier: hard work is never given to what was chosen for easy work. Of two that
 * say the same, the first counts.
 */
export function chooseRoute(routes: readonly Route[], role: RouteRole, tier: Tier): Route | null {
  const higher = TIERS.slice(TIERS.indexOf(tier) + 1);
  for (const wanted of [role, "*"]) {
    for (const level of [tier, "*", ...higher]) {
      const route = routes.find((one) => one.role === wanted && one.tier === level);
      if (route) return route;
    }
  }
  return null;
}

export function routeRoleOf({ type }: Pick<StagePlan, "type">, promptKind: string): RouteRole {
  if (promptKind === "merge-conflict") return "conflict";
  if (type === "code-review") return "review";
  return type === "investigate" ? "investigate" : "work";
}

const TIER_OF: Readonly<Record<Complexity, Tier>> = { simple: "low", medium: "medium", complex: "high" };

/** How demanding a stage is: by its own effort, else by the plan's complexity. */
export function tierOf(effort: Effort | null, complexity: Complexity | null): Tier {
  return effort ?? (complexity === null ? "medium" : TIER_OF[complexity]);
}

export type RouteRequest = {
  /** null: work that belongs to no stage. */
  readonly plan: Pick<StagePlan, "harness" | "model" | "effort"> | null;
  readonly complexity: Complexity | null;
  readonly settings: RouteSettings;
  readonly role: RouteRole;
};

export function routeFor({ plan, complexity, settings, role }: RouteRequest): Choice {
  const route = chooseRoute(settings.routes ?? [], role, tierOf(plan?.effort ?? null, complexity));
  const harness = settings.harnessWins
    ? settings.harness
    : (plan?.harness ?? route?.harness ?? settings.harness);
  const usual =
    role === "planning" ? (settings.planEffort ?? DEFAULTS.planEffort) : (settings.effort ?? DEFAULTS.effort);
  return {
    harness,
    model: modelFor(harness, plan) ?? modelFor(harness, route),
    effort: plan?.effort ?? route?.effort ?? usual,
  };
}

type Wish = { readonly harness: string | null; readonly model: string | null };

function modelFor(harness: string, wish: Wish | null): string | null {
  if (!wish || wish.model === null) return null;
  const isMeant = wish.harness === null || wish.harness === harness;
  return isMeant && takesModel(harness, wish.model) ? wish.model : null;
}

/** How each CLI's models are called. A plan may name a model and leave the harness open. */
const FAMILIES: Readonly<Record<string, RegExp>> = table({
  claude: /^(?:claude|opus|sonnet|haiku)/i,
  codex: /^(?:gpt-|o\d|codex)/i,
  gemini: /^gemini/i,
});

/** False only for a model that clearly is another CLI's. */
function takesModel(harness: string, model: string): boolean {
  const family = Object.keys(FAMILIES).find((id) => FAMILIES[id]?.test(model));
  const isOneOfThem = Object.hasOwn(FAMILIES, harness) || harness === "opencode";
  return family === undefined || family === harness || !isOneOfThem;
}
