import { readKeepLimits } from "../../core/config/keep-limits.ts";
import { runFolder } from "../../core/config/run-folder.ts";
import { readSettings, stateDirIn } from "../../core/config/settings/settings.ts";
import { UserError } from "../../core/errors.ts";
import type { RunId } from "../../core/ids.ts";
import { renderPlanReport } from "../../core/report/commands/plan-report.ts";
import { alreadyBuilt } from "../../core/report/terminal/run-summary.ts";
import { configTexts } from "../../core/report/texts/config-texts.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import { agentList } from "../../core/roster/agent-list.ts";
import { withoutAgents } from "../../core/roster/without-agents.ts";
import type { Run } from "../../core/run/run.ts";
import { startRun } from "../../engine/run/start-run.ts";
import { resumeRun } from "../../engine/run/steer-run.ts";
import type { Local } from "../../wiring/local.ts";
import { drive, endOf, onStage, type Stage, warnBeforeAgents, withLease } from "../drive.ts";
import { chooseParallel } from "../input/choose-parallel.ts";
import { readDesignFile } from "../input/read-design-file.ts";
import { idOf, type PlanFile, readPlanFile } from "../input/read-plan-file.ts";
import { usableConfig } from "../input/usable-config.ts";
import { type Io, warn } from "../io.ts";
import {
  assertCanGoOn,
  assertCanMerge,
  assertCanWork,
  findRecord,
  isInTarget,
  loadIfReadable,
  startOver,
} from "../local-runs.ts";

export type RunOptions = {
  readonly into: string | null;
  readonly harness: string | null;
  readonly maxParallel: number | null;
  readonly clean: boolean;
  readonly json: boolean;
};

/** `loom run`: starts the plan, goes on with it, or says that it is built. */
export async function run(io: Io, file: string, options: RunOptions): Promise<number> {
  const planFile = await readPlanFile(io.cwd, file);
  const parsed = await planFile.parse();
  if (!parsed.plan) {
    warn(io, renderPlanReport(parsed, { file }).trimEnd());
    return 2;
  }
  return onStage(io, { json: options.json, starts: "agents" }, async (stage) => {
    const { local } = stage;
    // A name that nothing stands behind is a mistake whatever has become of the run.
    if (options.harness !== null) local.engine.harness(options.harness);
    const known = await findRun(local, planFile, options);
    const id = known?.id ?? idOf(planFile, local.repository.root);
    return withLease(local, id, () =>
      known?.run && !options.clean
        ? goOn(stage, known.run, options, userOf(io))
        : begin(io, stage, { id, known: known?.run ?? null, file, planFile, options }),
    );
  });
}

type Beginning = {
  readonly id: RunId;
  readonly known: Run | null;
  readonly file: string;
  readonly planFile: PlanFile;
  readonly options: RunOptions;
};

/** Everything that can stand in the way is looked at before anything is changed. */
async function begin(io: Io, stage: Stage, beginning: Beginning): Promise<number> {
  const { id, known, file, planFile, options } = beginning;
  const { local, output } = stage;
  const reading = await local.readConfig();
  const config = usableConfig(reading);
  const agents = agentList(withoutAgents(local.engine.roster, config.disabledAgents));
  const parsed = await planFile.parseFor(agents);
  const { plan } = parsed;
  if (!plan) {
    warn(io, renderPlanReport(parsed, { file }).trimEnd());
    return 2;
  }
  if (!options.clean) {
    const record = await findRecord(local, planFile.hash, options.into, stateDirIn(io.env));
    if (record) {
      output.note(startTexts.alreadyBuiltElsewhere(record.folder, record.branch, file));
      if (options.json && record.run) output.finish(endOf(record.run));
      return 0;
    }
  }
  if (plan.merge.mode === "review" && options.into === null) {
    throw new UserError(startTexts.reviewNeedsForge(), {
      next: startTexts.reviewNeedsForgeNext(),
      exitCode: 2,
    });
  }
  const { settings: wanted, executionMode, warnings } = readSettings(io.env, options, plan);
  await assertCanWork(local, plan, wanted);
  await assertCanMerge(local, options.into);
  const target = await local.checkout.resolveTarget(options.into);
  const remarks = parsed.problems.length;
  if (remarks > 0) output.note(startTexts.planWarnings(file, remarks));
  const aboutSettings = [...warnings, ...readKeepLimits(io.env).warnings, ...local.agents.warnings];
  for (const text of [...aboutSettings, ...reading.problems.map(configTexts.warning)]) output.note(text);
  const design = await readDesignFile(planFile, local.repository.root);
  if (design?.text === null) output.note(startTexts.noDesign(file, design.ref));
  warnBeforeAgents(stage, { planPath: local.checkout.pathInRepository(planFile.path), settings: wanted });
  if (target.created) output.note(startTexts.branchMade(target.branch));
  const settings = {
    ...wanted,
    ...(await chooseParallel(io, stage, { plan, wanted, executionMode, options })),
  };
  if (options.clean)
    await startOver(local, { id, folder: runFolder(known?.settings ?? settings, id) }, target.branch);
  stage.watch();
  await startRun(local.engine, local.workspace(id), {
    run: id,
    planPath: local.checkout.pathInRepository(planFile.path),
    planText: planFile.text,
    planHasGate: plan.gate !== null,
    target: target.branch,
    base: options.clean ? await (await local.forge(target.branch)).targetTip() : target.tip,
    generation: known ? known.generation + 1 : 0,
    settings,
    besides: {
      alsoGate: [...config.gate],
      protect: [...config.protectedPaths, ...local.checkout.ownPrograms],
      ...(design?.text == null ? {} : { planning: { task: null, design: design.text, notes: [] } }),
    },
  });
  return drive(stage, id);
}

/** The plan has a run already. What becomes of it depends on how that one ended; git has the last word. */
async function goOn(stage: Stage, run: Run, options: RunOptions, user: string): Promise<number> {
  const { local, output } = stage;
  if (options.into !== null && options.into !== run.target) {
    throw new UserError(startTexts.otherTarget(run.id, run.target, options.into), {
      next: startTexts.otherTargetNext(run.target),
      exitCode: 2,
    });
  }
  const startOver = { next: startTexts.startOver(run.planPath) };
  if (run.status === "cancelled") throw new UserError(startTexts.wasCancelled(run.id), startOver);
  if (run.status === "completed") {
    if (!(await isInTarget(local, run)))
      throw new UserError(startTexts.builtButGone(run.id, run.target), startOver);
    if (run.recorded) {
      output.note(alreadyBuilt(run));
      if (options.json) output.finish(endOf(run));
      return 0;
    }
  }
  await assertCanGoOn(local, run);
  warnBeforeAgents(stage, run);
  stage.watch();
  await resumeRun(local.engine, run.id, user);
  return drive(stage, run.id);
}

/** By content: the same bytes under another name are the same plan. */
async function findRun(
  local: Local,
  planFile: PlanFile,
  options: RunOptions,
): Promise<{ id: RunId; run: Run | null } | null> {
  const suffix = `-${planFile.hash.slice(0, 8)}`;
  const id = (await local.engine.store.list()).find((one) => one.endsWith(suffix));
  if (id === undefined) return null;
  return { id, run: options.clean ? await loadIfReadable(local, id) : await local.engine.runs.load(id) };
}

export function userOf(io: Io): string {
  return io.env.USER || io.env.LOGNAME || "you";
}
