import { addUsage } from "../budget/usage.ts";
import { assertNever, InternalError } from "../errors.ts";
import { moveSession, type SessionState } from "../session/session-state.ts";
import { moveStage, type Phase, type StageState } from "../stage/stage-state.ts";
import type { RunEvent } from "./events.ts";
import type { SessionRecord, StageRecord } from "./run.ts";

export type StageEvent = Extract<RunEvent, { stage: string }>;

export function freshRecord(plan: StageRecord["plan"]): StageRecord {
  return {
    plan,
    state: { kind: "waiting-for-deps" },
    attempts: 0,
    open: false,
    failures: [],
    deaths: 0,
    base: null,
    kept: null,
    commit: null,
    files: [],
    stalled: false,
    verdict: null,
    branch: null,
    publishedAt: null,
    merging: null,
    conflict: null,
    conflicts: 0,
    dialogue: [],
    session: null,
    usage: null,
    startedAt: null,
    endedAt: null,
  };
}

/** What a stage is after one of its events; `version` is the ledger's before it. Throws when the event does not fit. */
export function evolveStage(record: StageRecord, event: StageEvent, version: number): StageRecord {
  const to = (state: StageState): Pick<StageRecord, "state"> => ({
    state: moveStage(event.stage, record.state, state),
  });
  const ended = (): { endedAt: string } => ({ endedAt: event.at });
  assertFits(record, event);
  switch (event.type) {
    case "stage-queued":
      return { ...record, ...to({ kind: "queued", attempt: event.attempt, notBefore: event.notBefore }) };
    case "attempt-started":
      return {
        ...record,
        ...to({
          kind: "executing",
          attempt: event.attempt,
          phase: "working",
          since: event.at,
          claim: event.claim,
        }),
        attempts: event.attempt,
        open: true,
        base: event.base,
        commit: null,
        files: [],
        stalled: false,
        publishedAt: null,
        merging: null,
        startedAt: record.startedAt ?? event.at,
        endedAt: null,
      };
    case "attempt-resumed":
      return {
        ...record,
        ...to({
          kind: "executing",
          attempt: event.attempt,
          phase: phaseReached(record),
          since: event.at,
          claim: event.claim,
        }),
        publishedAt: record.publishedAt === null ? null : version,
      };
    case "session-started":
      return {
        ...record,
        session: {
          id: event.session,
          harness: event.harness,
          marker: event.marker,
          tree: event.tree,
          startedAt: event.at,
          state: moveSession(event.session, "spawning", "running"),
        },
      };
    case "session-ended":
      return {
        ...record,
        session: record.session && endSession(record.session, event.state),
        usage: addUsage(record.usage, event.usage),
      };
    case "input-requested":
      return {
        ...record,
        ...to({ kind: "waiting-for-input", attempt: event.attempt, question: event.question }),
        dialogue: [...record.dialogue, { question: event.question, answer: null }],
      };
    case "input-answered":
      return {
        ...record,
        ...to({ kind: "queued", attempt: event.attempt, notBefore: null }),
        dialogue: record.dialogue.map((one, index) =>
          index === record.dialogue.length - 1 ? { ...one, answer: event.answer } : one,
        ),
      };
    case "work-kept":
      return { ...record, kept: { commit: event.commit, base: event.base } };
    case "attempt-interrupted":
      return {
        ...record,
        ...to({ kind: "needs-handoff", attempt: event.attempt, reason: event.reason }),
        deaths: record.deaths + (event.reason === "died" ? 1 : 0),
        session: closedSession(record.session),
      };
    case "attempt-committed":
      return {
        ...record,
        ...inPhase(record, "committed"),
        commit: event.commit,
        base: event.base,
        files: event.files,
        stalled: event.stalled,
        verdict: null,
        conflict: null,
      };
    case "attempt-verified":
      return { ...record, ...inPhase(record, "verified"), commit: event.commit, verdict: event.verdict };
    case "attempt-failed": {
      const failed = {
        ...record,
        ...to({ kind: "completed-with-failures", attempt: event.attempt, failure: event.failure }),
        failures: [...record.failures, { ...event.failure, at: Date.parse(event.at) }],
        session: closedSession(record.session),
      };
      // Trouble of the machine says nothing about a commit: the attempt goes on from it, and no agent is asked again.
      if (event.failure.kind === "infrastructure" && record.commit !== null) return failed;
      return {
        ...failed,
        open: false,
        verdict: event.verdict ?? record.verdict,
        kept: record.commit && record.base ? { commit: record.commit, base: record.base } : record.kept,
        commit: null,
        publishedAt: null,
        merging: null,
      };
    }
    case "stage-published":
      return {
        ...record,
        ...inPhase(record, "published"),
        branch: { name: event.branch, tip: event.commit },
        publishedAt: record.publishedAt ?? version,
      };
    case "merge-started":
      return { ...record, merging: { commit: event.commit, onto: event.onto } };
    case "merge-conflicted":
      return {
        ...record,
        ...to({ kind: "merge-conflict", attempt: event.attempt, onto: event.onto, files: event.files }),
        open: false,
        conflict: { commit: event.commit, base: record.base ?? event.onto, files: event.files },
        conflicts: record.conflicts + 1,
        kept: null,
        commit: null,
        publishedAt: null,
        merging: null,
      };
    case "merge-held":
      return {
        ...record,
        ...to({ kind: "merge-blocked", attempt: event.attempt, failure: event.failure }),
        session: closedSession(record.session),
      };
    case "stage-merged":
      return {
        ...record,
        ...to({ kind: "completed", commit: event.commit, merged: event.merged }),
        ...ended(),
        open: false,
        merging: null,
      };
    case "stage-blocked":
      return { ...record, ...to({ kind: "blocked", failure: event.failure }), ...ended() };
    case "stage-skipped":
      return { ...record, ...to({ kind: "skipped", reason: event.reason }), ...ended() };
    case "stage-reopened":
      return {
        ...record,
        ...to({ kind: "waiting-for-deps" }),
        failures: [],
        deaths: 0,
        conflicts: 0,
        endedAt: null,
      };
    default:
      return assertNever(event);
  }
}

