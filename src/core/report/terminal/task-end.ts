import type { Failure } from "../../failure/failure.ts";
import type { DatedFailure } from "../../failure/retry-policy.ts";
import type { Task } from "../../task/task.ts";
import { plainLines } from "../../text/escape-text.ts";
import { afterTask } from "../texts/escalation.ts";
import { whyDegraded } from "../texts/task-cause-texts.ts";
import { taskTexts } from "../texts/task-texts.ts";

/** Why a task came to nothing, as people are told it. */
export type TaskEnd = {
  readonly reason: string;
  /** The end of what the agent wrote, where that shows why. */
  readonly evidence: string | null;
  /** What they can do about it; empty where the reason says so itself. */
  readonly next: string;
};

/** A task may also end for what no session did, such as a budget that is used up; then there is nothing to show. */
export function taskEnd(
  { origin, kind }: Pick<Task, "origin" | "kind">,
  why: { readonly reason: string | null; readonly next: string; readonly failure: Failure | null },
): TaskEnd {
  const { reason, next, failure } = why;
  return {
    reason: reason ?? taskTexts.broken(),
    evidence: failure?.evidence ?? null,
    next: next || (failure ? afterTask(failure, kind, { hosted: origin !== null }) : ""),
  };
}

/** Why a planner was not asked for another draft; null: it had all its drafts, or its plan is sound. */
export function plannerEnd(task: Pick<Task, "origin" | "kind" | "degraded" | "failures">): TaskEnd | null {
  const { degraded } = task;
  if (!degraded || degraded.cause.kind === "drafts") return null;
  return taskEnd(task, { reason: whyDegraded(degraded.cause), next: "", failure: plannerFailure(task) });
}

/** What the planner's last session failed at, where that is why there is no plan of its own. */
export function plannerFailure({
  degraded,
  failures,
}: Pick<Task, "degraded" | "failures">): DatedFailure | null {
  return degraded?.cause.kind === "failures" ? (failures.at(-1) ?? null) : null;
}

/** More than this is looked at by nobody, and agents may have written megabytes. */
const TAIL_CHARS = 20_000;

/** The last lines that say anything; whatever stands before them is left out. */
export function lastLines(text: string, most: number): string[] {
  return plainLines(text.slice(-TAIL_CHARS))
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line.trim() !== "")
    .slice(-most);
}
