import type { Sha } from "../../core/ids.ts";

/** Check runs of one repository on GitHub. */
export interface Checks {
  /** Find-or-create by name, head and external id; a completed one is made anew when it has to go on. Resolves with its id. */
  putCheck(check: CheckSpec, known: number | null): Promise<number>;
}

export type CheckSpec = {
  readonly name: string;
  readonly head: Sha;
  /** `<run>/<stage>/<attempt>`, or `<run>` for the plan's. */
  readonly externalId: string;
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion: "success" | "failure" | "neutral" | "cancelled" | "action_required" | "skipped" | null;
  readonly title: string;
  readonly summary: string;
  readonly text: string | null;
  readonly actions: readonly {
    readonly label: string;
    readonly description: string;
    readonly identifier: string;
  }[];
};
