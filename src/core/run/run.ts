import type { Usage } from "../budget/usage.ts";
import type { RunSettings } from "../config/run-settings.ts";
import type { DatedFailure } from "../failure/retry-policy.ts";
import type { StageGraph } from "../graph/stage-graph.ts";
import type { Millis, RunId, Sha, StageId, Timestamp } from "../ids.ts";
import type { MergePolicy } from "../merge/merge-policy.ts";
import type { CommandCheck, Plan, StagePlan } from "../plan/plan.ts";
import type { DownstreamContext } from "../session/downstream-context.ts";
import type { SessionState } from "../session/session-state.ts";
import type { Verdict } from "../verify/verdict.ts";
import type { PauseCause, VoidCause } from "./causes.ts";
import type { RunCreated, RunEventOf } from "./events.ts";
import type { HostedLabels, Origin } from "./origin.ts";
import type { StageState } from "./stage-state.ts";

export type RunStatus = "running" | "completed" | "failed" | "blocked" | "cancelled";

/** All that is known about a run: a fold over its events, nothing else. */
export type Run = {
  readonly id: RunId;
  /** The number of events behind this state. */
  readonly version: number;
  readonly generation: number;
  readonly plan: Plan;
  readonly planPath: string;
  readonly planText: string;
  /** Counts the plans that the run has had. */
  readonly planVersion: number;
  /** The latest change of the plan. */
  readonly amended: Pick<RunEventOf<"plan-amended">, "by" | "via" | "key" | "blob"> | null;
  /** What stands on the plan's branch and can't be followed. */
  readonly refusedEdit: Pick<RunEventOf<"plan-edit-refused">, "by" | "head" | "blob" | "problems"> | null;
  readonly graph: StageGraph;
  readonly gate: readonly CommandCheck[];
  /** What the gate is made of besides the plan's own; `synthesised` is null where that was never needed. */
  readonly gateParts: { readonly synthesised: readonly string[] | null; readonly also: readonly string[] };
  readonly protect: readonly string[];
  readonly target: string;
  readonly base: Sha;
  /** Where Loom last left the target; when the target is still there, every merge is in its history. */
  readonly tip: Sha;
  readonly settings: RunSettings;
  readonly status: RunStatus;
  readonly cancelledBy: string | null;
  /** Where it was asked for; null for a run of one machine. */
  readonly origin: Origin | null;
  readonly merge: MergePolicy;
  readonly labels: HostedLabels | null;
  readonly showsPanel: boolean;
  /** The design document and the planner's notes, when an agent wrote the plan. */
  readonly planning: NonNullable<RunCreated["planning"]> | null;
  /** The pull request that offers the plan, and which of the plans it offers. */
  readonly offer: {
    readonly pr: number;
    readonly head: Sha;
    readonly blob: Sha;
    /** Since when people can see it, by GitHub's clock. */
    readonly since: Timestamp;
    readonly planVersion: number;
  } | null;
  readonly approval: Approval;
  /** What people did to it, and whether that was refused: none of it counts again (T33). */
  readonly gestures: ReadonlyMap<string, "done" | "refused">;
  readonly approverRole: string;
  readonly pausedBy: PauseCause | null;
  /** Somebody let it go on although the budget was spent. */
  readonly budgetLifted: boolean;
  /** The comment that shows the run's state. */
  readonly panel: number | null;
  readonly archived: boolean;
  readonly stalls: number;
  readonly createdAt: Timestamp;
  readonly finishedAt: Timestamp | null;
  /** For people; null: the plan's own name, or the id. */
  readonly name: string | null;
  /** Harnesses that are out of quota, and until when. */
  readonly exhausted: ReadonlyMap<string, Millis>;
  /** The commit that holds `.loom/<run>/`. */
  readonly recorded: Sha | null;
  /** In the graph's order: dependencies first. */
  readonly stages: ReadonlyMap<StageId, StageRecord>;
  /** Stages that are no longer in the plan, as they were last: what they used counts, and their numbers stay used. */
  readonly removed: ReadonlyMap<StageId, StageRecord>;
  /** How many stages have a `stackConflict`: each merge asks, and must not look at all stages for it. */
  readonly stackConflicts: number;
};

export type Approval =
  | { readonly kind: "not-needed" }
  /** `voided`: why an earlier approval no longer counts. */
  | { readonly kind: "awaited"; readonly voided: VoidCause | null }
  | {
      readonly kind: "given";
      readonly by: string;
      readonly role: string;
      readonly head: Sha;
      readonly blob: Sha;
      readonly via: RunEventOf<"run-approved">["via"];
      readonly at: Timestamp;
    };

