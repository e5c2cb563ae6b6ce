import type { GateChanges } from "../../core/config/gate-changes.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import type { CommandCheck } from "../../core/plan/plan.ts";
import { gateTexts } from "../../core/report/texts/gate-texts.ts";
import type { Criteria } from "../../core/verify/criteria.ts";
import { filesOfCommand } from "../../core/verify/gate/files-of-command.ts";
import { isPlainLook, wordsOfCommand } from "../../core/verify/gate/words-of-command.ts";
import { branch, failedLeaves, type Outcome, type Verdict } from "../../core/verify/verdict.ts";
import { hasFolder, setUpBase } from "./check-base.ts";
import { checkCommand, checkSetup } from "./check-command.ts";
import type { CommitContent } from "./check-content.ts";
import { type CheckDeps, type CheckOrder, inCleanTree } from "./check-scene.ts";
import { findGateChanges, type GateOverlay } from "./find-gate-changes.ts";

export type GateRequest = CheckOrder & {
  readonly commit: Sha;
  readonly base: Sha;
  /** `ask` when not given. */
  readonly gateChanges?: GateChanges | undefined;
};

/**
 * A gate proves little when the commit says what the gate does: a test script of `true`, an emptied test, a shell of its
 * own. So when a commit touches what defines the gate, the commands that passed are run once more on the commit with
 * the base's versions of that laid over it (T37). What fails then is put to a person, unless the approved plan gave
 * those files to the stage, or the command fails on the base as it is: then nothing was lost. The commands that the stage
 * itself has to pass count like the gate.
 *
 * It does not hold against what shares a process with the tests: code that ends it, or a new test that bends the others and
 * shows no sign of it (`reachesBeyond`). Nor against a helper that lies among ordinary sources under an ordinary name
 * (`couldBeUnderTest`). A reader finds the rest.
 *
 * Laid over by git, as a commit that is in no branch: no link of the commit leads a write astray, modes and binary files stay
 * what they are, and a tree that a check meddled with can be made anew. Rejected: copying files into the tree.
 */
export async function checkGateOfBase(
  deps: CheckDeps,
  request: GateRequest,
  content: CommitContent,
  criteria: Criteria,
  ran: CommandsOnCommit,
): Promise<Verdict | null> {
  const passed = passedOnCommit(criteria, ran);
  if (passed.length === 0) return null;
  const commands = passed.map(({ check, folder, isOwn }) => ({ command: check.command, folder, isOwn }));
  const overlays = await findGateChanges(deps, request, content, commands);
  let shown: Verdict | null = null;
  for (const overlay of overlays) {
    request.onProgress?.(gateTexts.progress());
    const found = await runOverlaid(deps, request, overlay, criteria, passed);
    const isBroken = found.some(({ verdict }) => verdict.outcome === "failed");
    const verdicts = isBroken
      ? await judgeFound(deps, request, content, criteria, overlay, found)
      : found.map(({ verdict }) => verdict);
    shown = branch(gateTexts.title, verdicts, gateTexts.changed(overlay.changed));
    if (isBroken) return shown;
  }
  return shown;
}

async function judgeFound(
  deps: CheckDeps,
  request: GateRequest,
  content: CommitContent,
  criteria: Criteria,
  { changed }: GateOverlay,
  found: readonly Found[],
): Promise<Verdict[]> {
  const red = await failingOnBase(deps, request, criteria, found);
  const mercy = mercyFor(request, content, criteria, changed);
  const ofBase = new Set(await deps.workspace.listFiles(request.base));
  const older = changed.filter((path) => ofBase.has(path));
  return found.map(({ verdict, passed }) =>
    verdict.outcome === "failed"
      ? judge(
          verdict,
          changed,
          passed && red.has(passed) && !isNamedProof(passed, older) ? RED_BEFORE : mercy,
        )
      : verdict,
  );
}

/** What the commands of a stage came to on its commit, each list in the order of the criteria. */
export type CommandsOnCommit = Readonly<
  Record<"acceptance" | "truths" | "after" | "gate", readonly Verdict[]>
>;

type Passed = { readonly check: CommandCheck; readonly folder: string; readonly isOwn: boolean };

