import { chooseAvailable } from "../core/config/fallback.ts";
import { chooseRoute, roleOf, routeFor } from "../core/config/routing.ts";
import type { Effort } from "../core/plan/plan.ts";
import type { SignalContext } from "../core/signal/build-signal.ts";
import type { Harness } from "../ports/harness.ts";
import { assertHeld } from "./claim.ts";
import type { Desk } from "./lay-out.ts";

/** Who does it: the agent that plan, routes and settings name, or the next one while that is out of quota. */
export type ChosenAgent = {
  readonly harness: Harness;
  readonly model: string | null;
  readonly effort: Effort;
  /** Who may do it instead while one is out of quota, the wanted one first. */
  readonly order: readonly string[];
};

export type SmallModel = { readonly harness: Harness; readonly model: string };

/** The cheap model for short questions: that of a route for them, else the one that goes with the harness; null: none. */
export function chooseSmall({ engine, run }: Desk, beside: Harness): SmallModel | null {
  const route = chooseRoute(run.settings.routes ?? [], "small", "low");
  const wanted = route?.role === "small" ? route : null;
  const harness = wanted?.harness == null ? beside : engine.harness(wanted.harness);
  const model = wanted?.model ?? harness.smallModel;
  return model === null ? null : { harness, model };
}

export async function chooseAgent(
  { engine, claim, plan }: Desk,
  kind: SignalContext["kind"],
): Promise<ChosenAgent> {
  const run = await assertHeld(engine, claim);
  const { settings } = run;
  const { complexity } = run.plan;
  const route = routeFor({ plan, complexity, settings, role: roleOf(plan, kind) });
  const order = [route.harness, ...(settings.fallback ?? []).filter((id) => id !== route.harness)];
  const { harness } = chooseAvailable(order, run.exhausted, engine.now());
  return {
    harness: engine.harness(harness),
    // A model of one provider means nothing to another.
    model: harness === route.harness ? route.model : null,
    effort: route.effort,
    order,
  };
}