/** Beyond the table of moves: only the attempt that runs has a say, and only a question has an answer. */
function assertFits({ state }: StageRecord, event: StageEvent): void {
  switch (event.type) {
    case "stage-queued":
    case "attempt-started":
    case "attempt-resumed":
    case "stage-blocked":
    case "stage-skipped":
    case "stage-reopened":
      return;
    default: {
      const wanted = event.type === "input-answered" ? "waiting-for-input" : "executing";
      if (state.kind !== wanted || state.attempt !== event.attempt)
        throw new InternalError(
          `${event.type} of attempt ${event.attempt} does not fit: ${event.stage} is ${state.kind}`,
        );
    }
  }
}

function endSession(session: SessionRecord, state: SessionState): SessionRecord {
  return { ...session, state: moveSession(session.id, session.state, state) };
}

/** Whatever became of its process, a session does not outlive its attempt. */
function closedSession(session: SessionRecord | null): SessionRecord | null {
  return session?.state === "running" ? endSession(session, "crashed") : session;
}

function inPhase(record: StageRecord, phase: Phase): Pick<StageRecord, "state"> {
  if (record.state.kind !== "executing") {
    throw new InternalError(`stage ${record.plan.id} is ${record.state.kind} and can't be ${phase}`);
  }
  return { state: { ...record.state, phase } };
}

/** How far an interrupted attempt had come: what is done is not done again. */
function phaseReached(record: StageRecord): Phase {
  if (!record.commit) return "working";
  if (record.branch?.tip === record.commit) return "published";
  return record.verdict && record.verdict.outcome !== "failed" ? "verified" : "committed";
}
