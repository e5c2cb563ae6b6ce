import { assertNever, InternalError } from "../../errors.ts";
import type { Failure } from "../../failure/failure.ts";
import { questions } from "../questions.ts";
import type { StageRecord } from "../run.ts";
import type { StageEvent } from "../stage-events.ts";
import { moveStage, type Phase, type StageState } from "../stage-state.ts";
import { assertFits } from "./assert-fits.ts";
import { closedSession, evolveSession } from "./evolve-session.ts";

/** Nobody is bringing it in, or waits to: there is nothing that could be brought in. */
const UNPUBLISHED = { publishedAt: null, merging: null, waiting: null } as const;

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
        moreFiles: 0,
        stalled: false,
        handOff: null,
        handOffs: 0,
        warnings: [],
        deniedHosts: [],
        unconfined: record.unconfined || event.sandbox === "off",
        ...UNPUBLISHED,
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
        unconfined: record.unconfined || event.sandbox === "off",
        publishedAt: record.publishedAt === null ? null : version,
        // Whoever brings it in asks git first whether that has happened.
        merging: null,
      };
    case "session-started":
    case "session-ended":
    case "small-model-used":
      return { ...record, ...evolveSession(record, event) };
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
        moreFiles: event.moreFiles ?? 0,
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
        kept: keptBy(record, event.failure),
        commit: null,
        ...UNPUBLISHED,
      };
    }
    case "stage-published":
      return {
        ...record,
        ...inPhase(record, "published"),
        branch: { name: event.branch, tip: event.commit },
        pr: event.pr ?? record.pr,
        publishedAt: record.publishedAt ?? version,
        firstPublishedAt: record.firstPublishedAt ?? event.at,
      };
    case "merge-claimed":
      return { ...record, ...claimedBy(record, event.claim) };
    case "merge-proved":
      return { ...record, verdict: event.verdict };
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
        moreFiles: 0,
        verdict: null,
        conflict: null,
        ...UNPUBLISHED,
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
        ...UNPUBLISHED,
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
        moreFiles: 0,
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
        ...UNPUBLISHED,
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

/** Nothing was made where nothing can be fixed: the next attempt starts from what people have fixed meanwhile. */
function keptBy({ commit, base, kept }: StageRecord, { kind }: Failure): StageRecord["kept"] {
  if (kind === "out-of-reach") return null;
  return commit && base ? { commit, base } : kept;
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
