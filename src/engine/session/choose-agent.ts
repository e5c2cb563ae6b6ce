import { chooseAvailable } from "../../core/config/fallback.ts";
import { type Choice, chooseRoute, routeFor, routeRoleOf } from "../../core/config/routing.ts";
import { UserError } from "../../core/errors.ts";
import type { Millis } from "../../core/ids.ts";
import type { AgentProfile } from "../../core/plan/agent-profile.ts";
import type { Effort, StagePlan } from "../../core/plan/plan.ts";
import type { PromptContext } from "../../core/prompt/build-prompt.ts";
import { findAgent } from "../../core/roster/roster.ts";
import type { Run } from "../../core/run/run.ts";
import { quote } from "../../core/text/quote.ts";
import type { Harness } from "../../ports/harness.ts";
import { assertHeld } from "../attempt/claim.ts";
import type { AttemptContext } from "../attempt/restore-work.ts";
import type { Engine } from "../engine.ts";

/** Who does it: the agent that plan, routes and settings name, or the next one while that is out of quota. */
export type ChosenAgent = {
  readonly harness: Harness;
  readonly model: string | null;
  readonly effort: Effort;
  /** The specialist that the stage names; null: it names none. */
  readonly profile: AgentProfile | null;
  /** Who may do it instead while one is out of quota, the wanted one first. */
  readonly order: readonly string[];
};

export type SmallModel = { readonly harness: Harness; readonly model: string };

/** The cheap model for short questions: that of a route for them, else the one that goes with the harness; null: none. */
export function chooseSmall({ engine, run }: AttemptContext, beside: Harness): SmallModel | null {
  const route = chooseRoute(run.settings.routes ?? [], "small", "low");
  const wanted = route?.role === "small" ? route : null;
  const harness = wanted?.harness == null ? beside : engine.harness(wanted.harness);
  const model = wanted?.model ?? harness.smallModel;
  return model === null ? null : { harness, model };
}

export async function chooseAgent(
  { engine, claim, plan }: AttemptContext,
  kind: PromptContext["kind"],
): Promise<ChosenAgent> {
  const run = await assertHeld(engine, claim);
  const { settings } = run;
  const { complexity } = run.plan;
  const route = routeFor({ plan, complexity, settings, role: routeRoleOf(plan, kind) });
  const { waitUntil: _, ...agent } = takeRoute(engine, route, run);
  return { ...agent, profile: profileFor(engine, plan, kind) };
}

/** The agent that a route names, or the next one while that is out of quota; `waitUntil`: all of them are, till then. */
export function takeRoute(
  engine: Pick<Engine, "harness" | "now">,
  route: Choice,
  { settings, exhausted }: Pick<Run, "settings" | "exhausted">,
): Omit<ChosenAgent, "profile"> & { readonly waitUntil: Millis | null } {
  const order = [route.harness, ...(settings.fallback ?? []).filter((id) => id !== route.harness)];
  const { harness, until } = chooseAvailable(order, exhausted, engine.now());
  return {
    harness: engine.harness(harness),
    // A model of one provider means nothing to another.
    model: harness === route.harness ? route.model : null,
    effort: route.effort,
    order,
    waitUntil: until,
  };
}

/**
 * Resolving a conflict is a piece of work of its own, for which the plan chose nobody. An agent that was disabled since
 * does what it was approved for.
 */
function profileFor(
  { roster }: Pick<Engine, "roster">,
  { agent }: Pick<StagePlan, "agent">,
  kind: PromptContext["kind"],
): AgentProfile | null {
  if (agent === null || kind === "merge-conflict") return null;
  const profile = findAgent(roster, agent);
  if (profile) return profile;
  // What this agent may do and may not do is unknown, so nobody else does it in its place.
  throw new UserError(`The plan gives this stage to ${quote(agent)}, and there is no such agent here.`, {
    next: `Put its file, ${agent}.md, into the folder agents/ below ~/.config/loom (LOOM_CONFIG) of every machine that runs agents, and start Loom there again.`,
  });
}
