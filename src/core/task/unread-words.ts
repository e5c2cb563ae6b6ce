import { isAudit } from "../command/task-kinds.ts";
import type { Task } from "./task.ts";

/**
 * The last that an agent found and did not put as it was asked to, for an audit that came to nothing; null: no such words.
 * They are paid for also where something else was the end of it, such as a budget with nothing left to ask again.
 */
export function unreadWords({ kind, failures }: Pick<Task, "kind" | "failures">): string | null {
  if (!isAudit(kind)) return null;
  const words = failures.map(
    (one) => one.said ?? (one.kind === "contract-unmet" ? (one.evidence ?? "") : null),
  );
  return words.findLast((said) => said !== null) ?? null;
}
