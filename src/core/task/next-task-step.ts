import { isAudit, isPlanning } from "../command/task-kinds.ts";
import { hadItsChance, nextStep } from "../failure/retry-policy.ts";
import type { Millis } from "../ids.ts";
import { TOLD_SHARE } from "./evolve-task.ts";
import { defaultsAt, patienceOf } from "./patience.ts";
import { planOf } from "./plan-of.ts";
import type { Draft, Task } from "./task.ts";
import type { DegradeCause, GiveUpCause, Spent } from "./task-cause.ts";
import type { PlanWish, Purpose } from "./task-events.ts";

/** How often a draft is sent back with what is wrong with it. */
export const MAX_REDRAFTS = 3;

/** Far more than a deep design with all its drafts takes; what goes on beyond is going round in circles. */
const MAX_SESSIONS = 25;

export type TaskStep =
  | { readonly kind: "session"; readonly purpose: Purpose }
  | { readonly kind: "show-questions" }
  | { readonly kind: "remind" }
  | { readonly kind: "take-defaults" }
  /** No sound plan came; the policy says what to make of it. */
  | { readonly kind: "degrade"; readonly cause: DegradeCause }
  /** All is there: it is handed to whoever asked. */
  | { readonly kind: "deliver" }
  | { readonly kind: "give-up"; readonly cause: GiveUpCause }
  /** null: until a person does something. */
  | { readonly kind: "wait"; readonly until: Millis | null }
  | { readonly kind: "done" };

/**
 * What is due for a task, given all that is known of it. Pure and level-triggered like `decide`: asked twice, late or
 * by another worker it gives the same answer, because each step becomes an event that changes it.
 */
export function nextTaskStep(task: Task, now: Millis): TaskStep {
  if (task.outcome) return { kind: "done" };
  if (task.cancelledBy !== null || isReady(task)) return { kind: "deliver" };
  const due = dueStep(task, now);
  if (due.kind !== "session") return due;
  const tried = nextStep(task.failures, task.settings.retries, task.settings);
  if (tried.kind === "give-up") return afterFailures(task);
  // Before any pause: there would be nothing to wait for.
  const spent = spentAll(task);
  if (spent !== null) return afterLimit(task, spent);
  if (task.sessions >= MAX_SESSIONS)
    return { kind: "give-up", cause: { kind: "too-often", sessions: task.sessions } };
  if (tried.notBefore !== null && tried.notBefore > now) return { kind: "wait", until: tried.notBefore };
  return due;
}

function isReady(task: Task): boolean {
  return task.answer !== null || task.result !== null || planOf(task) !== null || task.degraded !== null;
}

function dueStep(task: Task, now: Millis): TaskStep {
  if (task.kind === "ask") return { kind: "session", purpose: "answer" };
  if (isAudit(task.kind)) return { kind: "session", purpose: "audit" };
  return planningStep(task, now);
}

function planningStep(task: Task, now: Millis): TaskStep {
  const { plan: wish, assessment, answers, drafts, design, kind } = task;
  const mayAsk = kind === "plan" && wish?.workflow === "standard";
  if (drafts.length > MAX_REDRAFTS) {
    const problems = drafts.at(-1)?.problems ?? [];
    const last = { problems: problems.length, first: problems[0] ?? null };
    return { kind: "degrade", cause: { kind: "drafts", drafts: drafts.length, ...last } };
  }
  if (mayAsk) {
    // As often as it is told what is wrong, the first look may still end in questions.
    if (!assessment) return { kind: "session", purpose: "begin" };
    if (assessment.questions.length > 0 && !answers) return questionStep(task, wish, now);
    if (assessment.complexity === "complex" && !design) return { kind: "session", purpose: "design" };
  }
  return { kind: "session", purpose: sentBack(task) ? "redraft" : "draft" };
}

/** The last answer that could not be taken, of those that the next one is to take the place of. */
export function sentBack({ drafts, assessment }: Task): Draft | null {
  return drafts.slice(assessment?.refusedBefore ?? 0).at(-1) ?? null;
}

/** One reminder always comes before the defaults. */
function questionStep(task: Task, wish: PlanWish, now: Millis): TaskStep {
  const { shownAt, remindedAt } = task;
  if (shownAt === null) return { kind: "show-questions" };
  if (remindedAt === null) {
    const remindAt = shownAt + patienceOf(wish).remindMs;
    return remindAt <= now ? { kind: "remind" } : { kind: "wait", until: remindAt };
  }
  const until = defaultsAt(task, wish, remindedAt);
  return until <= now ? { kind: "take-defaults" } : { kind: "wait", until };
}

/** What of its means is used up; null: there is some left. */
function spentAll(task: Task): Spent | null {
  const { budgetUsd, charged, workedMs, timeoutSecs } = task;
  if (budgetUsd !== null && charged.usd >= budgetUsd)
    return {
      kind: "budget",
      usd: budgetUsd,
      isGuess: charged.isGuess,
      cutOffUsd: charged.cutOff > 0 ? budgetUsd * TOLD_SHARE : null,
      limits: task.budgetBy ?? [],
    };
  return workedMs >= timeoutSecs * 1000
    ? { kind: "time", secs: timeoutSecs, limits: timeLimits(task) }
    : null;
}

function timeLimits({ kind }: Task): readonly string[] {
  return isPlanning(kind) ? [] : ["commands.timeout_secs"];
}

/**
 * A planner that could work and did not get there is a matter of the policy, like one whose drafts do not hold. Not so
 * where its agent can't be used or the provider is away: a plan of one stage would need the same, so people are told to
 * fix that first. Nor where a plan exists that can stay as it is.
 */
function afterFailures({ kind, failures }: Task): TaskStep {
  const failure = failures.at(-1) ?? null;
  if (kind === "plan" && failure && hadItsChance(failure.kind))
    return {
      kind: "degrade",
      cause: { kind: "failures", times: failures.length, reason: failure.message },
    };
  return { kind: "give-up", cause: { kind: "failed", failure } };
}

function afterLimit({ kind }: Task, spent: Spent): TaskStep {
  return kind === "plan"
    ? { kind: "degrade", cause: { kind: "limit", spent } }
    : { kind: "give-up", cause: { kind: "limit", spent } };
}
