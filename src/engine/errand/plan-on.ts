import { renderCodebaseMap } from "../../core/codebase/render-codebase-map.ts";
import type { Errand } from "../../core/errand/errand.ts";
import { sentBack } from "../../core/errand/next-errand-step.ts";
import { wishOf } from "../../core/errand/wish-of.ts";
import type { Failure } from "../../core/failure/failure.ts";
import { nextStep } from "../../core/failure/retry-policy.ts";
import { assessAnswer } from "../../core/planning/assess-answer.ts";
import { checkDraft } from "../../core/planning/check-draft.ts";
import { designRef } from "../../core/planning/design-ref.ts";
import { canBeTold } from "../../core/planning/planning-parts.ts";
import {
  type PlanningInput,
  type PlanningLimits,
  type PlanningPurpose,
  planningSignal,
  redoRequest,
} from "../../core/planning/planning-signal.ts";
import { type DesignFrame, readDesign } from "../../core/planning/read-design.ts";
import { questionsAllowed } from "../../core/planning/read-questions.ts";
import { amendTexts } from "../../core/report/amend-texts.ts";
import { failures } from "../../core/report/failure-texts.ts";
import { planningTexts } from "../../core/report/planning-texts.ts";
import { agentsFor } from "../../core/roster/agent-list.ts";
import { withoutAgents } from "../../core/roster/without-agents.ts";
import { runnerLabel } from "../../core/runner-label.ts";
import { timestamp } from "../engine.ts";
import { gateToExpect } from "../gate-at.ts";
import { mapRepository, readKnowledge } from "../map-repository.ts";
import { patternProblem } from "../pattern-problem.ts";
import { writeErrand } from "./errand-claim.ts";
import type { ErrandDesk } from "./errand-desk.ts";
import type { ErrandOffice, PlanToAmend } from "./errand-office.ts";
import { holdSession, type Said } from "./errand-session.ts";
import { keptOf, wordsAround } from "./kept-plan.ts";

/** One session of the planner, and what Loom makes of its last words. */
export async function planOn(
  desk: ErrandDesk,
  errand: Errand,
  purpose: PlanningPurpose,
  office: ErrandOffice,
): Promise<void> {
  const { engine, claim } = desk;
  const wish = wishOf(errand);
  const amend = await office.planToAmend(errand);
  if (errand.kind === "revise" && !amend) return dropRevision(desk);
  if (amend && !canBeTold(amend.plan)) return failWith(desk, failures.noRevision(amendTexts.tooLongToTell()));
  const limits = await limitsFor(desk, errand, amend);
  const said = await speak(desk, errand, purpose, limits, amend);
  if (said.kind === "failed") return;
  const assessed = purpose === "begin" ? assessAnswer(said.text, questionsAllowed(wish.depth)) : null;
  if (assessed) {
    const questions = [...assessed.questions];
    await writeErrand(engine, claim, { type: "task-assessed", ...assessed, questions });
    return;
  }
  if (purpose === "design") return takeDesign(desk, errand, said.text);
  // Stages went on while the planner worked: its draft has to fit to what is finished by now.
  const now = await office.planToAmend(errand);
  if (errand.kind === "revise" && !now) return dropRevision(desk);
  if (amend?.planText !== now?.planText) return askAnew(desk, said.text);
  await takeDraft(desk, errand, limits, said.text, now);
}

/** A person pushed another plan meanwhile: what they wrote would be lost with a draft that does not know it. */
async function askAnew(desk: ErrandDesk, answer: string): Promise<void> {
  // The next session has to be told all of it.
  desk.conversation = null;
  const problems = [amendTexts.changedMeanwhile()];
  await writeErrand(desk.engine, desk.claim, {
    type: "plan-drafted",
    answer,
    plan: null,
    problems,
    notes: [],
  });
}

async function dropRevision(desk: ErrandDesk): Promise<void> {
  await failWith(desk, failures.runOver());
}

async function failWith({ engine, claim }: ErrandDesk, failure: Failure): Promise<void> {
  await writeErrand(engine, claim, { type: "session-failed", failure });
}

