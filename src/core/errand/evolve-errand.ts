import { chargeOf } from "../budget/charge.ts";
import { addUsage, addUsageOf, agentName, type Usage } from "../budget/usage.ts";
import { assertNever, InternalError } from "../errors.ts";
import type { Errand } from "./errand.ts";
import type { Answer, ErrandCreated, ErrandEvent } from "./errand-events.ts";

/** How much of its budget an errand may use before that is told. */
export const TOLD_SHARE = 0.2;

/** The errand after these events. The given one is left as it was. Whose claim an event carries is not judged here. */
export function evolveErrand(errand: Errand | null, events: readonly ErrandEvent[]): Errand | null {
  let current = errand;
  for (const event of events) {
    if (event.type === "errand-created") {
      if (current) throw new InternalError(`errand ${event.errand} was created twice`);
      current = create(event);
    } else if (current) {
      const { version } = current;
      current = { ...current, ...changeOf(current, event), version: version + 1, touchedAt: event.at };
    } else {
      throw new InternalError(`the ledger starts with ${event.type} instead of errand-created`);
    }
  }
  return current;
}

function create({ type: _, at, errand, ...asked }: ErrandCreated): Errand {
  return {
    ...asked,
    id: errand,
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

function changeOf(errand: Errand, event: Exclude<ErrandEvent, ErrandCreated>): Partial<Errand> {
  switch (event.type) {
    case "errand-claimed":
      return { claim: event.claim, ...lose(errand) };
    case "session-started": {
      const { session: id, purpose, marker, harness, model } = event;
      const before = errand.sessionsBy.get(purpose) ?? 0;
      return {
        session: { id, purpose, marker, agent: agentName({ harness, model }), usage: null, isLost: false },
        harnesses: errand.harnesses.includes(harness) ? errand.harnesses : [...errand.harnesses, harness],
        sessions: errand.sessions + 1,
        unconfined: errand.unconfined || event.sandbox === "off",
        sessionsBy: new Map(errand.sessionsBy).set(purpose, before + 1),
      };
    }
    case "session-spent":
      return errand.session?.id === event.session && !errand.session.isLost
        ? { session: { ...errand.session, usage: event.usage } }
        : {};
    case "session-ended":
      return {
        session: errand.session?.id === event.session ? null : errand.session,
        ...used(errand, agentName(event), event.usage),
        workedMs: errand.workedMs + event.durationMs,
      };
    case "session-failed":
      return {
        session: null,
        failures: [...errand.failures, { ...event.failure, at: Date.parse(event.at) }],
      };
    case "harness-exhausted":
      return { exhausted: new Map(errand.exhausted).set(event.harness, event.until) };
    case "task-assessed": {
      const { complexity, why, questions } = event;
      const assessment = { complexity, why, questions, refusedBefore: errand.drafts.length };
      return { assessment, failures: [] };
    }
    case "questions-shown":
      return { shownAt: Date.parse(event.at), shownIn: event.comment };
    case "questions-reminded":
      return { remindedAt: Date.parse(event.at) };
    case "questions-answered":
      return errand.answers ? {} : answersAfter(errand, event);
    case "design-written":
      return { design: { document: event.document, notes: event.notes }, failures: [] };
    case "plan-drafted": {
      const { answer, plan, problems, notes, changes } = event;
      const draft = { answer, plan, problems, notes, ...(changes === undefined ? {} : { changes }) };
      return { drafts: [...errand.drafts, draft], failures: [] };
    }
    case "plan-degraded":
      return {
        degraded: { plan: event.plan, reason: event.reason, because: event.because ?? "drafts" },
      };
    case "answer-written":
      return { answer: event.text };
    case "audit-written":
      return { result: event.result };
    case "findings-sorted":
      return { fates: errand.fates ?? event.fates };
    case "errand-cancelled":
      return { cancelledBy: errand.cancelledBy ?? event.by };
    case "errand-finished":
      return { outcome: event.outcome, finishedAt: event.at };
    default:
      return assertNever(event);
  }
}

/**
 * A session whose holder died is charged with what was told of it and with the step that may be untold, so that workers
 * that are killed again and again spend no more than the budget. It stays: its marker finds what may still run.
 */
function lose(errand: Errand): Partial<Errand> {
  const { session, budgetUsd } = errand;
  if (!session || session.isLost) return {};
  const sums = used(errand, session.agent, session.usage);
  const charged = {
    ...sums.charged,
    usd: sums.charged.usd + (budgetUsd ?? 0) * TOLD_SHARE,
    cutOff: sums.charged.cutOff + 1,
  };
  return { ...sums, charged, session: { ...session, usage: null, isLost: true } };
}

function used({ usage, usageBy, charged }: Errand, agent: string, more: Usage | null) {
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
  { assessment, given: before, heard }: Errand,
  { answers, said }: Extract<ErrandEvent, { type: "questions-answered" }>,
): Pick<Errand, "given" | "answers" | "heard"> {
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
