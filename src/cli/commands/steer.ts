import { UserError } from "../../core/errors.ts";
import type { RunId } from "../../core/ids.ts";
import { startTexts } from "../../core/report/texts/start-texts.ts";
import type { Run } from "../../core/run/run.ts";
import { answerStage, cancelRun, resumeRun, retryStages, skipStage } from "../../engine/run/steer-run.ts";
import { drive, endOf, onStage, type Stage, warnBeforeAgents, withLease } from "../drive.ts";
import { pickRun } from "../input/pick-run.ts";
import type { Io } from "../io.ts";
import { assertCanGoOn } from "../local-runs.ts";
import { userOf } from "./run.ts";

type Options = { readonly json: boolean };

export async function resume(io: Io, name: string | undefined, options: Options): Promise<number> {
  return onStage(io, { ...options, starts: "agents" }, async (stage) => {
    const run = await pickRun(stage.local.engine, name, isOpen);
    if (run.status === "cancelled")
      throw new UserError(startTexts.wasCancelled(run.id), { next: startTexts.startOver(run.planPath) });
    if (run.status === "completed" && run.recorded) {
      stage.output.note(`The run ${run.id} is completed; there is nothing to resume.`);
      if (options.json) stage.output.finish(endOf(run));
      return 0;
    }
    return withLease(stage.local, run.id, async () => {
      await assertCanGoOn(stage.local, run);
      warnBeforeAgents(stage, run);
      stage.watch();
      await resumeRun(stage.local.engine, run.id, userOf(io));
      return drive(stage, run.id);
    });
  });
}

export const retry = (io: Io, name: string, stage: string, options: Options): Promise<number> =>
  steer(io, name, options, (scene, run) => retryStages(scene.local.engine, run, [stage], userOf(io)));

export const skip = (io: Io, name: string, stage: string, options: Options): Promise<number> =>
  steer(io, name, options, (scene, run) => skipStage(scene.local.engine, run, stage, userOf(io)));

export const answer = (
  io: Io,
  name: string,
  stage: string,
  text: string,
  options: Options,
): Promise<number> =>
  steer(io, name, options, (scene, run) => answerStage(scene.local.engine, run, stage, text, userOf(io)));

export const cancel = (io: Io, name: string, options: Options): Promise<number> =>
  steer(io, name, options, (scene, run) => cancelRun(scene.local.engine, run, userOf(io)), "cancel");

/** One event, and then the run goes on: in the process that drives it, or else here. */
async function steer(
  io: Io,
  name: string,
  options: Options,
  act: (stage: Stage, run: RunId) => Promise<void>,
  verb: "cancel" | "other" = "other",
): Promise<number> {
  // Only where no other process drives the run, agents are started here.
  const starts = verb === "cancel" ? "nobody" : "agents-perhaps";
  return onStage(io, { ...options, starts }, async (stage) => {
    const { local, output } = stage;
    const run = await pickRun(local.engine, name);
    const { id } = run;
    let lease = await local.lease.acquire(id);
    const driver = lease.kind === "held" ? lease.pid : null;
    if (driver !== null) {
      await act(stage, id);
      if (verb === "cancel") return waitForEnd(stage, id, driver);
      // The driver may have left just before it could see the event.
      lease = await local.lease.acquire(id);
    }
    if (lease.kind === "held") {
      output.note(startTexts.takenUp(id, lease.pid));
      return 0;
    }
    try {
      if (verb !== "cancel") {
        if (local.agents.problem) throw local.agents.problem;
        await assertCanGoOn(local, run);
        warnBeforeAgents(stage, run);
      }
      stage.watch();
      if (driver === null) await act(stage, id);
      const code = await drive(stage, id);
      // Ending a run is what was asked for; that it is not completed is no failure of the command.
      return verb === "cancel" && code === 1 ? 0 : code;
    } finally {
      await lease.release();
    }
  });
}

const PATIENCE_MS = 30_000;

/** Asks first, and says how to force it when asking does not help. */
async function waitForEnd({ local, output }: Stage, id: RunId, pid: number): Promise<number> {
  output.note(`Cancelling ${id}: process ${pid} is ending its agents.`);
  const ended = await new Promise<boolean>((resolve) => {
    const look = async (): Promise<void> => {
      const run = await local.engine.runs.load(id);
      if (run?.status !== "running") finish(true);
    };
    // What can't be read now may be readable a moment later; the patience below decides.
    const lookSoon = (): void => void look().catch(() => {});
    const unwatch = local.engine.store.watch(id, lookSoon);
    const timer = setTimeout(() => finish(false), PATIENCE_MS);
    const finish = (done: boolean): void => {
      clearTimeout(timer);
      unwatch();
      resolve(done);
    };
    lookSoon();
  });
  if (!ended)
    throw new UserError(`Process ${pid} has not ended the run within ${PATIENCE_MS / 1000} s.`, {
      next: `\`kill -9 ${pid}\`, then \`loom cancel ${id}\` again.`,
    });
  output.note(`Run ${id} is cancelled.`);
  return 0;
}

function isOpen(run: Run): boolean {
  return (
    run.status === "running" ||
    run.status === "blocked" ||
    run.status === "failed" ||
    (run.status === "completed" && !run.recorded)
  );
}