async function speak(
  desk: ErrandDesk,
  errand: Errand,
  purpose: PlanningPurpose,
  limits: PlanningLimits,
  amend: PlanToAmend | null,
): Promise<Said> {
  const { engine, workspace, prompts } = desk;
  const wish = wishOf(errand);
  const draft = purpose === "design" ? designBefore(desk, errand) : sentBack(errand);
  const signal = planningSignal(
    prompts,
    {
      errand,
      purpose,
      map: renderCodebaseMap(await mapRepository(workspace, errand.commit)),
      knowledge: await readKnowledge(workspace, errand.commit),
      roster: withoutAgents(engine.roster, wish.disabledAgents),
      limits,
      draft,
      design: amend ? amend.design : (errand.design?.document ?? null),
      amend: amend && {
        plan: amend.plan,
        words: wordsAround(amend, { ...keptOf(amend, errand), ...frameOf(desk, errand) }),
        states: amend.states,
        wish: errand.text,
      },
    },
    engine.hash,
  );
  const followUp = draft ? redoRequest(prompts, purpose, draft.problems) : null;
  return holdSession(desk, errand, { purpose, signal, followUp, profile: null });
}

/** What the planner is told is what its draft is held against, and its stages later. A run keeps the gate that it has. */
async function limitsFor(
  { workspace }: ErrandDesk,
  errand: Errand,
  amend: PlanToAmend | null,
): Promise<PlanningLimits> {
  const { settings, commit } = errand;
  const { maxStages, budgetUsd, protectedPaths, gate } = wishOf(errand);
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
async function takeDesign(desk: ErrandDesk, errand: Errand, text: string): Promise<void> {
  const { engine, claim } = desk;
  const { settings } = errand;
  const { document, problems } = readDesign(text, designFrame(desk, errand));
  const failure = {
    ...failures.contractUnmet(planningTexts.designLacks(problems.length, document === null)),
    evidence: text.slice(0, DESIGN_CHARS),
  };
  const tried = [...errand.failures, { ...failure, at: engine.now() }];
  const goesBack = problems.length > 0 && nextStep(tried, settings.retries, settings).kind === "retry";
  if (document === null || goesBack) await writeErrand(engine, claim, { type: "session-failed", failure });
  else await writeErrand(engine, claim, { type: "design-written", document, notes: [...problems] });
}

/** The last design that was sent back; null: there is none. */
function designBefore(desk: ErrandDesk, errand: Errand): PlanningInput["draft"] {
  const last = errand.failures.findLast(({ kind }) => kind === "contract-unmet");
  if (!last) return null;
  const answer = last.evidence ?? "";
  return { answer, problems: readDesign(answer, designFrame(desk, errand)).problems };
}

function designFrame({ engine, prompts }: ErrandDesk, errand: Errand): DesignFrame {
  return {
    depth: wishOf(errand).depth,
    complexity: errand.assessment?.complexity ?? "complex",
    title: errand.title,
    created: timestamp(engine),
    template: prompts.errands.templates.design,
  };
}

async function takeDraft(
  desk: ErrandDesk,
  errand: Errand,
  limits: PlanningLimits,
  text: string,
  amend: PlanToAmend | null,
): Promise<void> {
  const { engine, claim } = desk;
  const wish = wishOf(errand);
  const checked = checkDraft(text, {
    mode: wish.mode,
    limits,
    agents: agentsFor(engine.roster, wish.disabledAgents, amend?.plan.stages),
    checkPattern: patternProblem(engine.patterns),
    complexity: errand.assessment?.complexity ?? null,
    ...(amend
      ? keptOf(amend, errand)
      : { title: errand.title, goal: goalOf(errand), designRef: designRef(errand) }),
    ...frameOf(desk, errand),
  });
  const refused = checked.plan === null ? [] : (amend?.refuses(checked.plan) ?? []);
  await writeErrand(engine, claim, {
    type: "plan-drafted",
    answer: text,
    plan: refused.length > 0 ? null : checked.plan,
    problems: [...checked.problems, ...refused],
    notes: [...checked.notes],
    ...(amend ? { changes: amend.version } : {}),
  });
}

function frameOf({ prompts }: ErrandDesk, { createdAt }: Errand): { created: string; template: string } {
  return { created: createdAt, template: prompts.errands.templates.plan };
}

export function goalOf({ body, text }: Errand): string {
  return body.trim() === "" ? text : body;
}
