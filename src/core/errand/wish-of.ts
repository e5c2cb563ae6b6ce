import { InternalError } from "../errors.ts";
import type { Errand } from "./errand.ts";
import type { PlanWish } from "./errand-events.ts";

/** How the plan is to be made, of an errand that makes one. */
export function wishOf({ id, plan }: Pick<Errand, "id" | "plan">): PlanWish {
  if (!plan) throw new InternalError(`the errand ${id} is to plan and says not how`);
  return plan;
}
