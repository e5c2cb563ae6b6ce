import { renderCodebaseMap } from "../../core/codebase/render-codebase-map.ts";
import type { Failure } from "../../core/failure/failure.ts";
import { nextStep } from "../../core/failure/retry-policy.ts";
import { runnerLabel } from "../../core/plan/runner-label.ts";
import { assessAnswer } from "../../core/planning/answers/assess-answer.ts";
import { questionsAllowed } from "../../core/planning/answers/read-questions.ts";
import { designRef } from "../../core/planning/design-ref.ts";
import { checkDraft } from "../../core/planning/draft/check-draft.ts";
import { canBeTold } from "../../core/planning/planning-parts.ts";
import {
  type PlanningInput,
  type PlanningLimits,
  type PlanningPurpose,
  planningPrompt,
  redoRequest,
} from "../../core/planning/planning-prompt.ts";
import { type DesignFrame, readDesign } from "../../core/planning/read-design.ts";
import { amendTexts } from "../../core/report/texts/amend-texts.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { planningTexts } from "../../core/report/texts/planning-texts.ts";
import { agentsFor } from "../../core/roster/agent-list.ts";
import { withoutAgents } from "../../core/roster/without-agents.ts";
import { sentBack } from "../../core/task/next-task-step.ts";
import type { Task } from "../../core/task/task.ts";
import { wishOf } from "../../core/task/wish-of.ts";
import { mapRepository, readKnowledge } from "../attempt/map-repository.ts";
import { timestamp } from "../engine.ts";
import { patternProblem } from "../run/pattern-problem.ts";
import { gateToExpect } from "../verify/gate-at.ts";
import { keptOf, wordsAround } from "./kept-plan.ts";
import type { PlanToAmend, TaskChannel } from "./task-channel.ts";
import { writeTask } from "./task-claim.ts";
import type { TaskContext } from "./task-context.ts";
import { holdSession, type SessionAnswer } from "./task-session.ts";

/** One session of the planner, and what Loom makes of its last words. */
export async function planOn(
  context: TaskContext,
  task: Task,
  purpose: PlanningPurpose,
  channel: TaskChannel,
): Promise<void> {
  const { engine, claim } = context;
  const wish = wishOf(task);
  const amend = await channel.planToAmend(task);
  if (task.kind === "revise" && !amend) return dropRevision(context);
  if (amend && !canBeTold(amend.plan))
    return failWith(context, failures.noRevision(amendTexts.tooLongToTell()));
  const limits = await limitsFor(context, task, amend);
  const answer = await speak(context, task, purpose, limits, amend);
  if (answer.kind === "failed") return;
  const assessed = purpose === "begin" ? assessAnswer(answer.text, questionsAllowed(wish.depth)) : null;
  if (assessed) {
    const questions = [...assessed.questions];
    await writeTask(engine, claim, { type: "task-assessed", ...assessed, questions });
    return;
  }
  if (purpose === "design") return takeDesign(context, task, answer.text);
  // Stages went on while the planner worked: its draft has to fit to what is finished by now.
  const now = await channel.planToAmend(task);
  if (task.kind === "revise" && !now) return dropRevision(context);
  if (amend?.planText !== now?.planText) return askAnew(context, answer.text);
  await takeDraft(context, task, limits, answer.text, now);
}

/** A person pushed another plan meanwhile: what they wrote would be lost with a draft that does not know it. */
async function askAnew(context: TaskContext, answer: string): Promise<void> {
  // The next session has to be told all of it.
  context.conversation = null;
  const problems = [amendTexts.changedMeanwhile()];
  await writeTask(context.engine, context.claim, {
    type: "plan-drafted",
    answer,
    plan: null,
    problems,
    notes: [],
  });
}

async function dropRevision(context: TaskContext): Promise<void> {
  await failWith(context, failures.runOver());
}

async function failWith({ engine, claim }: TaskContext, failure: Failure): Promise<void> {
  await writeTask(engine, claim, { type: "session-failed", failure });
}

