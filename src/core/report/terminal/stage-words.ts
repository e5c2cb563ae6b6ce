import { assertNever } from "../../errors.ts";
import type { Millis } from "../../ids.ts";
import { asksForPerson } from "../../run/merged-by-people.ts";
import type { Run, StageRecord } from "../../run/run.ts";
import type { StageState } from "../../run/stage-state.ts";
import { formatElapsed, formatRoughly, ordinal } from "../../text/durations.ts";
import { plainText } from "../../text/escape-text.ts";
import type { Tone } from "./paint.ts";

/** A state in the words of someone who looks on. */
export type StateWords = {
  readonly icon: string;
  readonly word: string;
  readonly tone: Tone;
  readonly group: Group;
};

/** How stages are counted; the order is the one in which they claim a row when there are too few. */
export const GROUPS = ["needs you", "working", "blocked", "queued", "waiting", "done"] as const;
export type Group = (typeof GROUPS)[number];

/** The last thing an agent was seen doing. */
export type Activity = { readonly text: string; readonly at: Millis };

/** A session without a sign of life for this long is called silent. */
const SILENT_AFTER_MS = 300_000;

export function stateWords(record: StageRecord, now: Millis): StateWords {
  const { state } = record;
  switch (state.kind) {
    case "waiting-for-deps":
      return { icon: "·", word: "waiting", tone: "quiet", group: "waiting" };
    case "queued":
      return state.notBefore !== null && state.notBefore > now
        ? {
            icon: "◌",
            word: `retry in ${untilWords(state.notBefore - now)}`,
            tone: "warning",
            group: "queued",
          }
        : { icon: "◌", word: withTry("queued", state.attempt), tone: "queued", group: "queued" };
    case "executing":
      if (state.phase === "published" && record.waiting && asksForPerson(record))
        return { icon: "?", word: "needs you", tone: "warning", group: "needs you" };
      if (state.phase === "published" && record.waiting)
        return { icon: "○", word: "open", tone: "good", group: "waiting" };
      return {
        icon: "●",
        word: withTry(phaseWord(record, state), state.attempt),
        tone: "busy",
        group: "working",
      };
    case "waiting-for-input":
      return { icon: "?", word: "needs you", tone: "warning", group: "needs you" };
    case "needs-handoff":
      return { icon: "◌", word: "paused", tone: "queued", group: "queued" };
    case "completed-with-failures":
      return { icon: "!", word: "failed", tone: "warning", group: "queued" };
    case "merge-conflict":
      return { icon: "!", word: "conflict", tone: "warning", group: "queued" };
    case "merge-blocked":
      return { icon: "✗", word: "blocked", tone: "bad", group: "blocked" };
    case "blocked":
      // What only waits behind another failure is fainter, so that the cause stands out.
      return state.failure.kind === "dependency"
        ? { icon: "✗", word: "blocked", tone: "faded-bad", group: "blocked" }
        : { icon: "✗", word: "blocked", tone: "bad", group: "blocked" };
    case "completed":
      return { icon: "✓", word: state.merged === null ? "done" : "merged", tone: "good", group: "done" };
    case "skipped":
      return { icon: "–", word: "skipped", tone: "quiet", group: "done" };
    default:
      return assertNever(state);
  }
}

// Rounded up: a wait that shows 0s while nothing starts looks broken.
function untilWords(ms: Millis): string {
  return formatElapsed(Math.ceil(ms / 1000) * 1000);
}

function phaseWord(record: StageRecord, state: Extract<StageState, { kind: "executing" }>): string {
  switch (state.phase) {
    case "working":
      return record.conflict ? "resolving" : "working";
    case "committed":
      return "verifying";
    case "verified":
    case "published":
      return "merging";
    default:
      return assertNever(state.phase);
  }
}

function withTry(word: string, attempt: number): string {
  return attempt > 1 ? `${word} (${ordinal(attempt)} try)` : word;
}

/** What the table's last column says: what the agent does, or why nothing happens. */
export function stageNote(
  run: Run,
  record: StageRecord,
  activity: Activity | undefined,
  now: Millis,
): { readonly text: string; readonly tone: Tone } {
  const { state } = record;
  switch (state.kind) {
    case "waiting-for-deps":
      return { text: waitsFor(run, record), tone: "quiet" };
    case "queued":
      return { text: plainText(record.failures.at(-1)?.message ?? ""), tone: "quiet" };
    case "executing":
      return executingNote(run, record, state, activity, now);
    case "waiting-for-input":
      return { text: plainText(state.question), tone: "warning" };
    case "needs-handoff":
      return { text: "goes on where it was", tone: "quiet" };
    case "completed-with-failures":
    case "merge-blocked":
      return { text: plainText(state.failure.message), tone: "plain" };
    case "blocked":
      return {
        text: plainText(state.failure.message),
        tone: state.failure.kind === "dependency" ? "quiet" : "plain",
      };
    case "merge-conflict":
      return { text: plainText(`in ${state.files.join(", ")}`), tone: "plain" };
    case "completed":
      return record.verdict?.outcome === "warned" || asksForPerson(record) || record.warnings.length > 0
        ? { text: "with warnings", tone: "warning" }
        : { text: "", tone: "plain" };
    case "skipped":
      return { text: plainText(state.reason), tone: "quiet" };
    default:
      return assertNever(state);
  }
}

function executingNote(
  run: Run,
  record: StageRecord,
  state: Extract<StageState, { kind: "executing" }>,
  activity: Activity | undefined,
  now: Millis,
): { text: string; tone: Tone } {
  switch (state.phase) {
    case "working": {
      const silence = now - lastSign(record, state.since, activity);
      if (silence > SILENT_AFTER_MS) return { text: `silent for ${formatRoughly(silence)}`, tone: "warning" };
      return { text: plainText(activity?.text ?? ""), tone: "plain" };
    }
    case "committed":
      return { text: plainText(activity?.text ?? "its checks run on a clean checkout"), tone: "quiet" };
    case "verified":
    case "published":
      if (record.waiting) return { text: plainText(record.waiting.reason), tone: "quiet" };
      return record.merging
        ? { text: `goes into ${plainText(run.target)}`, tone: "quiet" }
        : { text: "verified, next in line", tone: "quiet" };
    default:
      return assertNever(state.phase);
  }
}

/** A session that has only just been started is not silent, whatever the one before it was. */
function lastSign(record: StageRecord, since: string, activity: Activity | undefined): Millis {
  const started = record.session ? Date.parse(record.session.startedAt) : 0;
  return Math.max(Date.parse(since), started, activity?.at ?? 0);
}

function waitsFor(run: Run, record: StageRecord): string {
  const open = record.plan.dependencies.filter((id) => {
    const kind = run.stages.get(id)?.state.kind;
    return kind !== "completed" && kind !== "skipped";
  });
  if (open.length > 0) return plainText(`after ${open.join(", ")}`);
  return record.plan.synthesis ? "after all others" : "";
}
