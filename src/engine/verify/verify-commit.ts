import type { GateChanges } from "../../core/config/gate-changes.ts";
import type { Strictness } from "../../core/config/strictness.ts";
import type { Sha } from "../../core/ids.ts";
import type { CommandCheck, Plan } from "../../core/plan/plan.ts";
import { quote } from "../../core/text/quote.ts";
import { asksNothing, type Criteria, criteriaFor } from "../../core/verify/criteria.ts";
import { judgeAll, judgeGate } from "../../core/verify/judge-strictly.ts";
import { branch, leaf, type Verdict } from "../../core/verify/verdict.ts";
import { throwIfInterrupted } from "../attempt/interrupted.ts";
import { sandboxAt } from "../session/sandbox-at.ts";
import { checkArtifacts } from "./check-artifacts.ts";
import { compareGateWithBase, hasFolder } from "./check-base.ts";
import { checkCommand, checkCommands, checkSetup } from "./check-command.ts";
import { type CommitContent, readContent } from "./check-content.ts";
import { checkGateOfBase } from "./check-gate.ts";
import { checkOwnFiles } from "./check-own-files.ts";
import { checkPublished } from "./check-published.ts";
import { checkRegressionFile, checkRegressionOnBase, regressionCheck } from "./check-regression.ts";
import { checkSandboxRules } from "./check-sandbox-rules.ts";
import { type CheckDeps, type CheckOrder, type CheckScene, inCleanTree } from "./check-scene.ts";
import { checkWiring } from "./check-wiring.ts";

export type VerifyRequest = CheckOrder & {
  readonly plan: Plan;
  /** The synthesised gate; it counts only when the plan says nothing about one. */
  readonly gate: readonly CommandCheck[];
  readonly commit: Sha;
  readonly base: Sha;
  /** What a failing gate is compared with; the base when not given. */
  readonly gateBase?: Sha;
  /** `normal` when not given. */
  readonly strictness?: Strictness | undefined;
  /** `ask` when not given. */
  readonly gateChanges?: GateChanges | undefined;
};

/**
 * Finds out by itself whether a commit does what the approved plan asks of its stage. Whatever an agent claimed, and
 * whatever the commit says about its own criteria, is not looked at (T28).
 *
 * Commands run one after the other in one checkout, which is set back to the commit before each. Files are read from the
 * commit, so that nothing a command leaves in the checkout can pass for work. Throws `Interrupted` when stopped; any other error is trouble of this
 * machine and says nothing about the commit.
 */
export async function verifyCommit(deps: CheckDeps, request: VerifyRequest): Promise<Verdict> {
  throwIfInterrupted(request.signal);
  return judgeAll(await runChecks(deps, request), request.strictness ?? "normal");
}

async function runChecks(deps: CheckDeps, request: VerifyRequest): Promise<Verdict> {
  const criteria = criteriaFor(request.plan, request.stage, request.gate);
  const ran = await runCommands(deps, request, criteria);
  const gate =
    ran.kind === "ran"
      ? await compareGateWithBase(deps, request, request.gateBase ?? request.base, criteria, ran.gate)
      : [];
  return judgeCommit(deps, request, criteria, ran, gate);
}

/** What the commands came to, and what the commit itself shows. `gate`: compared with the base. */
export async function judgeCommit(
  deps: CheckDeps,
  request: VerifyRequest,
  criteria: Criteria,
  ran: CommandsRun,
  gate: readonly Verdict[],
): Promise<Verdict> {
  const { commit, base } = request;
  if (ran.kind === "set-up-failed")
    return branch("checks", [ran.setup], "the set-up failed, so nothing else was run");

  const content = readContent(deps, { commit, base, workingDir: criteria.workingDir ?? "." });
  const checked = [
    ran.setup,
    ran.misplaced,
    group("acceptance", ran.acceptance),
    group("truths", ran.truths),
    group("artifacts", await checkArtifacts(content, criteria.artifacts)),
    group("wiring", await checkWiring(content, deps.patterns, criteria.wiring)),
    group("after", ran.after),
    group("regression test", await proveRegression(deps, request, criteria, content, ran.regression)),
    await checkOwnFiles(content, criteria.ownFiles),
    await checkPublished(content, deps),
    await checkSandboxRules(content, deps, await sandboxAt(deps, request.plan, request.stage, base)),
    group("gate", judgeGate(gate, request.strictness ?? "normal")),
  ];
  // What has failed is done again anyway, and then proved anew.
  const hasFailed = checked.some((one) => one?.outcome === "failed");
  const ofBase = hasFailed ? null : await checkGateOfBase(deps, request, content, criteria, ran);
  return branch(
    "checks",
    [...checked, ofBase].filter((one) => one !== null),
    asksNothing(criteria) ? "the plan names no check for this stage" : null,
  );
}

