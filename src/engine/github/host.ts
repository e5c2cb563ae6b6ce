import type { RepositoryRef } from "../../core/command/delivery.ts";
import type { RepositoryConfig } from "../../core/config/repository/repository-config.ts";
import type { RunSettings } from "../../core/config/run-settings.ts";
import type { RepoId, RunId, Sha, StageId } from "../../core/ids.ts";
import type { Plan } from "../../core/plan/plan.ts";
import type { ParsedPlan } from "../../core/plan/read/parse-plan.ts";
import type { Run } from "../../core/run/run.ts";
import type { AppClient } from "../../ports/app-client.ts";
import type { Audit } from "../../ports/audit.ts";
import type { Cache } from "../../ports/cache.ts";
import type { RepositoryPorts } from "../../ports/github/repository-ports.ts";
import type { Inbox } from "../../ports/inbox.ts";
import type { JobQueue } from "../../ports/job-queue.ts";
import type { Leases } from "../../ports/leases.ts";
import type { Workspace } from "../../ports/workspace.ts";
import type { LookAtHarness } from "../run/check-harnesses.ts";
import type { TaskEngine } from "../task/task-engine.ts";

/** One repository on GitHub, with all that the engine needs to work on its runs. */
export type RepoEngine = TaskEngine &
  RepositoryPorts & {
    readonly repo: RepoId;
    readonly repoRef: RepositoryRef;
    /** Where people see the repository. */
    readonly webUrl: string;
    readonly cache: Cache;
    /** Where what several runs are about to merge is proved together. */
    readonly trainWorkspace: Workspace;
    /** null when somebody else made the commit. It has to be on this machine. */
    readonly readOwnWork: (commit: Sha) => Promise<OwnWork | null>;
  };

/** What a commit of a stage says about itself in its trailers. */
export type OwnWork = { readonly run: RunId; readonly stage: StageId; readonly base: Sha };

/** Everything beyond one repository. */
export type Host = {
  readonly inbox: Inbox;
  readonly queue: JobQueue;
  readonly leases: Leases;
  readonly cache: Cache;
  readonly client: AppClient;
  /** null when nothing is known of such a repository. */
  readonly repository: (repo: RepoId) => Promise<RepoEngine | null>;
  /** Learns, or learns anew, where a repository is. */
  readonly meet: (repoRef: RepositoryRef) => Promise<RepoEngine>;
  /** `disabled`: agents that the repository does not want. `run`: the one that is to go on with this plan. */
  readonly parsePlan: (text: string, disabled: readonly string[], run?: Run) => ParsedPlan;
  readonly planHash: (text: string) => string;
  readonly settingsFor: (wish: SettingsWish) => RunSettings;
  /** Which agents can be started, on whichever machine. */
  readonly lookAtHarness: LookAtHarness;
  /** Lets others know which agents this process can start. */
  readonly announceHarnesses: () => Promise<void>;
  /** How many agents of one installation may work at a time, on all workers together; null: as many as there are. */
  readonly slots: number | null;
  /** Tells one operator's webhook; absent when none is configured. */
  readonly notify: ((body: string) => Promise<void>) | null;
  readonly warn: (message: string, error?: unknown) => void;
  readonly audit: Audit;
  readonly now: () => number;
};

export type SettingsWish = {
  readonly config: RepositoryConfig;
  readonly plan: Pick<Plan, "maxParallel">;
  readonly harness: string | null;
  readonly budgetUsd: number | null;
};