/** What only looks at files asks nothing of a program that a commit could have replaced. */
function passedOnCommit(criteria: Criteria, ran: CommandsOnCommit): Passed[] {
  const { workingDir } = criteria;
  const own = (["acceptance", "truths", "after"] as const).flatMap((list) =>
    workingDir === null ? [] : passedOf(criteria[list], ran[list], workingDir, true),
  );
  const gate = passedOf(criteria.gate, ran.gate, ".", false);
  // A gate that Loom made for the project is often what the plan asks for as well.
  const asked = (check: CommandCheck): string => JSON.stringify({ ...check, timeoutSecs: 0 });
  const inGate = new Set(gate.map(({ check }) => asked(check)));
  const isInGate = ({ check, folder }: Passed): boolean => folder === "." && inGate.has(asked(check));
  return [...own.filter((one) => !isPlainLook(one.check.command) && !isInGate(one)), ...gate];
}

function passedOf(
  checks: readonly CommandCheck[],
  verdicts: readonly Verdict[],
  folder: string,
  isOwn: boolean,
): Passed[] {
  return checks
    .filter((_check, index) => verdicts[index]?.outcome === "passed")
    .map((check) => ({ check, folder, isOwn }));
}

/**
 * What a stage has to reach is mostly out of reach on its base. So where the plan points at a file of the base as the proof,
 * that it failed there excuses nothing.
 */
function isNamedProof({ check, folder, isOwn }: Passed, changed: readonly string[]): boolean {
  if (!isOwn) return false;
  const named = [...filesOfCommand(check.command, folder), ...wordsOfCommand(check.command, folder)];
  const paths = new Set(named.map(({ path }) => path));
  return changed.some((path) => paths.has(path));
}

/** `passed` is null for the set-up: without it no command could be run. */
type Found = { readonly verdict: Verdict; readonly passed: Passed | null };

async function runOverlaid(
  deps: CheckDeps,
  order: GateRequest,
  { restore, files, remove }: GateOverlay,
  { workingDir, setup }: Criteria,
  passed: readonly Passed[],
): Promise<Found[]> {
  const commit = await deps.workspace.commitFiles({
    base: order.commit,
    files,
    remove,
    restore: { from: order.base, paths: restore },
    message: "The gate as the base defines it",
  });
  return inCleanTree(deps, order, { commit, checks: passed.length }, async (scene) => {
    const canSetUp = workingDir !== null && (await hasFolder(deps, commit, workingDir));
    const ready = canSetUp ? await checkSetup(scene, workingDir, setup) : null;
    if (ready?.outcome === "failed") return failedLeaves(ready).map((verdict) => ({ verdict, passed: null }));
    const found: Found[] = [];
    // A folder that only held new tests is gone with them.
    for (const one of passed)
      if (await hasFolder(deps, commit, one.folder))
        found.push({ verdict: await checkCommand(scene, one.folder, one.check), passed: one });
    return found;
  });
}

/** As with any gate: what was red before the stage began is not put down to it. */
async function failingOnBase(
  deps: CheckDeps,
  order: GateRequest,
  criteria: Criteria,
  found: readonly Found[],
): Promise<ReadonlySet<Passed>> {
  const failed = found.flatMap(({ verdict, passed }) =>
    verdict.outcome === "failed" && passed ? passed : [],
  );
  const red = new Set<Passed>();
  if (failed.length === 0) return red;
  return inCleanTree(deps, order, { commit: order.base, checks: failed.length }, async (scene) => {
    if (!(await setUpBase(deps, scene, order.base, criteria))) return red;
    for (const one of failed)
      if (!(await hasFolder(deps, order.base, one.folder))) red.add(one);
      else if ((await checkCommand(scene, one.folder, one.check)).outcome === "failed") red.add(one);
    return red;
  });
}

type Judgement = { readonly outcome: Outcome; readonly because: string };

const RED_BEFORE: Judgement = { outcome: "warned", because: gateTexts.redBefore() };

/** The plan and the operator decide, never the commit or its repository. */
function mercyFor(
  { gateChanges = "ask" }: GateRequest,
  content: CommitContent,
  { ownFiles }: Criteria,
  changed: readonly string[],
): Judgement {
  if (areNamed(content, ownFiles, changed)) return { outcome: "warned", because: gateTexts.named() };
  return gateChanges === "warn"
    ? { outcome: "warned", because: gateTexts.operator() }
    : { outcome: "ask", because: gateTexts.asks() };
}

function areNamed(content: CommitContent, globs: readonly string[], paths: readonly string[]): boolean {
  try {
    const names = globs.map(content.naming);
    return paths.every((path) => names.some((matches) => matches(path)));
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

function judge(verdict: Verdict, changed: readonly string[], { outcome, because }: Judgement): Verdict {
  const how = gateTexts.withBase(verdict.detail ?? "failed", changed);
  return { ...verdict, outcome, detail: `${how}; ${because}` };
}
