import type { Sha } from "../core/ids.ts";
import type { IssueFacts } from "./hub.ts";

/** Turns an issue into a plan. An agent, a script, or a person who wrote one already. */
export interface Planner {
  plan(request: PlanRequest, signal: AbortSignal): Promise<PlanOutcome>;
}

export type PlanRequest = {
  readonly issue: IssueFacts;
  /** A plan in the repository that the person named. */
  readonly path: string | null;
  /** The default branch as it was when the plan was asked for. */
  readonly base: Sha;
  readFile(path: string): Promise<string | null>;
};

export type PlanOutcome =
  /** `label`: a readable name for the run, such as the plan's path. */
  | { readonly kind: "planned"; readonly text: string; readonly label: string }
  | { readonly kind: "refused"; readonly reason: string; readonly next: string };
