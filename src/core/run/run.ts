import type { DatedFailure } from "../failure/retry-policy.ts";
import type { StageGraph } from "../graph/stage-graph.ts";
import type { RunId, Sha, StageId, Timestamp } from "../ids.ts";
import type { CommandCheck, Plan, StagePlan } from "../plan/plan.ts";
import type { SessionState } from "../session/session-state.ts";
import type { StageState } from "../stage/stage-state.ts";
import type { Verdict } from "../verify/verdict.ts";
import type { RunSettings, Usage } from "./events.ts";

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
  readonly graph: StageGraph;
  readonly gate: readonly CommandCheck[];
  readonly target: string;
  readonly base: Sha;
  /** Where Loom last left the target; when the target is still there, every merge is in its history. */
  readonly tip: Sha;
  readonly settings: RunSettings;
  readonly status: RunStatus;
  readonly cancelledBy: string | null;
  readonly stalls: number;
  readonly createdAt: Timestamp;
  readonly finishedAt: Timestamp | null;
  /** The commit that holds `.loom/<run>/`. */
  readonly recorded: Sha | null;
  /** In the graph's order: dependencies first. */
  readonly stages: ReadonlyMap<StageId, StageRecord>;
};

export type StageRecord = {
  readonly plan: StagePlan;
  readonly state: StageState;
  /** The number of the latest attempt; 0 before the first. */
  readonly attempts: number;
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
  readonly stalled: boolean;
  readonly verdict: Verdict | null;
  readonly branch: { readonly name: string; readonly tip: Sha } | null;
  /** Position in the queue of merges. */
  readonly publishedAt: number | null;
  readonly merging: { readonly commit: Sha; readonly onto: Sha } | null;
  readonly conflict: { readonly commit: Sha; readonly base: Sha; readonly files: readonly string[] } | null;
  readonly conflicts: number;
  readonly dialogue: readonly { readonly question: string; readonly answer: string | null }[];
  readonly session: SessionRecord | null;
  readonly usage: Usage | null;
  readonly startedAt: Timestamp | null;
  readonly endedAt: Timestamp | null;
};

export type SessionRecord = {
  readonly id: string;
  readonly harness: string;
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
