import type { Audit } from "../command/task-kinds.ts";
import type { TaskId } from "../task/task.ts";

/** What an audit wrote on a pull request is found again by these, in hidden marks. */

export function findingKey(audit: Audit, id: string): string {
  return `finding/${audit}/${id}`;
}

export function reviewKey(task: TaskId): string {
  return `review-${task}`;
}

/** A task's id begins with its kind, and goes on with a number. */
export function isReviewOf(audit: Audit, key: string): boolean {
  return key.startsWith(`review-${audit}-`) && /^\d/.test(key.slice(`review-${audit}-`.length));
}
