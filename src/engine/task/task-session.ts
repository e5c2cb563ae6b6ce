import { chargeOf } from "../../core/budget/charge.ts";
import type { Usage } from "../../core/budget/usage.ts";
import { isPlanning } from "../../core/command/task-kinds.ts";
import { assertNever } from "../../core/errors.ts";
import type { Failure } from "../../core/failure/failure.ts";
import type { AgentProfile } from "../../core/plan/agent-profile.ts";
import { NO_SANDBOX_RULES } from "../../core/plan/plan.ts";
import { mergeSandboxRules } from "../../core/plan/sandbox-rules.ts";
import { createJudge } from "../../core/policy/judge-command.ts";
import type { Judge } from "../../core/policy/judgement.ts";
import { failures } from "../../core/report/texts/failure-texts.ts";
import { taskTexts } from "../../core/report/texts/task-texts.ts";
import { sandboxAccess } from "../../core/sandbox/sandbox-access.ts";
import { TOLD_SHARE } from "../../core/task/evolve-task.ts";
import type { Task } from "../../core/task/task.ts";
import type { Purpose } from "../../core/task/task-events.ts";
import type { TaskPrompt } from "../../core/task/task-prompt.ts";
import { routeOfTask } from "../../core/task/task-role.ts";
import type { Harness } from "../../ports/harness.ts";
import { Interrupted } from "../attempt/interrupted.ts";
import { takeRoute } from "../session/choose-agent.ts";
import { endStateOf } from "../session/end-state.ts";
import { explainAgentFailure } from "../session/explain-agent-failure.ts";
import { runSession } from "../session/run-session.ts";
import { shortenedBy, turnsOf } from "../session/session-limits.ts";
import type { SessionResult } from "../session/session-types.ts";
import { writeTask } from "./task-claim.ts";
import type { TaskContext } from "./task-context.ts";

export type SessionAnswer =
  | { readonly kind: "said"; readonly text: string }
  /** It is written down; what follows is decided by all that is known. `text`: said with the last of its money. */
  | { readonly kind: "failed"; readonly text: string | null };

export type SessionWish = {
  readonly purpose: Purpose;
  readonly prompt: TaskPrompt;
  /** Said instead of the prompt when the conversation before can be gone on with. */
  readonly followUp: string | null;
  readonly profile: AgentProfile | null;
  /** Folders that it may read besides the tree; absent: none. */
  readonly shows?: readonly string[];
};

/** One session of a task: it reads, it speaks, and its last words are what counts. */
export async function holdSession(
  context: TaskContext,
  task: Task,
  wish: SessionWish,
): Promise<SessionAnswer> {
  const { engine, claim } = context;
  const { harness, model, effort, waitUntil } = takeRoute(engine, routeOfTask(task), task);
  if (waitUntil !== null) {
    const told = failures.quota(harness.id, "its quota is used up", "");
    await writeTask(engine, claim, { type: "session-failed", failure: { ...told, retryAt: waitUntil } });
    return { kind: "failed", text: null };
  }
  const goesOn = wish.followUp !== null && context.conversation?.harness === harness.id;
  const resume = goesOn ? (context.conversation?.resume ?? null) : null;
  const text =
    resume === null ? wish.prompt : { ...wish.prompt, text: wish.followUp ?? "", task: wish.followUp ?? "" };
  const number = (task.sessionsBy.get(wish.purpose) ?? 0) + 1;
  const session = `${wish.purpose}-${number}-${engine.newId().slice(0, 8)}`;
  await writeTask(engine, claim, {
    type: "session-started",
    session,
    purpose: wish.purpose,
    harness: harness.id,
    model: model ?? harness.model,
    promptTokens: wish.prompt.metrics.tokens,
    prefixHash: wish.prompt.metrics.prefixHash,
    marker: claim.token,
    sandbox: engine.sandboxes.kind,
  });
  const { settings } = task;
  const rules = mergeSandboxRules(NO_SANDBOX_RULES, NO_SANDBOX_RULES, "standard");
  const result = await runSession(
    { ...engine, files: engine.taskFiles, feed: context.feed },
    {
      claim: { run: task.id, stage: wish.purpose, attempt: number, token: claim.token },
      harness,
      session,
      marker: claim.token,
      tree: context.tree.path,
      home: context.home.path,
      ...(wish.shows ? { shows: wish.shows } : {}),
      model,
      effort,
      prompt: text,
      resume,
      tools: "read",
      temperature: wish.profile?.temperature ?? null,
      maxTurns: turnsOf(settings, wish.profile),
      ...budgetLeft(task),
      onUsage: tellSpending(context, task, session),
      sandboxSpec: sandboxAccess(rules, settings, "agent"),
      judge: refusing(createJudge(engine.policy, [])),
      contextBudget: null,
      ceilingSecs: ceilingOf(task, wish.profile),
      stallSecs: settings.noProgressSecs,
      abort: context.abort,
    },
  );
  await writeTask(engine, claim, {
    type: "session-ended",
    session,
    state: endStateOf(result, "completed"),
    harness: harness.id,
    model: result.model,
    durationMs: result.durationMs,
    usage: result.usage,
  });
  context.conversation = result.resume === null ? null : { harness: harness.id, resume: result.resume };
  return settle(context, harness, result);
}

