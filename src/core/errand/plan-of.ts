import type { Draft, Errand } from "./errand.ts";

/** The plan that came of it, be it drafted or made up in its place. */
export function planOf(errand: Pick<Errand, "drafts" | "degraded">): string | null {
  return takenDraft(errand)?.plan ?? errand.degraded?.plan ?? null;
}

/** What Loom mended or let pass, in the plan that came of it and in its design. */
export type PlanNotes = {
  readonly designNotes?: readonly string[] | undefined;
  readonly notes: readonly string[];
};

/** What was let pass in other drafts is gone with them. */
export function planNotes(errand: Pick<Errand, "drafts" | "design">): PlanNotes {
  return { designNotes: errand.design?.notes ?? [], notes: takenDraft(errand)?.notes ?? [] };
}

function takenDraft({ drafts }: Pick<Errand, "drafts">): Draft | undefined {
  return drafts.findLast(({ plan }) => plan !== null);
}
