import { UserError } from "../core/errors.ts";
import type { Sha } from "../core/ids.ts";
import type { CommandCheck } from "../core/plan/plan.ts";
import { gateTexts } from "../core/report/gate-texts.ts";
import type { Criteria } from "../core/verify/criteria.ts";
import type { GateChanges } from "../core/verify/gate/gate-changes.ts";
import { branch, failedLeaves, type Outcome, type Verdict } from "../core/verify/verdict.ts";
import { hasFolder, setUpBase } from "./check-base.ts";
import { checkCommand, checkCommands, checkSetup } from "./check-command.ts";
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
 * those files to the stage, or the command fails on the base as it is: then nothing was lost.
 *
 * Laid over by git, as a commit that is in no branch: no link of the commit leads a write astray, modes and binary files stay
 * what they are, and a tree that a check meddled with can be made anew. Rejected: copying files into the tree.
 */
export async function checkGateOfBase(
  deps: CheckDeps,
  request: GateRequest,
  content: CommitContent,
  criteria: Criteria,
  onCommit: readonly Verdict[],
): Promise<Verdict | null> {
  const checks = criteria.gate.filter((_check, index) => onCommit[index]?.outcome === "passed");
  if (checks.length === 0) return null;
  const overlay = await findGateChanges(deps, request, content, checks);
  if (overlay === null) return null;
  request.onProgress?.(gateTexts.progress());
  const found = await runOverlaid(deps, request, overlay, criteria, checks);
  if (found.every(({ verdict }) => verdict.outcome !== "failed"))
    return branch(
      gateTexts.title,
      found.map(({ verdict }) => verdict),
      gateTexts.changed(overlay.changed),
    );

  const red = await failingOnBase(deps, request, criteria, found);
  const mercy = mercyFor(request, content, criteria, overlay.changed);
  const judged = found.map(({ verdict, check }) =>
    verdict.outcome === "failed"
      ? judge(verdict, overlay.changed, check && red.has(check) ? RED_BEFORE : mercy)
      : verdict,
  );
  return branch(gateTexts.title, judged, gateTexts.changed(overlay.changed));
}

/** `check` is null for the set-up: without it no command could be run. */
type Found = { readonly verdict: Verdict; readonly check: CommandCheck | null };

async function runOverlaid(
  deps: CheckDeps,
  order: GateRequest,
  { restore, files, remove }: GateOverlay,
  { workingDir, setup }: Criteria,
  checks: readonly CommandCheck[],
): Promise<Found[]> {
  const commit = await deps.workspace.commitFiles({
    base: order.commit,
    files,
    remove,
    restore: { from: order.base, paths: restore },
    message: "The gate as the base defines it",
  });
  return inCleanTree(deps, order, { commit, checks: checks.length }, async (scene) => {
    const canSetUp = workingDir !== null && (await hasFolder(deps, commit, workingDir));
    const ready = canSetUp ? await checkSetup(scene, workingDir, setup) : null;
    if (ready?.outcome === "failed") return failedLeaves(ready).map((verdict) => ({ verdict, check: null }));
    const verdicts = await checkCommands(scene, ".", checks);
    return verdicts.map((verdict, index) => ({ verdict, check: checks[index] ?? null }));
  });
}

/** As with any gate: what was red before the stage began is not put down to it. */
async function failingOnBase(
  deps: CheckDeps,
  order: GateRequest,
  criteria: Criteria,
  found: readonly Found[],
): Promise<ReadonlySet<CommandCheck>> {
  const failed = found.flatMap(({ verdict, check }) => (verdict.outcome === "failed" && check ? check : []));
  const red = new Set<CommandCheck>();
  if (failed.length === 0) return red;
  return inCleanTree(deps, order, { commit: order.base, checks: failed.length }, async (scene) => {
    if (!(await setUpBase(deps, scene, order.base, criteria))) return red;
    for (const check of failed)
      if ((await checkCommand(scene, ".", check)).outcome === "failed") red.add(check);
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
