import type { Usage } from "../../../budget/usage.ts";
import type { RunId, Sha, StageId } from "../../../ids.ts";
import type { Verdict } from "../../../verify/verdict.ts";
import type { Group } from "../../terminal/stage-words.ts";

/**
 * What the texts on GitHub are made from. Every string in a view may come from an issue, a plan or an agent; the
 * renderers escape it, and secrets have been taken out before (`redactAll`).
 */

/** How a run stands, in the words of somebody who looks at GitHub. */
export type HostedStatus =
  | "planning"
  | "plan-review"
  | "running"
  | "paused"
  | "blocked"
  | "failed"
  | "completed"
  | "cancelled"
  /** The App lost its access. */
  | "suspended";

export type StageView = {
  readonly id: StageId;
  readonly name: string;
  /** As `stateWords` has it. */
  readonly state: { readonly icon: string; readonly word: string; readonly group: Group };
  /** Counted from 0. */
  readonly level: number;
  readonly pr: number | null;
  readonly checks: { readonly passed: number; readonly total: number } | null;
  readonly elapsedMs: number | null;
  readonly attempt: number;
  readonly dependencies: readonly StageId[];
  /** One sentence: what it does, or why nothing happens. */
  readonly note: string | null;
};

/** Something that only a person can do. */
export type Ask =
  | { readonly kind: "approve"; readonly pr: number; readonly head: Sha; readonly label: string }
  /** The plan was changed in a way that can't be followed. */
  | { readonly kind: "fix-plan"; readonly pr: number; readonly head: Sha; readonly problem: string }
  | { readonly kind: "answer"; readonly stage: StageId; readonly question: string }
  | { readonly kind: "unblock"; readonly stage: StageId; readonly reason: string }
  /** `why`: what a person has to decide; absent: people merge anyway. */
  | { readonly kind: "merge"; readonly stage: StageId; readonly pr: number; readonly why?: string }
  | { readonly kind: "push"; readonly stage: StageId; readonly by: string; readonly branch: string }
  | { readonly kind: "budget"; readonly spentUsd: number; readonly budgetUsd: number };

export type ApprovalView = { readonly by: string; readonly role: string; readonly head: Sha };

export type PanelView = {
  readonly runId: RunId;
  /** Of the issue, or of the plan. */
  readonly title: string;
  readonly issue: number | null;
  readonly target: string;
  readonly status: HostedStatus;
  readonly mergeMode: "review" | "auto";
  readonly planPr: number | null;
  readonly approval: ApprovalView | null;
  /** Why an earlier approval no longer counts. */
  readonly voided: string | null;
  readonly paused: { readonly by: string; readonly reason: string } | null;
  readonly cancelledBy: string | null;
  /** In the order in which they are to be shown. */
  readonly stages: readonly StageView[];
  readonly asks: readonly Ask[];
  readonly elapsedMs: number | null;
  readonly spentUsd: number | null;
  readonly budgetUsd: number | null;
  /** Labels that stages wait for and no worker serves; absent: none. */
  readonly unserved?: readonly string[];
};

/** Another stage of the run, as a pull request refers to it. */
export type Neighbour = { readonly stage: StageId; readonly pr: number | null; readonly merged: boolean };

export type StagePullView = {
  readonly runId: RunId;
  readonly stage: StageId;
  readonly name: string;
  readonly description: string;
  readonly attempt: number;
  readonly commit: Sha;
  readonly files: readonly string[];
  readonly moreFiles?: number;
  readonly verdict: Verdict | null;
  readonly dependsOn: readonly Neighbour[];
  readonly neededBy: readonly Neighbour[];
  readonly planPr: number | null;
  readonly issue: number | null;
  readonly target: string;
  readonly mergeMode: "review" | "auto";
  /** Why a person has to merge it whatever the mode is. */
  readonly waits?: { readonly reason: string; readonly next: string };
  /** The person who did the work instead of an agent. */
  readonly takenBy: string | null;
};

export type StageCheckState =
  | { readonly kind: "queued" }
  | { readonly kind: "working"; readonly activity: string | null }
  | { readonly kind: "verifying" }
  | { readonly kind: "passed"; readonly merged: boolean }
  /** It is proved, and only a person can say whether that is enough. */
  | { readonly kind: "asks"; readonly reason: string; readonly next: string }
  /** `retries`: another attempt follows by itself. */
  | {
      readonly kind: "failed";
      readonly message: string;
      readonly evidence: string | null;
      readonly retries: boolean;
    }
  /** A question, a branch somebody moved, a stage somebody took. */
  | {
      readonly kind: "needs-person";
      readonly reason: string;
      readonly next: string;
      /** False when fresh attempts are no way out, as for a question. */
      readonly retriable?: boolean;
    }
  /** Loom, its machine or a provider is to blame, not the change. */
  | { readonly kind: "fault"; readonly message: string }
  | { readonly kind: "skipped"; readonly reason: string }
  | { readonly kind: "cancelled"; readonly by: string };

export type StageCheckView = {
  readonly runId: RunId;
  readonly stage: StageId;
  readonly name: string;
  readonly attempt: number;
  readonly state: StageCheckState;
  readonly verdict: Verdict | null;
  readonly planPr: number | null;
  /** Hosts that agent, set-up or checks asked for and did not get. */
  readonly deniedHosts: readonly string[];
  /** Agent or checks ran without a sandbox. */
  readonly unconfined?: boolean;
  readonly warnings: readonly string[];
  /** What the agent says it did. */
  readonly report: string | null;
  /** Who worked on it and what that used, such as `claude/opus`. */
  readonly usedBy: readonly { readonly name: string; readonly usage: Usage }[];
};
