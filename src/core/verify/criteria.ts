import type { CommandCheck, Plan, RegressionTest, StagePlan, WiringCheck } from "../plan/plan.ts";

/** Installing what a project needs takes longer than asking it one question. */
export const SETUP_TIMEOUT_SECS = 1800;
export const GATE_TIMEOUT_SECS = 1800;

/** All that is asked of a stage's commit. It comes from the approved plan; the commit itself has no say in it (T28). */
export type Criteria = {
  /** Relative to the work tree, without `.` and doubled slashes; null when it leads out of the tree. */
  readonly workingDir: string | null;
  readonly setup: readonly CommandCheck[];
  readonly acceptance: readonly CommandCheck[];
  readonly truths: readonly CommandCheck[];
  readonly artifacts: readonly string[];
  readonly wiring: readonly WiringCheck[];
  readonly after: readonly CommandCheck[];
  readonly regression: RegressionTest | null;
  /** A bug fix without a named regression test is worth a remark. */
  readonly lacksRegression: boolean;
  /** Globs; empty when the stage may touch any file. */
  readonly ownFiles: readonly string[];
  readonly gate: readonly CommandCheck[];
};

/** `gate` is the one that Loom made for the project; a plan that brings its own, even an empty one, overrules it. */
export function criteriaFor(
  plan: Pick<Plan, "gate">,
  stage: StagePlan,
  gate: readonly CommandCheck[],
): Criteria {
  return {
    workingDir: normaliseFolder(stage.workingDir),
    setup: setupChecks(stage),
    acceptance: stage.acceptance,
    truths: stage.truths,
    artifacts: stage.artifacts,
    wiring: stage.wiring,
    after: stage.after,
    regression: stage.regressionTest,
    lacksRegression: stage.bugFix && stage.regressionTest === null,
    ownFiles: stage.files,
    gate: plan.gate ?? gate,
  };
}

export function setupChecks(stage: Pick<StagePlan, "setup">): CommandCheck[] {
  return stage.setup.map((command) => mustExitZero(command, SETUP_TIMEOUT_SECS));
}

export function gateChecks(commands: readonly string[]): CommandCheck[] {
  return commands.map((command) => mustExitZero(command, GATE_TIMEOUT_SECS));
}

export function mustExitZero(command: string, timeoutSecs: number): CommandCheck {
  return {
    command,
    description: null,
    timeoutSecs,
    exitCode: 0,
    stdoutContains: [],
    stdoutNotContains: [],
    stderrEmpty: false,
  };
}

/** Whether a commit has to prove anything at all; owning files is a promise about scope, not a proof. */
export function asksNothing(criteria: Criteria): boolean {
  const { acceptance, truths, artifacts, wiring, after, regression, lacksRegression, gate } = criteria;
  const lists = [acceptance, truths, artifacts, wiring, after, gate];
  return lists.every((list) => list.length === 0) && regression === null && !lacksRegression;
}

/** `.` for the root, and null for a folder outside of it. */
export function normaliseFolder(folder: string): string | null {
  const parts = folder.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..") || folder.startsWith("/")) return null;
  return parts.length === 0 ? "." : parts.join("/");
}
