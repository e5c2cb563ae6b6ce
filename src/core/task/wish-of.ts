import { InternalError } from "../errors.ts";
import type { Task } from "./task.ts";
import type { PlanWish } from "./task-events.ts";

/** How the plan is to be made, of a task that makes one. */
export function wishOf({ id, plan }: Pick<Task, "id" | "plan">): PlanWish {
  if (!plan) throw new InternalError(`the task ${id} is to plan and says not how`);
  return plan;
}
