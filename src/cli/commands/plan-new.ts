import type { Depth } from "../../core/command/planning-choices.ts";
import type { RepositoryConfig } from "../../core/config/repository/repository-config.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { localTaskTexts } from "../../core/report/commands/local-task-texts.ts";
import { planNewJson, renderPlanNew } from "../../core/report/commands/plan-new-report.ts";
import type { Task } from "../../core/task/task.ts";
import type { PlanWish } from "../../core/task/task-events.ts";
import { wordsIn } from "../../core/text/words-in.ts";
import { type Local, openLocal } from "../../wiring/local.ts";
import { aboutPrompts } from "../drive.ts";
import { usableConfig } from "../input/usable-config.ts";
import { type Io, say, warn } from "../io.ts";
import { wantsColor } from "../output/wants-color.ts";
import { headOf } from "../task/local-change.ts";
import { choosePlanTarget, designOut, type PlanTarget, writePlanFiles } from "../task/plan-target.ts";
import { seeThrough } from "../task/see-through.ts";
import { startLocalTask } from "../task/start-local-task.ts";
import { wordsOf } from "../task/words-of.ts";
import { userOf } from "./run.ts";

export type PlanNewOptions = {
  /** null: `PLAN.md` in the current folder. */
  readonly out: string | null;
  readonly force: boolean;
  /** Whether a planning of the same goal that was stopped is left alone. */
  readonly fresh: boolean;
  readonly depth: Depth | null;
  readonly express: boolean;
  readonly answers: string | null;
  readonly harness: string | null;
  readonly json: boolean;
};

/** `loom plan new`: an agent reads the repository and writes a plan; Loom checks it and puts it into a file. */
export async function planNew(io: Io, words: readonly string[], options: PlanNewOptions): Promise<number> {
  const { written } = await makePlan(io, words, options);
  return written ? 0 : 1;
}

export type MadePlan = {
  readonly written: boolean;
  /** One of a single stage, in the place of a sound one. */
  readonly degraded: boolean;
  /** The file as the person would name it. */
  readonly file: string;
};

/** What is looked at once the goal and the place for the plan are known; the commit that the plan is to start from. */
export type BeforePlanning = (local: Local, target: PlanTarget) => Promise<Sha>;

export async function makePlan(
  io: Io,
  words: readonly string[],
  options: PlanNewOptions,
  before: BeforePlanning = async (local) => headOf(local),
): Promise<MadePlan> {
  assertFitting(options);
  const goal = await wordsOf(io, words);
  if (goal === "")
    throw new UserError(localTaskTexts.noGoal(), { next: localTaskTexts.noGoalNext(), exitCode: 2 });
  const target = await choosePlanTarget(io, {
    out: options.out,
    force: options.force,
    designs: !options.express,
  });
  const local = await openLocal({ cwd: io.cwd, env: io.env, feed: () => {}, runsAgents: true });
  try {
    assertPlace(local, options);
    const task = await plan(io, local, goal, { target, commit: await before(local, target) }, options);
    show(io, task, target, options);
    const written = task.outcome?.kind === "written";
    return { written, degraded: task.degraded !== null, file: target.out };
  } finally {
    await local.close();
  }
}

/** What could not be heeded is said before an agent is paid. */
function assertFitting({ express, depth, answers }: PlanNewOptions): void {
  const refuse = (message: string, next: string): UserError => new UserError(message, { next, exitCode: 2 });
  if (answers !== null && wordsIn(answers) === "")
    throw refuse(localTaskTexts.answersEmpty(), localTaskTexts.answerLike());
  if (express && depth !== null) throw refuse(localTaskTexts.expressAndDepth(), localTaskTexts.leaveOneOut());
  if (express && answers !== null)
    throw refuse(localTaskTexts.expressAndAnswers(), localTaskTexts.leaveOneOut());
}

function assertPlace({ repository }: Local, { out }: PlanNewOptions): void {
  if (repository.root === null && out === null)
    throw new UserError(localTaskTexts.noCheckout(), {
      next: localTaskTexts.noCheckoutNext(),
      exitCode: 2,
    });
}

/** `commit`: stages start from one, so the plan does as well. */
async function plan(
  io: Io,
  local: Local,
  goal: string,
  { target, commit }: { readonly target: PlanTarget; readonly commit: Sha },
  options: PlanNewOptions,
): Promise<Task> {
  const { commit: unsaved } = await local.checkout.unsavedWork();
  if (unsaved !== null) warn(io, localTaskTexts.plansFromCommit(commit));
  const planPath = local.checkout.pathInRepository(target.path);
  for (const text of aboutPrompts(local, { planPath })) warn(io, text);
  const task = await startLocalTask(io, local, {
    kind: "plan",
    text: goal,
    thread: [],
    commit,
    from: null,
    plan: wishFor(local, usableConfig(await local.readConfig()), target, options),
    harness: options.harness,
    fresh: options.fresh,
  });
  const end = await seeThrough(io, local, task, {
    answers: options.answers,
    asks: !options.json,
    user: userOf(io),
    writePlan: (done, text) => writePlanFiles(target, done, text),
  });
  const wasAsked = task.answers === null && (end.assessment?.questions.length ?? 0) > 0;
  if (options.answers !== null && !wasAsked) warn(io, localTaskTexts.answersNotNeeded());
  return end;
}

function wishFor(
  local: Local,
  { planner, limits, protectedPaths, gate, disabledAgents }: RepositoryConfig,
  { path }: PlanTarget,
  { express, depth, harness }: PlanNewOptions,
): PlanWish {
  return {
    workflow: express ? "express" : "standard",
    depth: depth ?? planner.depth,
    mode: planner.mode,
    degraded: planner.degraded,
    maxStages: limits.maxStages,
    remindAfterSecs: planner.remindAfterSecs,
    defaultAfterSecs: planner.defaultAfterSecs,
    harness,
    budgetUsd: null,
    path: local.checkout.pathInRepository(path),
    protectedPaths: [...protectedPaths],
    gate: [...gate],
    // Those of LOOM_DISABLED_AGENTS are disabled in the roster already.
    disabledAgents: [...disabledAgents],
  };
}

function show(io: Io, task: Task, target: PlanTarget, { json }: PlanNewOptions): void {
  const files = { plan: target.out, design: designOut(target, task) };
  const { result, remarks } = renderPlanNew(task, files, { color: wantsColor(io.stderr, io.env) });
  warn(io, remarks.trimEnd());
  if (json) say(io, JSON.stringify(planNewJson(task, files)));
  else if (result !== "") say(io, result.trimEnd());
}
