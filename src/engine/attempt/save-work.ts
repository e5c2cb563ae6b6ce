import { CHANGE_LIMITS } from "../../core/config/change-limits.ts";
import { stateDirOf } from "../../core/config/run-folder.ts";
import type { Sha } from "../../core/ids.ts";
import { commitMessage } from "../../core/merge/trailers.ts";
import type { StagePlan } from "../../core/plan/plan.ts";
import { renderCrashReport } from "../../core/report/commands/crash-report.ts";
import type { Run } from "../../core/run/run.ts";
import type { CommitSpec, WorkTree } from "../../ports/workspace.ts";
import type { Engine } from "../engine.ts";
import { sandboxAt } from "../session/sandbox-at.ts";
import { hiddenIn } from "./hidden-content.ts";

/** What an attempt has left in its tree. */
export type LeftWork = {
  readonly run: Run;
  readonly plan: StagePlan;
  readonly attempt: number;
  readonly tree: WorkTree;
  readonly base: Sha;
};

/** How much of a diff a prompt or a report holds. */
export const DIFF_BYTES = 24_000;

/** What every commit of an attempt has in common. */
export function commitBasics({
  run,
  plan,
  attempt,
  base,
}: LeftWork): Pick<CommitSpec, "base" | "message" | "protect" | "limits"> {
  const protect = [run.planPath, stateDirOf(run.settings), ...run.protect];
  const limits = run.settings.change ?? CHANGE_LIMITS;
  return { base, message: stageMessage(run, plan, attempt), protect, limits };
}

/** By its trailers a stage is recognised wherever it ends up, squashed or not. */
export function stageMessage(run: Run, plan: StagePlan, attempt: number): string {
  return commitMessage({
    subject: plan.name,
    body: plan.description,
    run: run.id,
    stage: plan.id,
    attempt,
  });
}

/**
 * A commit that is in no branch, without what must not be published, so that the next session finds the work. Hidden files
 * are in it as the base has them: in their place, where the rules find them, and under no other name (T39).
 */
export async function saveWork(engine: Engine, left: LeftWork): Promise<Sha | null> {
  const workspace = engine.workspaceFor(left.run);
  const reading = { patterns: engine.patterns, workspace };
  const { hidden } = await sandboxAt(reading, left.run.plan, left.plan, left.base);
  const outcome = await workspace.commit(left.tree, {
    ...commitBasics(left),
    onForbidden: "strip",
    leaveOut: await hiddenIn(reading, hidden, left.base),
    allowEmpty: false,
  });
  return outcome.kind === "committed" ? outcome.commit : null;
}

/** Says how a session came to be cut off, what it said last and what it had changed. */
export async function reportCrash(
  engine: Engine,
  { run, plan, attempt, base }: LeftWork,
  crash: { saved: Sha | null; how: string; tail: string },
): Promise<void> {
  const diff = crash.saved
    ? await engine.workspaceFor(run).diff(base, crash.saved, { maxBytes: DIFF_BYTES })
    : "";
  await engine.files.writeReport(
    run.id,
    `crash-${plan.id}-${attempt}`,
    renderCrashReport({ run: run.id, stage: plan.id, attempt, how: crash.how, tail: crash.tail, diff }),
  );
}