export type CommandsRun =
  | { readonly kind: "set-up-failed"; readonly setup: Verdict }
  | {
      readonly kind: "ran";
      readonly setup: Verdict | null;
      /** Says that the stage's commands have no folder to run in. */
      readonly misplaced: Verdict | null;
      readonly acceptance: readonly Verdict[];
      readonly truths: readonly Verdict[];
      readonly after: readonly Verdict[];
      readonly regression: readonly Verdict[];
      readonly gate: readonly Verdict[];
    };

export const NOTHING_RUN = {
  kind: "ran",
  setup: null,
  misplaced: null,
  acceptance: [],
  truths: [],
  after: [],
  regression: [],
  gate: [],
} satisfies CommandsRun;

/** All that runs in the checkout of the commit: the stage's own commands in its folder, the gate at the root. */
async function runCommands(
  deps: CheckDeps,
  request: VerifyRequest,
  criteria: Criteria,
): Promise<CommandsRun> {
  const { gate, workingDir } = criteria;
  const own = countOwn(criteria);
  if (own + gate.length === 0) return NOTHING_RUN;
  const misplaced = own > 0 ? await missingFolder(deps, request.commit, workingDir) : null;
  return inCleanTree(deps, request, { commit: request.commit, checks: own + gate.length }, async (scene) => {
    if (workingDir === null || misplaced)
      return { ...NOTHING_RUN, misplaced, gate: await checkCommands(scene, ".", gate) };
    const canSetUp = own > 0 || (await hasFolder(deps, request.commit, workingDir));
    const setup = canSetUp ? await checkSetup(scene, workingDir, criteria.setup) : null;
    if (setup?.outcome === "failed") return { kind: "set-up-failed", setup };
    const ran = await runOwn(scene, workingDir, criteria);
    return { ...NOTHING_RUN, setup, ...ran, gate: await checkCommands(scene, ".", gate) };
  });
}

/** How many commands the stage brings, besides the project's gate. */
export function countOwn({ acceptance, truths, after, regression }: Criteria): number {
  return acceptance.length + truths.length + after.length + (regressionCheck(regression) ? 1 : 0);
}

/** The stage's own commands, in its folder. */
export async function runOwn(
  scene: CheckScene,
  folder: string,
  { acceptance, truths, after, regression }: Criteria,
): Promise<Record<"acceptance" | "truths" | "after" | "regression", readonly Verdict[]>> {
  const test = regressionCheck(regression);
  return {
    acceptance: await checkCommands(scene, folder, acceptance),
    truths: await checkCommands(scene, folder, truths),
    after: await checkCommands(scene, folder, after),
    regression: test ? [await checkCommand(scene, folder, test)] : [],
  };
}

export async function missingFolder(
  deps: CheckDeps,
  commit: Sha,
  workingDir: string | null,
): Promise<Verdict | null> {
  if (workingDir === null) return leaf("failed", "working_dir", "leads out of the project");
  if (await hasFolder(deps, commit, workingDir)) return null;
  return leaf("failed", "working_dir", `the commit has no folder ${quote(workingDir)} to run the checks in`);
}

/** The base is only tried when the test is in order and passes on the commit; otherwise it could prove nothing. */
async function proveRegression(
  deps: CheckDeps,
  request: VerifyRequest,
  criteria: Criteria,
  content: CommitContent,
  onCommit: readonly Verdict[],
): Promise<Verdict[]> {
  const { regression, lacksRegression } = criteria;
  if (regression === null)
    return lacksRegression
      ? [leaf("warned", "regression_test", "the plan calls this a bug fix and names no regression test")]
      : [];
  const known = [...(await checkRegressionFile(content, regression)), ...onCommit];
  if (known.some((one) => one.outcome === "failed")) return known;
  return [...known, ...(await checkRegressionOnBase(deps, request, request.base, content, criteria))];
}

function group(title: string, verdicts: readonly Verdict[]): Verdict | null {
  return verdicts.length > 0 ? branch(title, verdicts) : null;
}
