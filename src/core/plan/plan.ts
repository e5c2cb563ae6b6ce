import type { StageId } from "../ids.ts";

/** A plan as the rest of Loom sees it: every alias resolved, every default filled in. */
export type Plan = {
  readonly name: string | null;
  readonly complexity: Complexity | null;
  readonly stages: readonly StagePlan[];
  /** The project-wide checks. null: Loom synthesises them; empty: the plan wants none. */
  readonly gate: readonly CommandCheck[] | null;
  readonly maxParallel: number | null;
  readonly merge: { readonly mode: MergeMode };
  readonly budget: Budget;
  readonly sandbox: SandboxRules;
};

export type Complexity = "simple" | "medium" | "complex";
export type MergeMode = "auto" | "review";
export type StageType = "standard" | "knowledge" | "integration-verify" | "code-review" | "investigate";
export type Effort = "low" | "medium" | "high";

export type Budget = {
  readonly wallClockSecs: number | null;
  readonly tokens: number | null;
  readonly costUsd: number | null;
};

/** What a plan or a stage asks of the sandbox; `core/sandbox` merges the two. Paths and globs are seen from the root of the tree. */
export type SandboxRules = {
  /** Only the operator can switch the sandbox off; kept to say so. */
  readonly enabled: boolean | null;
  readonly filesystem: {
    readonly denyRead: readonly string[];
    readonly denyWrite: readonly string[];
    readonly allowWrite: readonly string[];
  };
  /** Hosts, by what reaches for them: the agent, set-up commands, checks. */
  readonly network: {
    readonly allowedDomains: readonly string[];
    readonly setup: readonly string[];
    readonly checks: readonly string[];
  };
  /** Commands that the agent may not run. */
  readonly excludedCommands: readonly string[];
  readonly limits: SandboxLimits;
};

/** null: no wish. */
export type SandboxLimits = {
  readonly processes: number | null;
  readonly memoryMb: number | null;
  readonly fileMb: number | null;
  readonly diskMb: number | null;
};

export const NO_LIMITS: SandboxLimits = { processes: null, memoryMb: null, fileMb: null, diskMb: null };

export const NO_SANDBOX_RULES: SandboxRules = {
  enabled: null,
  filesystem: { denyRead: [], denyWrite: [], allowWrite: [] },
  network: { allowedDomains: [], setup: [], checks: [] },
  excludedCommands: [],
  limits: NO_LIMITS,
};

export type StagePlan = {
  readonly id: StageId;
  readonly name: string;
  readonly description: string;
  readonly dependencies: readonly StageId[];
  readonly agent: string | null;
  readonly harness: string | null;
  readonly model: string | null;
  readonly effort: Effort | null;
  readonly type: StageType;
  /** Globs of the files this stage owns. */
  readonly files: readonly string[];
  /** Relative to the work tree; "." is its root. */
  readonly workingDir: string;
  readonly setup: readonly string[];
  readonly acceptance: readonly CommandCheck[];
  readonly truths: readonly CommandCheck[];
  /** Globs of files that must exist and hold a real implementation. */
  readonly artifacts: readonly string[];
  readonly wiring: readonly WiringCheck[];
  /** Hold before the agent starts, on the base. */
  readonly before: readonly CommandCheck[];
  /** Hold afterwards, on the commit. */
  readonly after: readonly CommandCheck[];
  readonly bugFix: boolean;
  readonly regressionTest: RegressionTest | null;
  /** Percent of the model's window. */
  readonly contextBudget: number;
  readonly timeoutSecs: number | null;
  /** The stall window; 0 turns the stall guard off. */
  readonly noProgressSecs: number | null;
  /** Further attempts after the first. */
  readonly retries: number | null;
  readonly runsOn: string | null;
  readonly sandbox: SandboxRules;
  /** When this stage fails for good, the run stops at once. */
  readonly critical: boolean;
  /** Runs after every other stage and has no dependents. */
  readonly synthesis: boolean;
  /** An attempt that changes nothing is fine. */
  readonly allowNoChange: boolean;
  /** Where the stage begins in the plan file, counted from 1. */
  readonly line: number;
};

export type CommandCheck = {
  readonly command: string;
  /** What a person reads instead of the bare command. */
  readonly description: string | null;
  readonly timeoutSecs: number;
  readonly exitCode: number;
  readonly stdoutContains: readonly string[];
  readonly stdoutNotContains: readonly string[];
  readonly stderrEmpty: boolean;
};

export type WiringCheck = {
  readonly source: string;
  readonly pattern: string;
  readonly description: string | null;
};

export type RegressionTest = {
  readonly file: string | null;
  readonly mustContain: readonly string[];
  /** Fails on the base with the new test, passes on the commit. */
  readonly command: string | null;
};

export const DEFAULT_CHECK_TIMEOUT_SECS = 300;
export const DEFAULT_CONTEXT_BUDGET = 65;
export const MAX_CONTEXT_BUDGET = 75;

/** Stage types whose worth is not a change of the code. */
export function mayChangeNothing(stage: Pick<StagePlan, "type" | "allowNoChange">): boolean {
  return stage.allowNoChange || stage.type !== "standard";
}
