import { runFolder } from "../../config/run-folder.ts";
import { assertNever } from "../../errors.ts";
import { nextStep } from "../../failure/retry-policy.ts";
import type { Millis, StageId } from "../../ids.ts";
import type { RunEvent, RunEventOf } from "../../run/events.ts";
import type { Run, StageRecord } from "../../run/run.ts";
import type { StageEvent } from "../../run/stage-events.ts";
import { counted, formatDuration, formatElapsed } from "../../text/durations.ts";
import { plainText } from "../../text/escape-text.ts";
import { withoutStop } from "../../text/quote.ts";
import { countCodePoints, fitText } from "../../text/text-width.ts";
import { countLeaves, leavesWith, type Verdict } from "../../verify/verdict.ts";
import { pausedBy, whyVoided } from "../texts/cause-texts.ts";
import { commandFor } from "../texts/escalation.ts";
import { mergedCount, runTime, shortSha } from "./run-counts.ts";

/** What a moment looks like to the reader; only the edge knows their time zone. */
export type FormatTime = (at: Millis) => string;

/** Longer stage names push their line to the right instead of leaving a gap in all others. */
const WIDEST_STAGE = 24;

/** One line for logs and pipes, or null for what only machines need to know. `run` is the state after the event. */
export function describeEvent(event: RunEvent, run: Run, formatTime: FormatTime): string | null {
  const words = "stage" in event ? describeStageEvent(event, run) : describeRunEvent(event, run);
  if (words === null) return null;
  const time = formatTime(Date.parse(event.at));
  return "stage" in event ? `${time}  ${stageColumn(event.stage, run)}  ${words}` : `${time}  ${words}`;
}

function stageColumn(stage: StageId, run: Run): string {
  let width = 0;
  for (const id of run.stages.keys()) width = Math.max(width, Math.min(id.length, WIDEST_STAGE));
  const name = plainText(stage);
  return name.length > width ? name : fitText(name, width, countCodePoints);
}

function describeRunEvent(event: Exclude<RunEvent, { stage: string }>, run: Run): string | null {
  switch (event.type) {
    case "run-created": {
      const { harness, maxParallel } = event.settings;
      const size = counted(run.stages.size, "stage");
      return plainText(
        `Run ${event.run}: ${size} into ${event.target} with ${harness}, ${maxParallel} at a time.`,
      );
    }
    case "run-resumed":
      return plainText(
        `Run ${run.id} goes on: ${mergedCount(run)} of ${counted(run.stages.size, "stage")} merged so far.`,
      );
    case "run-stalled":
      return plainText(event.explanation);
    case "cancel-requested":
      return plainText(`Cancelling, as ${event.by} asked: what runs is being stopped.`);
    case "run-finished":
      return plainText(
        `Run ${run.id} ${event.status}: ${mergedCount(run)} of ${counted(run.stages.size, "stage")} merged ` +
          `into ${run.target} in ${formatDuration(runTime(run, Date.parse(event.at)))}.`,
      );
    case "run-recorded":
      return plainText(
        `Recorded in ${runFolder(run.settings, run.id)}/ by commit ${shortSha(event.commit)}.`,
      );
    case "plan-offered":
      return `The plan is open as #${event.pr}.`;
    case "plan-amended":
      return plainText(
        `The plan was changed by ${event.by}; it has ${counted(run.stages.size, "stage")} now.`,
      );
    case "plan-edit-refused":
      return plainText(
        `The plan was changed by ${event.by} in a way that can't be followed: ${event.problems[0] ?? ""}`,
      );
    case "run-approved":
      return plainText(`Approved by ${event.by} at ${shortSha(event.head)}.`);
    case "approval-voided":
      return plainText(`The approval no longer counts: ${whyVoided(event.cause)}`);
    case "run-paused":
      return plainText(`Paused by ${pausedBy(event.cause)}.`);
    case "run-unpaused":
      return plainText(`${event.by} lets it go on.`);
    case "run-archived":
      return plainText(`Archived by ${event.by}.`);
    case "run-named":
      return plainText(`It is called: ${event.name}`);
    case "command-heard":
    case "panel-posted":
      return null;
    default:
      return assertNever(event);
  }
}

