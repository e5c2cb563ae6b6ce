import type { RunId, Sha } from "../../core/ids.ts";

/** The branch and the pull request by which a plan is offered. Every write can be repeated (F14). */
export interface PlanBranch {
  /** Find-or-create: branch, commit and pull request that offer the plan. A branch that a person moved is left alone. */
  offerPlan(spec: PlanOffer): Promise<PlanOffered>;
  /** Puts another plan on the plan's branch, unless it stands there already; a plan that it does not replace is left alone. */
  amendOffer(spec: PlanAmendment): Promise<PlanAmended>;
}

export type PlanOffer = {
  readonly run: RunId;
  readonly target: string;
  readonly base: Sha;
  readonly files: Readonly<Record<string, string>>;
  /** Among `files`: what an approval is bound to. */
  readonly planPath: string;
  readonly message: string;
  readonly title: string;
  readonly body: string;
};

export type OfferedPlan = {
  readonly kind: "offered";
  readonly pr: number;
  readonly head: Sha;
  readonly blob: Sha;
  readonly since: string | null;
};

export type PlanOffered =
  | OfferedPlan
  | { readonly kind: "taken"; readonly branch: string; readonly tip: Sha }
  | { readonly kind: "closed"; readonly pr: number };

export type PlanAmendment = {
  readonly run: RunId;
  readonly files: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
  /** Among `files`. */
  readonly planPath: string;
  /** The plan that may be replaced, as a git object. */
  readonly replaces: Sha;
  /** The plan that somebody pushed, where that is the one to be offered: nothing has to be pushed then. */
  readonly adopts: Sha | null;
  readonly message: string;
};

export type PlanAmended =
  | OfferedPlan
  /** Somebody put another plan there meanwhile. */
  | { readonly kind: "edited"; readonly head: Sha }
  | { readonly kind: "merged"; readonly pr: number }
  | { readonly kind: "closed"; readonly pr: number | null };