export type Waiting = {
  readonly reason: string;
  readonly next: string;
  readonly until: Millis | null;
  /** What it would have to stand on when it was found that it has to wait. */
  readonly stack: readonly StackParent[];
  /** How often in a row. */
  readonly times: number;
};

/** A dependency that was not merged when this stage was based on it, and where its branch stood. */
export type StackParent = { readonly stage: StageId; readonly tip: Sha };

export type StageRecord = {
  readonly plan: StagePlan;
  readonly state: StageState;
  /** The number of the latest attempt; 0 before the first. */
  readonly attempts: number;
  /** The first attempt of what the stage is now: a plan that was changed starts it over. */
  readonly firstAttempt: number;
  /** The latest attempt was neither failed nor merged: it goes on after an interruption instead of being started anew. */
  readonly open: boolean;
  /** Since the stage was last reopened. */
  readonly failures: readonly DatedFailure[];
  /** How often Loom itself died while this stage ran. */
  readonly deaths: number;
  /** Where the attempt's work starts. */
  readonly base: Sha | null;
  /** Unfinished or failed work that the next session builds on. */
  readonly kept: { readonly commit: Sha; readonly base: Sha } | null;
  readonly commit: Sha | null;
  readonly files: readonly string[];
  /** How many changed files are not among the named ones. */
  readonly moreFiles?: number;
  readonly stalled: boolean;
  readonly verdict: Verdict | null;
  readonly branch: { readonly name: string; readonly tip: Sha } | null;
  readonly pr: number | null;
  readonly stack: readonly StackParent[];
  /** Its unmerged dependencies don't go together. */
  readonly stackConflict: readonly string[] | null;
  /** The stage in whose branch its work is by now; it is merged when that one is. */
  readonly foldedInto: StageId | null;
  /** Why it is not merged yet, and when to look again. */
  readonly waiting: Waiting | null;
  /** How often this commit was put into a merge queue. */
  readonly queueEntries: number;
  /** The person who does this stage instead of an agent. */
  readonly takenBy: string | null;
  /** Position in the queue of merges. */
  readonly publishedAt: number | null;
  readonly merging: { readonly commit: Sha; readonly onto: Sha } | null;
  readonly conflict: { readonly commit: Sha; readonly base: Sha; readonly files: readonly string[] } | null;
  readonly conflicts: number;
  readonly dialogue: readonly { readonly question: string; readonly answer: string | null }[];
  readonly session: SessionRecord | null;
  /** What the session before ran out of context with; gone when the attempt is committed. */
  readonly handOff: string | null;
  /** Hand-offs of the attempt that runs. */
  readonly handOffs: number;
  /** What the agent said about its work. */
  readonly report: StageReport | null;
  /** Of the latest attempt. */
  readonly warnings: readonly string[];
  /** Hosts that were asked for and refused, each once. */
  readonly deniedHosts: readonly string[];
  /** Agents or checks of any attempt ran without a sandbox; later attempts may build on that work. */
  readonly unconfined: boolean;
  readonly usage: Usage | null;
  /** The same, by harness and model. */
  readonly usageBy: ReadonlyMap<string, Usage>;
  readonly startedAt: Timestamp | null;
  /** When its work was first published; what comes then is mostly people's time. */
  readonly firstPublishedAt: Timestamp | null;
  readonly endedAt: Timestamp | null;
};

export type StageReport = { readonly text: string; readonly downstream: DownstreamContext | null };

export type SessionRecord = {
  readonly id: string;
  readonly harness: string;
  readonly model: string | null;
  /** Share of the model's window at its end. */
  readonly context: { readonly used: number; readonly window: number } | null;
  readonly marker: string;
  readonly tree: string;
  readonly startedAt: Timestamp;
  readonly state: SessionState;
};

export function stageOf(run: Run, id: StageId): StageRecord {
  const record = run.stages.get(id);
  if (!record) throw new RangeError(`run ${run.id} has no stage ${id}`);
  return record;
}

/** The plan was changed, and its pull request does not show that yet. */
export function isOfferStale({ offer, planVersion }: Pick<Run, "offer" | "planVersion">): boolean {
  return offer !== null && offer.planVersion !== planVersion;
}

/** Nothing may start, go on or be merged: the plan is not approved, or no longer. */
export function lacksApproval(run: Run): boolean {
  return run.approval.kind === "awaited";
}
