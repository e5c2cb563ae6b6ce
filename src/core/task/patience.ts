import type { Millis } from "../ids.ts";
import type { Task } from "./task.ts";
import type { PlanWish } from "./task-events.ts";

/** How long questions wait for people. A reminder that would come too late comes at half of the time. */
export function patienceOf({ remindAfterSecs, defaultAfterSecs }: PlanWish): {
  readonly remindMs: number;
  readonly defaultMs: number;
} {
  const remindSecs = remindAfterSecs < defaultAfterSecs ? remindAfterSecs : defaultAfterSecs / 2;
  return { remindMs: remindSecs * 1000, defaultMs: defaultAfterSecs * 1000 };
}

/**
 * When the defaults are taken, once somebody was reminded. Where Loom was away and the reminder came late, people have half
 * of the usual time to heed it.
 */
export function defaultsAt({ shownAt }: Pick<Task, "shownAt">, wish: PlanWish, remindedAt: Millis): Millis {
  const { remindMs, defaultMs } = patienceOf(wish);
  return Math.max((shownAt ?? remindedAt) + defaultMs, remindedAt + (defaultMs - remindMs) / 2);
}
