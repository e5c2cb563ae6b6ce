import type { Millis } from "../ids.ts";
import { ownValue, table } from "../table.ts";

export type RefusedAnswer = {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The beginning of the body as text; null when there is none. */
  readonly body: string | null;
};

/**
 * The earliest moment at which asking a model's provider again makes sense, as far as its answer tells; null when it tells
 * nothing or the answer is about something else. What is said about this very request and about windows that are used up
 * binds together, so the latest of those counts. Only where nothing of the kind is said do the buckets that every answer
 * lists count: the latest of the empty ones or, when none is, the one that fills up first.
 */
export function retryTime(answer: RefusedAnswer, now: Millis): Millis | null {
  if (![429, 503, 529].includes(answer.status)) return null;
  const header = (name: string): string => ownValue(answer.headers, name)?.trim() ?? "";
  const told = sensible(
    [retryAfter(header, now), ...usedUpWindows(header, now), ...momentsInBody(answer.body, now)],
    now,
  );
  if (told.length > 0) return Math.max(...told);
  const buckets = bucketsIn(answer.headers, now);
  const empty = sensible(
    buckets.filter((bucket) => bucket.isEmpty).map((bucket) => bucket.at),
    now,
  );
  if (empty.length > 0) return Math.max(...empty);
  const any = sensible(
    buckets.map((bucket) => bucket.at),
    now,
  );
  return any.length > 0 ? Math.min(...any) : null;
}

const LONGEST_WAIT: Millis = 366 * 24 * 60 * 60 * 1000;

type Header = (name: string) => string;

/** A moment that has passed means now; one that lies years ahead is a mistake. */
function sensible(moments: readonly (Millis | null)[], now: Millis): Millis[] {
  return moments
    .filter((at) => at !== null)
    .filter((at) => Number.isFinite(at) && at <= now + LONGEST_WAIT)
    .map((at) => Math.max(at, now));
}

function retryAfter(header: Header, now: Millis): Millis | null {
  const millis = readNumber(header("retry-after-ms"));
  if (millis !== null) return now + millis;
  const seconds = readNumber(header("retry-after"));
  return seconds === null ? readDate(header("retry-after")) : now + seconds * 1000;
}

function usedUpWindows(header: Header, now: Millis): (Millis | null)[] {
  const status = header("anthropic-ratelimit-unified-status");
  const unified =
    status === "" || status === "rejected" ? readMoment(header("anthropic-ratelimit-unified-reset")) : null;
  const codex = ["primary", "secondary"].map((window) => {
    if ((readNumber(header(`x-codex-${window}-used-percent`)) ?? 0) < 100) return null;
    const seconds = readNumber(header(`x-codex-${window}-reset-after-seconds`));
    return seconds === null ? readMoment(header(`x-codex-${window}-reset-at`)) : now + seconds * 1000;
  });
  return [unified, ...codex];
}

function bucketsIn(
  headers: RefusedAnswer["headers"],
  now: Millis,
): { at: Millis | null; isEmpty: boolean }[] {
  return Object.keys(headers).flatMap((name) => {
    const value = ownValue(headers, name)?.trim() ?? "";
    const remaining = (other: string): boolean => readNumber(ownValue(headers, other)?.trim() ?? "") === 0;
    const anthropic = /^anthropic-ratelimit-(?!unified-)(.+)-reset$/.exec(name)?.[1];
    if (anthropic) {
      return [{ at: readMoment(value), isEmpty: remaining(`anthropic-ratelimit-${anthropic}-remaining`) }];
    }
    const openai = /^x-ratelimit-reset-(.+)$/.exec(name)?.[1];
    if (!openai) return [];
    const wait = readDuration(value);
    return [{ at: wait === null ? null : now + wait, isEmpty: remaining(`x-ratelimit-remaining-${openai}`) }];
  });
}

/** Some say it in the body: Gemini as `"retryDelay": "34s"`, subscriptions to Codex as `"resets_at"` or `"resets_in_seconds"`. */
function momentsInBody(body: string | null, now: Millis): (Millis | null)[] {
  if (body === null) return [];
  // Searched, not parsed: of a long body only the beginning is known.
  const delay = /"retryDelay"\s*:\s*"([^"]{1,40})"/.exec(body)?.[1];
  const wait = delay === undefined ? null : readDuration(delay);
  const seconds = /"resets_in_seconds"\s*:\s*(\d{1,12}(?:\.\d+)?)/.exec(body)?.[1];
  const at = /"resets_at"\s*:\s*(\d{1,15})\b/.exec(body)?.[1];
  return [
    wait === null ? null : now + wait,
    seconds === undefined ? null : now + Number(seconds) * 1000,
    at === undefined ? null : readMoment(at),
  ];
}

function readNumber(text: string): number | null {
  return /^\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : null;
}

/** Seconds since the epoch, or a date in words. */
function readMoment(text: string): Millis | null {
  const seconds = readNumber(text);
  return seconds === null ? readDate(text) : seconds * 1000;
}

function readDate(text: string): Millis | null {
  // Anything shorter is taken for a year, or for nothing, depending on who reads it.
  const at = /^(?:\d{4}-\d\d-\d\d[T ]|[A-Za-z]{3,9},? )/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const UNITS: Readonly<Record<string, Millis>> = table({
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
});

/** Such as `6m0s`, `1.5s`, `820ms`; a bare number is seconds. */
function readDuration(text: string): Millis | null {
  const bare = readNumber(text);
  if (bare !== null) return bare * 1000;
  if (!/^(?:\d{1,12}(?:\.\d{1,12})?(?:ms|s|m|h|d))+$/.test(text)) return null;
  return Array.from(text.matchAll(/(?<![\d.])([\d.]+)(ms|s|m|h|d)/g)).reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (UNITS[unit] ?? 0),
    0,
  );
}
