import type { RepositoryConfig } from "../../core/config/repository-config.ts";
import type { Errand } from "../../core/errand/errand.ts";
import type { PlanWish } from "../../core/errand/errand-events.ts";
import type { Depth } from "../../core/errand/planning-choices.ts";
import { UserError } from "../../core/errors.ts";
import type { Sha } from "../../core/ids.ts";
import { localErrandTexts } from "../../core/report/local-errand-texts.ts";
import { planNewJson, renderPlanNew } from "../../core/report/plan-new-report.ts";
import { wordsIn } from "../../core/report/words-in.ts";
import { type Local, openLocal } from "../../wiring/local.ts";
import { aboutPrompts } from "../drive.ts";
import { headOf } from "../errand/local-change.ts";
import { choosePlanTarget, designOut, type PlanTarget, writePlanFiles } from "../errand/plan-target.ts";
import { seeThrough } from "../errand/see-through.ts";
import { startLocalErrand } from "../errand/start-local-errand.ts";
import { wordsOf } from "../errand/words-of.ts";
import { type Io, say, warn } from "../io.ts";
import { wantsColor } from "../output/wants-color.ts";
import { usableConfig } from "../usable-config.ts";
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
    throw new UserError(localErrandTexts.noGoal(), { next: localErrandTexts.noGoalNext(), exitCode: 2 });
  const target = await choosePlanTarget(io, {
    out: options.out,
    force: options.force,
    designs: !options.express,
  });
  const local = await openLocal({ cwd: io.cwd, env: io.env, feed: () => {}, runsAgents: true });
  try {
    assertPlace(local, options);
    const errand = await plan(io, local, goal, { target, commit: await before(local, target) }, options);
    show(io, errand, target, options);
    const written = errand.outcome?.kind === "written";
    return { written, degraded: errand.degraded !== null, file: target.out };
  } finally {
    await local.close();
  }
}

/** What could not be heeded is said before an agent is paid. */
function assertFitting({ express, depth, answers }: PlanNewOptions): void {
  const refuse = (message: string, next: string): UserError => new UserError(message, { next, exitCode: 2 });
  if (answers !== null && wordsIn(answers) === "")
    throw refuse(localErrandTexts.answersEmpty(), localErrandTexts.answerLike());
  if (express && depth !== null)
    throw refuse(localErrandTexts.expressAndDepth(), localErrandTexts.leaveOneOut());
  if (express && answers !== null)
    throw refuse(localErrandTexts.expressAndAnswers(), localErrandTexts.leaveOneOut());
}

function assertPlace({ repository }: Local, { out }: PlanNewOptions): void {
  if (repository.root === null && out === null)
    throw new UserError(localErrandTexts.noCheckout(), {
      next: localErrandTexts.noCheckoutNext(),
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
): Promise<Errand> {
  const { commit: unsaved } = await local.unsavedWork();
  if (unsaved !== null) warn(io, localErrandTexts.plansFromCommit(commit));
  const planPath = local.pathInRepository(target.path);
  for (const text of aboutPrompts(local, { planPath })) warn(io, text);
  const errand = await startLocalErrand(io, local, {
    kind: "plan",
    text: goal,
    thread: [],
    commit,
    from: null,
    plan: wishFor(local, usableConfig(await local.readConfig()), target, options),
    harness: options.harness,
    fresh: options.fresh,
  });
  const end = await seeThrough(io, local, errand, {
    answers: options.answers,
    asks: !options.json,
    user: userOf(io),
    writePlan: (done, text) => writePlanFiles(target, done, text),
  });
  const wasAsked = errand.answers === null && (end.assessment?.questions.length ?? 0) > 0;
  if (options.answers !== null && !wasAsked) warn(io, localErrandTexts.answersNotNeeded());
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
    path: local.pathInRepository(path),
    protectedPaths: [...protectedPaths],
    gate: [...gate],
    // Those of LOOM_DISABLED_AGENTS are disabled in the roster already.
    disabledAgents: [...disabledAgents],
  };
}

function show(io: Io, errand: Errand, target: PlanTarget, { json }: PlanNewOptions): void {
  const files = { plan: target.out, design: designOut(target, errand) };
  const { result, remarks } = renderPlanNew(errand, files, { color: wantsColor(io.stderr, io.env) });
  warn(io, remarks.trimEnd());
  if (json) say(io, JSON.stringify(planNewJson(errand, files)));
  else if (result !== "") say(io, result.trimEnd());
}