function describeStageEvent(event: StageEvent, run: Run): string | null {
  switch (event.type) {
    case "attempt-started":
      return `started (attempt ${event.attempt}, ${plainText(harnessOf(run, event.stage))})`;
    case "attempt-resumed":
      return `goes on (attempt ${event.attempt})`;
    case "input-requested": {
      const command = commandFor.answer(run.id, event.stage);
      return `asks: ${plainText(event.question)} (answer with ${command})`;
    }
    case "input-answered":
      return `got an answer from ${plainText(event.by)}`;
    case "attempt-interrupted":
      return interruptionWords(event);
    case "attempt-committed":
      // Once published, a new commit of the same attempt is the old one on top of what was merged meanwhile.
      if (run.stages.get(event.stage)?.publishedAt != null) {
        return `moved on top of ${plainText(run.target)} as ${shortSha(event.commit)}, verifying again`;
      }
      return event.stalled
        ? `fell silent; what it left (${counted(event.files.length + (event.moreFiles ?? 0), "file")}) is being verified`
        : `changed ${counted(event.files.length + (event.moreFiles ?? 0), "file")}, verifying ${shortSha(event.commit)}`;
    case "attempt-verified":
      return verdictWords(event.verdict);
    case "merge-proved":
      return `${verdictWords(event.verdict)} on ${plainText(run.target)} ${shortSha(event.onto)}${
        event.with > 0 ? `, together with ${counted(event.with, "other stage")}` : ""
      }`;
    case "attempt-failed":
      return `attempt ${event.attempt} failed: ${plainText(withoutStop(event.failure.message))}${whatFollows(event, run)}`;
    case "merge-conflicted":
      return `conflicts with ${plainText(run.target)} in ${plainText(event.files.join(", "))}; a session resolves it`;
    case "stage-merged":
      return (
        `merged as ${shortSha(event.merged)} into ${plainText(run.target)} ` +
        `(${mergedCount(run)} of ${run.stages.size})`
      );
    case "stage-blocked":
      return blockedWords(event, run);
    case "stage-skipped":
      return `skipped: ${plainText(event.reason)}`;
    case "stage-reopened":
      return `reopened by ${plainText(event.by)}`;
    case "merge-waiting":
    case "stage-folded":
      return plainText(`waits: ${event.reason}`);
    case "stack-conflicted":
      return `waits: what it builds on conflicts in ${plainText(event.files.join(", "))}`;
    case "work-lost":
      return "starts again: its earlier work is on no machine that can be reached";
    case "stage-taken":
      return plainText(
        event.reason ? `is ${event.by}'s again: ${event.reason}` : `taken over by ${event.by}`,
      );
    case "stage-handed-over":
      return `verifying ${shortSha(event.commit)}, pushed by ${plainText(event.by)}`;
    case "stage-published":
      return event.pr == null ? null : `open as #${event.pr}`;
    case "handed-off":
      return "used up its context; a fresh session goes on from its hand-off";
    case "attempt-warned":
      return `warning: ${plainText(event.text)}`;
    case "hosts-denied":
      return `${WHO[event.by]} asked for ${counted(event.hosts.length, "host")} that the sandbox does not allow: ${plainText(event.hosts.slice(0, 5).join(", "))}`;
    case "harness-exhausted":
      return `${plainText(event.harness)} is out of quota for ${formatElapsed(event.until - Date.parse(event.at))}`;
    case "report-received":
    case "small-model-used":
    case "merge-claimed":
    case "merge-woken":
    case "stage-queued":
    case "session-started":
    case "session-ended":
    case "work-kept":
    case "merge-started":
    // The stage is blocked at once, and that line has the reason.
    case "merge-held":
      return null;
    default:
      return assertNever(event);
  }
}

function harnessOf(run: Run, stage: StageId): string {
  return (run.settings.harnessWins ? null : run.stages.get(stage)?.plan.harness) ?? run.settings.harness;
}

function interruptionWords(event: RunEventOf<"attempt-interrupted">): string {
  switch (event.reason) {
    case "died":
      return `was cut off in attempt ${event.attempt} when Loom ended; it goes on from there`;
    case "stopped":
      return `stopped in attempt ${event.attempt}; its work is kept`;
    case "handoff":
      return "hands over to a fresh session";
    default:
      return assertNever(event.reason);
  }
}

/** The reason stands in the line of the last failed attempt already; it is not said twice. */
function blockedWords(event: RunEventOf<"stage-blocked">, run: Run): string {
  const record = run.stages.get(event.stage);
  if (record?.failures.at(-1)?.message !== event.failure.message)
    return `blocked: ${plainText(event.failure.message)}`;
  return `blocked after ${counted(record.attempts, "attempt")}`;
}

function verdictWords(verdict: Verdict): string {
  const all = countLeaves(verdict);
  const asks = leavesWith(verdict, "ask").length;
  if (asks > 0)
    return `verified: ${all - asks} of ${counted(all, "check")} passed, ${asks} ${asks === 1 ? "needs" : "need"} a person`;
  const checks = counted(all, "check");
  return verdict.outcome === "warned"
    ? `verified: ${checks} passed, with warnings`
    : `verified: ${checks} passed`;
}

const WHO = { agent: "the agent", setup: "set-up", checks: "a check" } as const;

function whatFollows(event: RunEventOf<"attempt-failed">, run: Run): string {
  const record: StageRecord | undefined = run.stages.get(event.stage);
  if (!record || run.cancelledBy !== null) return "";
  const step = nextStep(record.failures, record.plan.retries ?? run.settings.retries, run.settings);
  if (step.kind === "give-up") return "";
  const wait = (step.notBefore ?? 0) - Date.parse(event.at);
  return wait > 0 ? `; trying again in ${formatElapsed(wait)}` : "; trying again";
}
