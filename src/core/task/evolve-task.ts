import { chargeOf } from "../budget/charge.ts";
import { addUsage, addUsageOf, agentName, type Usage } from "../budget/usage.ts";
import { assertNever, InternalError } from "../errors.ts";
import type { Task } from "./task.ts";
import type { Answer, TaskCreated, TaskEvent } from "./task-events.ts";

/** How much of its budget a task may use before that is told. */
export const TOLD_SHARE = 0.2;

/** The task after these events. The given one is left as it was. Whose claim an event carries is not judged here. */
export function evolveTask(task: Task | null, events: readonly TaskEvent[]): Task | null {
  let current = task;
  for (const event of events) {
    if (event.type === "task-created") {
      if (current) throw new InternalError(`task ${event.task} was created twice`);
      current = create(event);
    } else if (current) {
      const { version } = current;
      current = { ...current, ...changeOf(current, event), version: version + 1, touchedAt: event.at };
    } else {
      throw new InternalError(`the ledger starts with ${event.type} instead of task-created`);
    }
  }
  return current;
}

function create({ type: _, at, task, ...asked }: TaskCreated): Task {
  return {
    ...asked,
    id: task,
    version: 1,
    createdAt: at,
    touchedAt: at,
    claim: null,
    session: null,
    sessions: 0,
    unconfined: false,
    sessionsBy: new Map(),
    failures: [],
    harnesses: [],
    exhausted: new Map(),
    usage: null,
    usageBy: new Map(),
    charged: { usd: 0, isGuess: false, cutOff: 0 },
    workedMs: 0,
    assessment: null,
    shownAt: null,
    shownIn: null,
    remindedAt: null,
    given: [],
    heard: new Map(),
    answers: null,
    design: null,
    drafts: [],
    degraded: null,
    answer: null,
    result: null,
    fates: null,
    cancelledBy: null,
    outcome: null,
    finishedAt: null,
  };
}

function changeOf(task: Task, event: Exclude<TaskEvent, TaskCreated>): Partial<Task> {
  switch (event.type) {
    case "task-claimed":
      return { claim: event.claim, ...lose(task) };
    case "session-started": {
      const { session: id, purpose, marker, harness, model } = event;
      const before = task.sessionsBy.get(purpose) ?? 0;
      return {
        session: { id, purpose, marker, agent: agentName({ harness, model }), usage: null, isLost: false },
        harnesses: task.harnesses.includes(harness) ? task.harnesses : [...task.harnesses, harness],
        sessions: task.sessions + 1,
        unconfined: task.unconfined || event.sandbox === "off",
        sessionsBy: new Map(task.sessionsBy).set(purpose, before + 1),
      };
    }
    case "session-spent":
      return task.session?.id === event.session && !task.session.isLost
        ? { session: { ...task.session, usage: event.usage } }
        : {};
    case "session-ended":
      return {
        session: task.session?.id === event.session ? null : task.session,
        ...used(task, agentName(event), event.usage),
        workedMs: task.workedMs + event.durationMs,
      };
    case "session-failed":
      return {
        session: null,
        failures: [...task.failures, { ...event.failure, at: Date.parse(event.at) }],
      };
    case "harness-exhausted":
      return { exhausted: new Map(task.exhausted).set(event.harness, event.until) };
    case "task-assessed": {
      const { complexity, why, questions } = event;
      const assessment = { complexity, why, questions, refusedBefore: task.drafts.length };
      return { assessment, failures: [] };
    }
    case "questions-shown":
      return { shownAt: Date.parse(event.at), shownIn: event.comment };
    case "questions-reminded":
      return { remindedAt: Date.parse(event.at) };
    case "questions-answered":
      return task.answers ? {} : answersAfter(task, event);
    case "design-written":
      return { design: { document: event.document, notes: event.notes }, failures: [] };
    case "plan-drafted": {
      const { answer, plan, problems, notes, changes } = event;
      const draft = { answer, plan, problems, notes, ...(changes === undefined ? {} : { changes }) };
      return { drafts: [...task.drafts, draft], failures: [] };
    }
    case "plan-degraded":
      return { degraded: { plan: event.plan, cause: event.cause } };
    case "answer-written":
      return { answer: event.text };
    case "audit-written":
      return { result: event.result };
    case "findings-sorted":
      return { fates: task.fates ?? event.fates };
    case "task-cancelled":
      return { cancelledBy: task.cancelledBy ?? event.by };
    case "task-finished":
      return { outcome: event.outcome, finishedAt: event.at };
    default:
      return assertNever(event);
  }
}

/**
 * A session whose holder died is charged with what was told of it and with the step that may be untold, so that workers
 * that are killed again and again spend no more than the budget. It stays: its marker finds what may still run.
 */
function lose(task: Task): Partial<Task> {
  const { session, budgetUsd } = task;
  if (!session || session.isLost) return {};
  const sums = used(task, session.agent, session.usage);
  const charged = {
    ...sums.charged,
    usd: sums.charged.usd + (budgetUsd ?? 0) * TOLD_SHARE,
    cutOff: sums.charged.cutOff + 1,
  };
  return { ...sums, charged, session: { ...session, usage: null, isLost: true } };
}

function used({ usage, usageBy, charged }: Task, agent: string, more: Usage | null) {
  return {
    usage: addUsage(usage, more),
    usageBy: addUsageOf(usageBy, agent, more),
    charged: {
      ...charged,
      usd: charged.usd + chargeOf(more),
      isGuess: charged.isGuess || more?.costUsd === null,
    },
  };
}

/** Somebody's word is replaced by a later one, and never by a default: that is for what nobody answered. */
function answersAfter(
  { assessment, given: before, heard }: Task,
  { answers, said }: Extract<TaskEvent, { type: "questions-answered" }>,
): Pick<Task, "given" | "answers" | "heard"> {
  const given = (assessment?.questions ?? []).map((_, index) => {
    const [old = null, now = null] = [before[index], answers[index]];
    return now === null || (now.by === null && old) ? old : now;
  });
  return {
    given,
    answers: isSettled(given) ? given : null,
    heard: said === undefined ? heard : new Map(heard).set(said, given),
  };
}

/** Each question has its answer. */
export function isSettled(given: readonly (Answer | null)[]): given is readonly Answer[] {
  return given.every((answer) => answer !== null);
}
