import { harnessOfWork } from "../../core/config/harnesses-of.ts";
import { readSettings } from "../../core/config/settings/settings.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import { planningTexts } from "../../core/report/texts/planning-texts.ts";
import { assertHarness } from "../../engine/run/check-harnesses.ts";
import type { Local } from "../../wiring/local.ts";
import { type Io, say, warn } from "../io.ts";
import { assertCanMerge } from "../local-runs.ts";
import type { PlanTarget } from "../task/plan-target.ts";
import { planCheck } from "./plan-check.ts";
import { type BeforePlanning, makePlan, type PlanNewOptions } from "./plan-new.ts";
import { run } from "./run.ts";

export type OrchestrateOptions = PlanNewOptions & {
  readonly yes: boolean;
  /** null: the plan is merged into the current branch. */
  readonly into: string | null;
};

/** `loom orchestrate`: a plan is written, shown, agreed to, and run. Nothing runs that nobody has said yes to. */
export async function orchestrate(
  io: Io,
  words: readonly string[],
  options: OrchestrateOptions,
): Promise<number> {
  const person = options.json ? null : (io.ask ?? null);
  if (!options.yes && !person)
    throw new UserError(localTaskTexts.nobodyToAgree(), {
      next: localTaskTexts.nobodyToAgreeNext(),
      exitCode: 2,
    });
  const before: BeforePlanning = (local, target) => assertCanRun(io, local, target, options);
  const { written, degraded, file } = await makePlan(io, words, options, before);
  if (!written) return 1;
  if (options.yes && degraded) {
    warn(io, localTaskTexts.oneStageUnread());
    return 1;
  }
  if (!options.yes && person) {
    await planCheck(io, file, { json: false });
    const answer = await person(planningTexts.askToRun());
    if (!/^\s*y(?:es)?\s*$/i.test(answer ?? "")) {
      say(io, planningTexts.readThenRun(file, options.into));
      return 0;
    }
  }
  return run(io, file, {
    into: options.into,
    harness: options.harness,
    maxParallel: null,
    clean: false,
    json: options.json,
  });
}

/** What `loom run` would refuse whatever the plan says, found before a planner is paid. The plan starts where its stages will. */
async function assertCanRun(
  io: Io,
  local: Local,
  { files }: PlanTarget,
  { harness, into }: OrchestrateOptions,
): Promise<Sha> {
  const { settings } = readSettings(io.env, { harness, maxParallel: null }, { maxParallel: null });
  const worker = harnessOfWork(settings);
  if (worker !== null) await assertHarness(local.engine, worker);
  const { branch, tip } = await assertCanMerge(local, into);
  await local.checkout.assertUntracked(branch, files);
  return tip;
}
