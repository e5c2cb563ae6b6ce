import type { Draft, Task } from "./task.ts";

/** The plan that came of it, be it drafted or made up in its place. */
export function planOf(task: Pick<Task, "drafts" | "degraded">): string | null {
  return takenDraft(task)?.plan ?? task.degraded?.plan ?? null;
}

/** What Loom fixed or let pass, in the plan that came of it and in its design. */
export type PlanNotes = {
  readonly designNotes?: readonly string[] | undefined;
  readonly notes: readonly string[];
};

/** What was let pass in other drafts is gone with them. */
export function planNotes(task: Pick<Task, "drafts" | "design">): PlanNotes {
  return { designNotes: task.design?.notes ?? [], notes: takenDraft(task)?.notes ?? [] };
}

function takenDraft({ drafts }: Pick<Task, "drafts">): Draft | undefined {
  return drafts.findLast(({ plan }) => plan !== null);
}
