import { addUsage } from "../budget/usage.ts";
import { assertNever, InternalError } from "../errors.ts";
import { questions } from "../report/questions.ts";
import { moveSession, type SessionState } from "../session/session-state.ts";
import { moveStage, type Phase, type StageState } from "../stage/stage-state.ts";
import type { RunEvent, Usage } from "./events.ts";
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
    pr: null,
    stack: [],
    stackConflict: null,
    foldedInto: null,
    waiting: null,
    queueEntries: 0,
    takenBy: null,
    publishedAt: null,
    merging: null,
    conflict: null,
    conflicts: 0,
    dialogue: [],
    session: null,
    handOff: null,
    handOffs: 0,
    report: null,
    warnings: [],
    deniedHosts: [],
    usage: null,
    usageBy: new Map(),
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
        stack: event.stack ?? [],
        foldedInto: null,
        commit: null,
        files: [],
        stalled: false,
        handOff: null,
        handOffs: 0,
        warnings: [],
        deniedHosts: [],
        publishedAt: null,
        merging: null,
        waiting: null,
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
        // Whoever brings it in asks git first whether that has happened.
        merging: null,
      };
    case "session-started":
      return {
        ...record,
        session: {
          id: event.session,
          harness: event.harness,
          model: event.model ?? null,
          context: null,
          marker: event.marker,
          tree: event.tree,
          startedAt: event.at,
          state: moveSession(event.session, "spawning", "running"),
        },
      };
    case "session-ended": {
      const session = record.session && {
        ...endSession(record.session, event.state),
        model: record.session.model ?? event.model ?? null,
        context: event.context ?? null,
      };
      return {
        ...record,
        session,
        usage: addUsage(record.usage, event.usage),
        usageBy: session ? usageWith(record, nameOf(session), event.usage) : record.usageBy,
      };
    }
    case "small-model-used":
      return {
        ...record,
        usage: addUsage(record.usage, event.usage),
        usageBy: usageWith(record, nameOf(event), event.usage),
      };
    case "handed-off":
      return { ...record, handOff: event.document, handOffs: record.handOffs + 1 };
    case "report-received":
      return { ...record, report: { text: event.text, downstream: event.downstream } };
    case "attempt-warned":
      return { ...record, warnings: [...record.warnings, event.text] };
    case "hosts-denied":
      return { ...record, deniedHosts: [...new Set([...record.deniedHosts, ...event.hosts])] };
    case "harness-exhausted":
      return record;
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
        stack: event.stack ?? record.stack,
        verdict: null,
        conflict: null,
        handOff: null,
        waiting: null,
        queueEntries: 0,
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
        waiting: null,
      };
    }
    case "stage-published":
      return {
        ...record,
        ...inPhase(record, "published"),
        branch: { name: event.branch, tip: event.commit },
        pr: event.pr ?? record.pr,
        publishedAt: record.publishedAt ?? version,
      };
    case "merge-claimed":
      return { ...record, ...claimedBy(record, event.claim) };
    case "merge-waiting":
      return {
        ...record,
        merging: null,
        waiting: {
          reason: event.reason,
          next: event.next,
          until: event.until,
          stack: event.stack ?? record.stack,
          times: (record.waiting?.times ?? 0) + 1,
        },
        queueEntries: record.queueEntries + (event.entered ? 1 : 0),
      };
    case "merge-woken":
      return { ...record, waiting: null };
    case "stage-folded":
      return {
        ...record,
        stack: [],
        foldedInto: event.into,
        merging: null,
        waiting: { reason: event.reason, next: event.next, until: null, stack: [], times: 1 },
      };
    case "stack-conflicted":
      return { ...record, stackConflict: event.files };
    case "work-lost":
      return {
        ...record,
        ...inPhase(record, "working"),
        base: event.base,
        stack: event.stack,
        kept: null,
        commit: null,
        files: [],
        verdict: null,
        conflict: null,
        publishedAt: null,
        merging: null,
        waiting: null,
      };
    case "stage-taken":
      return {
        ...record,
        ...to({
          kind: "waiting-for-input",
          attempt: record.attempts,
          question: questions.taken(event.branch, event.reason ?? ""),
        }),
        takenBy: event.by,
        open: false,
        endedAt: null,
        session: closedSession(record.session),
        publishedAt: null,
        merging: null,
        waiting: null,
      };
    case "stage-handed-over":
      return {
        ...record,
        ...to({ kind: "queued", attempt: event.attempt, notBefore: null }),
        attempts: event.attempt,
        open: true,
        takenBy: event.by,
        base: event.base,
        stack: event.stack ?? [],
        kept: null,
        commit: event.commit,
        files: [],
        stalled: false,
        verdict: null,
        conflict: null,
        branch: { name: event.branch, tip: event.commit },
        startedAt: record.startedAt ?? event.at,
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
        waiting: null,
      };
    case "merge-held":
      return {
        ...record,
        ...to({ kind: "merge-blocked", attempt: event.attempt, failure: event.failure }),
        session: closedSession(record.session),
        merging: null,
        waiting: null,
      };
    case "stage-merged":
      return {
        ...record,
        ...to({ kind: "completed", commit: event.commit, merged: event.merged }),
        ...ended(),
        open: false,
        merging: null,
        waiting: null,
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
        queueEntries: 0,
        takenBy: null,
        endedAt: null,
        foldedInto: null,
        ...(event.afresh ? { pr: null, branch: null, publishedAt: null, waiting: null } : {}),
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
    case "stack-conflicted":
    case "stage-taken":
    case "stage-handed-over":
      return;
    default: {
      // A person may merge what Loom gave up on.
      if (event.type === "stage-merged" && state.kind === "blocked") return;
      const wanted = event.type === "input-answered" ? "waiting-for-input" : "executing";
      if (state.kind !== wanted || state.attempt !== event.attempt)
        throw new InternalError(
          `${event.type} of attempt ${event.attempt} does not fit: ${event.stage} is ${state.kind}`,
        );
    }
  }
}

/** By what used it, so that people see which model costs what (E13). */
function usageWith({ usageBy }: StageRecord, name: string, usage: Usage | null): ReadonlyMap<string, Usage> {
  const sum = addUsage(usageBy.get(name) ?? null, usage);
  return usage && sum ? new Map(usageBy).set(name, sum) : usageBy;
}

function nameOf({ harness, model }: { harness: string; model: string | null }): string {
  return model === null ? harness : `${harness}/${model}`;
}

function endSession(session: SessionRecord, state: SessionState): SessionRecord {
  return { ...session, state: moveSession(session.id, session.state, state) };
}

/** Whatever became of its process, a session does not outlive its attempt. */
function closedSession(session: SessionRecord | null): SessionRecord | null {
  return session?.state === "running" ? endSession(session, "crashed") : session;
}

function claimedBy(record: StageRecord, claim: string): Pick<StageRecord, "state"> {
  if (record.state.kind !== "executing" || record.state.phase !== "published")
    throw new InternalError(`stage ${record.plan.id} is not published and can't be brought in`);
  return { state: { ...record.state, claim } };
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
  if (record.branch?.tip === record.commit && record.verdict) return "published";
  return record.verdict && record.verdict.outcome !== "failed" ? "verified" : "committed";
}