async function settle(context: TaskContext, harness: Harness, result: SessionResult): Promise<SessionAnswer> {
  const { engine, claim } = context;
  const { outcome, text, tail } = result;
  // Nobody sits beside it, so a question is what it has to say, and whoever asked can answer by asking again.
  const words = text?.trim() ? text : outcome.kind === "asked" ? outcome.question : "";
  if ((outcome.kind === "finished" || outcome.kind === "asked") && words.trim() !== "")
    return { kind: "said", text: words };
  // A conversation that broke off is no good to go on with.
  context.conversation = null;
  if (outcome.kind === "aborted") throw new Interrupted();
  if (outcome.kind === "failed" && outcome.failure?.kind === "quota") {
    const until = outcome.failure.resetsAt ?? engine.now() + QUOTA_PAUSE_MS;
    await writeTask(engine, claim, { type: "harness-exhausted", harness: harness.id, until });
    return { kind: "failed", text: null };
  }
  const isSpent = outcome.kind === "failed" && outcome.failure?.kind === "turns";
  const last = isSpent && text !== null && text.trim() !== "" ? text : null;
  const failure = explain(harness.id, result, tail);
  await writeTask(engine, claim, {
    type: "session-failed",
    failure: last === null ? failure : { ...failure, said: last.slice(-SAID_CHARS) },
  });
  return { kind: "failed", text: last };
}

/** Of words that nothing could be made of, for people and for finding out again what is wrong with them. */
export const SAID_CHARS = 40_000;

const QUOTA_PAUSE_MS = 600_000;

function explain(harness: string, { outcome }: SessionResult, tail: string): Failure {
  switch (outcome.kind) {
    case "finished":
    case "asked":
      return failures.agentSaid(harness, taskTexts.noWords(), tail);
    case "exhausted":
      return { kind: "context-overflow", message: taskTexts.tooLarge(), evidence: tail || null };
    case "stalled":
      return failures.agentSaid(harness, "it gave no sign of life for too long.", tail);
    case "timed-out":
      return failures.agentSaid(harness, "it took longer than it may.", tail);
    case "crashed":
      return failures.crashed(outcome.signal, tail);
    case "not-started":
      return failures.notStarted(harness, outcome.reason);
    case "aborted":
      return failures.infrastructure("The work was interrupted.");
    case "failed":
      return explainAgentFailure(harness, outcome.code, outcome.failure, tail);
    default:
      return assertNever(outcome);
  }
}

/** What is left of the task's time, and of one session's. */
function ceilingOf({ settings, timeoutSecs, workedMs, kind }: Task, profile: AgentProfile | null): number {
  const left = timeoutSecs - workedMs / 1000;
  const most = isPlanning(kind) ? (settings.planTimeoutSecs ?? left) : left;
  return Math.max(1, shortenedBy(profile, Math.min(left, most)));
}

function budgetLeft({ budgetUsd, charged }: Task): { budgetUsd?: number } {
  return budgetUsd === null ? {} : { budgetUsd: Math.max(0, budgetUsd - charged.usd) };
}

/** Whoever is killed can't tell in the end what a session took, so it is told on the way, in a few steps. */
function tellSpending({ engine, claim }: TaskContext, { budgetUsd }: Task, session: string) {
  let told = 0;
  return (usage: Usage): void => {
    const charge = chargeOf(usage);
    if (budgetUsd === null || charge - told < budgetUsd * TOLD_SHARE) return;
    told = charge;
    // Where it can't be written, the next write of this session fails as well, and is heeded.
    writeTask(engine, claim, { type: "session-spent", session, usage }).catch(() => {});
  };
}

/** Nobody waits for a task to be answered in its middle: what a person would have to allow is refused. */
function refusing(judge: Judge): Judge {
  return (call) => {
    const judgement = judge(call);
    return judgement.kind === "ask"
      ? { kind: "deny", reason: taskTexts.noPolicyAnswer(judgement.question) }
      : judgement;
  };
}
