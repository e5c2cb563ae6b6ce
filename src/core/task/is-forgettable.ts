import type { Millis } from "../ids.ts";
import type { Task } from "./task.ts";

/** For how long what an agent was told and said is kept. */
export const KEEP_TASKS_MS: Millis = 30 * 24 * 3_600_000;

/**
 * It ended long ago, or somebody left it in a terminal and never came back. On GitHub each task comes to its end, however
 * long people are given to answer.
 */
export function isForgettable(
  { outcome, origin, touchedAt }: Pick<Task, "outcome" | "origin" | "touchedAt">,
  now: Millis,
): boolean {
  return (outcome !== null || origin === null) && now - Date.parse(touchedAt) >= KEEP_TASKS_MS;
}