async function speak(
  context: TaskContext,
  task: Task,
  purpose: PlanningPurpose,
  limits: PlanningLimits,
  amend: PlanToAmend | null,
): Promise<SessionAnswer> {
  const { engine, workspace, prompts } = context;
  const wish = wishOf(task);
  const draft = purpose === "design" ? designBefore(context, task) : sentBack(task);
  const prompt = planningPrompt(
    prompts,
    {
      task,
      purpose,
      map: renderCodebaseMap(await mapRepository(workspace, task.commit)),
      knowledge: await readKnowledge(workspace, task.commit),
      roster: withoutAgents(engine.roster, wish.disabledAgents),
      limits,
      draft,
      design: amend ? amend.design : (task.design?.document ?? null),
      amend: amend && {
        plan: amend.plan,
        words: wordsAround(amend, { ...keptOf(amend, task), ...frameOf(context, task) }),
        states: amend.states,
        wish: task.text,
      },
    },
    engine.hash,
  );
  const followUp = draft ? redoRequest(prompts, purpose, draft.problems) : null;
  return holdSession(context, task, { purpose, prompt, followUp, profile: null });
}

/** What the planner is told is what its draft is held against, and its stages later. A run keeps the gate that it has. */
async function limitsFor(
  { workspace }: TaskContext,
  task: Task,
  amend: PlanToAmend | null,
): Promise<PlanningLimits> {
  const { settings, commit } = task;
  const { maxStages, budgetUsd, protectedPaths, gate } = wishOf(task);
  return {
    maxStages,
    maxParallel: settings.maxParallel,
    retries: settings.retries,
    timeoutSecs: settings.timeoutSecs,
    noProgressSecs: settings.noProgressSecs,
    runsOn: settings.runsOn ? runnerLabel(settings.runsOn) : null,
    budgetUsd: budgetUsd ?? settings.budgetUsd ?? null,
    protectedPaths,
    gate: amend ? amend.gate : await gateToExpect(workspace, commit, gate),
  };
}

/** Of a design that is not whole, to find out again what it lacks. */
const DESIGN_CHARS = 100_000;

/** Goes back as long as there are tries left. Then people see what is there, and are told what is not. */
async function takeDesign(context: TaskContext, task: Task, text: string): Promise<void> {
  const { engine, claim } = context;
  const { settings } = task;
  const { document, problems } = readDesign(text, designFrame(context, task));
  const failure = {
    ...failures.contractUnmet(planningTexts.designLacks(problems.length, document === null)),
    evidence: text.slice(0, DESIGN_CHARS),
  };
  const tried = [...task.failures, { ...failure, at: engine.now() }];
  const goesBack = problems.length > 0 && nextStep(tried, settings.retries, settings).kind === "retry";
  if (document === null || goesBack) await writeTask(engine, claim, { type: "session-failed", failure });
  else await writeTask(engine, claim, { type: "design-written", document, notes: [...problems] });
}

/** The last design that was sent back; null: there is none. */
function designBefore(context: TaskContext, task: Task): PlanningInput["draft"] {
  const last = task.failures.findLast(({ kind }) => kind === "contract-unmet");
  if (!last) return null;
  const answer = last.evidence ?? "";
  return { answer, problems: readDesign(answer, designFrame(context, task)).problems };
}

function designFrame({ engine, prompts }: TaskContext, task: Task): DesignFrame {
  return {
    depth: wishOf(task).depth,
    complexity: task.assessment?.complexity ?? "complex",
    title: task.title,
    created: timestamp(engine),
    template: prompts.tasks.templates.design,
  };
}

async function takeDraft(
  context: TaskContext,
  task: Task,
  limits: PlanningLimits,
  text: string,
  amend: PlanToAmend | null,
): Promise<void> {
  const { engine, claim } = context;
  const wish = wishOf(task);
  const checked = checkDraft(text, {
    mode: wish.mode,
    limits,
    agents: agentsFor(engine.roster, wish.disabledAgents, amend?.plan.stages),
    checkPattern: patternProblem(engine.patterns),
    complexity: task.assessment?.complexity ?? null,
    ...(amend ? keptOf(amend, task) : { title: task.title, goal: goalOf(task), designRef: designRef(task) }),
    ...frameOf(context, task),
  });
  const refused = checked.plan === null ? [] : (amend?.refuses(checked.plan) ?? []);
  await writeTask(engine, claim, {
    type: "plan-drafted",
    answer: text,
    plan: refused.length > 0 ? null : checked.plan,
    problems: [...checked.problems, ...refused],
    notes: [...checked.notes],
    ...(amend ? { changes: amend.version } : {}),
  });
}

function frameOf({ prompts }: TaskContext, { createdAt }: Task): { created: string; template: string } {
  return { created: createdAt, template: prompts.tasks.templates.plan };
}

export function goalOf({ body, text }: Task): string {
  return body.trim() === "" ? text : body;
}
