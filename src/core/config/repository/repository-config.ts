import type { Degraded, Depth, PlanningMode } from "../../command/planning-choices.ts";
import type { Role } from "../../command/role.ts";
import { type Effort, NO_LIMITS, type SandboxLimits } from "../../plan/plan.ts";
import { DEFAULTS } from "../defaults.ts";
import type { Route } from "../routing.ts";
import type { Contract } from "../settings/settings.ts";

/** What a repository says about how Loom works in it: `.github/loom.yml` of its default branch, nowhere else. */
export type RepositoryConfig = {
  readonly merge: {
    /** `review`: people merge. `auto`: Loom does, once a stage is verified and the required checks pass. */
    readonly mode: "review" | "auto";
    /** null: what the repository allows, squash first. */
    readonly method: MergeMethod | null;
    /** `native`: GitHub's stacks; `chained`: each pull request on the branch before it; `auto`: whatever fits. */
    readonly stack: "auto" | "chained" | "native";
    readonly deleteBranches: boolean;
  };
  readonly approval: {
    readonly label: string;
    /** The least role that may approve a plan. */
    readonly leastRole: ApproverRole;
    /** Whether `--express` may skip the approval. */
    readonly express: boolean;
  };
  readonly labels: StatusLabels;
  readonly limits: {
    readonly maxParallel: number;
    readonly retries: number;
    readonly timeoutSecs: number;
    /** null: no limit of the repository's own. */
    readonly budgetUsd: number | null;
    readonly maxStages: number;
  };
  /** null: the operator's choice. */
  readonly harness: string | null;
  /** Who does which work; they come before the operator's. */
  readonly models: readonly Route[];
  /** Harnesses to go on with while one is out of quota; empty: the operator's choice. */
  readonly fallback: readonly string[];
  /** null: the operator's choice. */
  readonly effort: Effort | null;
  /** null: the operator's choice. */
  readonly contract: Contract | null;
  readonly sandbox: {
    /** Hosts besides the operator's. */
    readonly network: {
      readonly agent: readonly string[];
      readonly setup: readonly string[];
      readonly checks: readonly string[];
    };
    /** They lower the operator's limits and never raise them. */
    readonly limits: SandboxLimits;
  };
  /** How plans are made. */
  readonly planner: {
    /** When no sound plan comes out: a plan of one stage, the same behind an approval, or none. */
    readonly degraded: Degraded;
    readonly depth: Depth;
    /** How much of a draft Loom fixes itself instead of sending it back. */
    readonly mode: PlanningMode;
    readonly remindAfterSecs: number;
    readonly defaultAfterSecs: number;
    readonly budgetUsd: number;
  };
  /** Agents that no stage may be given to, in addition to those that the operator took out. */
  readonly disabledAgents: readonly string[];
  /** What commands may take that one agent answers. */
  readonly commands: { readonly budgetUsd: number; readonly timeoutSecs: number };
  /** The label of the runners that stages go to when they name none. */
  readonly runsOn: string | null;
  /** Files and folders that no agent may change, besides those that none may anywhere. */
  readonly protectedPaths: readonly string[];
  /** Commands that every stage has to pass, besides its own checks. */
  readonly gate: readonly string[];
  /** Whether the body of a new issue may ask for a run. */
  readonly autoRun: boolean;
  readonly notify: { readonly panel: boolean };
};

export type MergeMethod = "squash" | "merge" | "rebase";
export type ApproverRole = Extract<Role, "write" | "maintain" | "admin">;

/** A projection for people; Loom never reads them back. */
export type StatusLabels = {
  readonly planReview: string;
  readonly approved: string;
  readonly running: string;
  readonly needsHuman: string;
  readonly blocked: string;
  readonly done: string;
};

export const REPOSITORY_CONFIG_PATH = ".github/loom.yml";

/** Every default of a repository stands here and nowhere else. */
export const DEFAULT_REPOSITORY_CONFIG: RepositoryConfig = {
  merge: { mode: "review", method: null, stack: "auto", deleteBranches: true },
  approval: { label: "loom: approve", leastRole: "write", express: false },
  labels: {
    planReview: "loom: plan review",
    approved: "loom: approved",
    running: "loom: running",
    needsHuman: "loom: needs human",
    blocked: "loom: blocked",
    done: "loom: done",
  },
  limits: {
    maxParallel: DEFAULTS.maxParallel,
    retries: DEFAULTS.retries,
    timeoutSecs: DEFAULTS.timeoutSecs,
    budgetUsd: null,
    maxStages: 100,
  },
  harness: null,
  models: [],
  fallback: [],
  effort: null,
  contract: null,
  sandbox: { network: { agent: [], setup: [], checks: [] }, limits: NO_LIMITS },
  planner: DEFAULTS.planner,
  disabledAgents: [],
  commands: DEFAULTS.commands,
  runsOn: null,
  protectedPaths: [],
  gate: [],
  autoRun: false,
  notify: { panel: true },
};
