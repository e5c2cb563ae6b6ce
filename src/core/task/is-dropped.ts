import type { Task } from "./task.ts";

/** Somebody cancelled it in time. What is being handed over already stands on GitHub in part, so it is brought to its end. */
export function isDropped({ cancelledBy, fates }: Pick<Task, "cancelledBy" | "fates">): boolean {
  return cancelledBy !== null && !fates;
}
