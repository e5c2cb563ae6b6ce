import { plainText } from "../../core/text/escape-text.ts";
import { countCodePoints, cutText } from "../../core/text/text-width.ts";
import type { HarnessEvent, SessionEnd } from "../../ports/harness.ts";

/**
 * What a CLI prints is not only the CLI's: every command that an agent runs can write into the same stream, in the CLI's own
 * words. Nothing that it says proves anything; here it is kept from harming whoever listens, by texts without end, numbers
 * that no ledger can hold, moments that no calendar knows, and names that a CLI would take for options.
 */

/** More than any report or hand-off that is read. */
const MAX_TEXT = 200_000;
const MAX_NAME = 200;
/** Of tokens or money in one event; sums of them stay numbers. */
const MAX_AMOUNT = 1e12;
const LONGEST_WAIT_MS = 366 * 86_400_000;

export function sanitizeEvent(event: HarnessEvent, now: number): HarnessEvent {
  switch (event.kind) {
    case "started": {
      const { model, conversation } = event;
      return {
        ...event,
        model: model === null ? null : shortName(model),
        conversation: sanitizeResume(conversation),
      };
    }
    case "text":
      return event.text.length <= MAX_TEXT ? event : { ...event, text: shortText(event.text) };
    case "usage": {
      const { inputTokens, outputTokens, costUsd } = event.usage;
      const cost = costUsd === null ? null : sanitizeAmount(costUsd);
      const usage = {
        inputTokens: sanitizeAmount(inputTokens),
        outputTokens: sanitizeAmount(outputTokens),
        costUsd: cost,
      };
      return { ...event, usage };
    }
    case "context":
      return {
        ...event,
        used: sanitizeAmount(event.used),
        window: Math.max(1, sanitizeAmount(event.window)),
      };
    case "rate-limit":
      return { ...event, resetsAt: sanitizeMoment(event.resetsAt, now) };
    default:
      return event;
  }
}

export function sanitizeEnd(
  end: Pick<SessionEnd, "failure" | "text" | "resume">,
  now: number,
): Pick<SessionEnd, "failure" | "text" | "resume"> {
  const { failure, text } = end;
  return {
    failure: failure && { ...failure, resetsAt: sanitizeMoment(failure.resetsAt, now) },
    text: text === null ? null : shortText(text),
    resume: sanitizeResume(end.resume),
  };
}

/** As all CLIs name their conversations; anything else could be taken for an option, or for a path. */
function sanitizeResume(name: string | null): string | null {
  return name !== null && /^[A-Za-z0-9][\w.:-]{0,199}$/.test(name) ? name : null;
}

/** The end of a long text is kept: the report and the question stand there. */
function shortText(text: string): string {
  return text.length <= MAX_TEXT ? text : `… ${text.slice(-MAX_TEXT)}`;
}

function shortName(name: string): string {
  return cutText(plainText(name.slice(0, MAX_NAME * 20)), MAX_NAME, countCodePoints);
}

function sanitizeAmount(amount: number): number {
  return Number.isFinite(amount) ? Math.min(Math.max(0, amount), MAX_AMOUNT) : 0;
}

function sanitizeMoment(at: number | null, now: number): number | null {
  return at !== null && at <= now + LONGEST_WAIT_MS ? at : null;
}
