import type { Millis, Timestamp } from "../ids.ts";

/** How long something took, once it is over: 0.4s, 12s, 4m 05s, 1h 02m, 3d 4h. */
export function formatDuration(ms: Millis): string {
  const tenths = Math.round(Math.max(0, ms) / 100);
  return tenths < 100 ? `${(tenths / 10).toFixed(1)}s` : formatElapsed(Math.round(ms / 1000) * 1000);
}

/** A clock that is still running: whole seconds only, so that it changes once a second. */
export function formatElapsed(ms: Millis): string {
  const secs = Math.max(0, Math.floor(ms / 1000));
  const two = (n: number): string => String(n).padStart(2, "0");
  if (secs < 60) return `${secs}s`;
  if (secs < 3600) return `${Math.floor(secs / 60)}m ${two(secs % 60)}s`;
  const hours = Math.floor(secs / 3600);
  if (hours < 24) return `${hours}h ${two(Math.floor((secs % 3600) / 60))}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** In the largest unit only, for what need not be exact: 40s, 6m, 3h, 2d. */
export function formatRoughly(ms: Millis): string {
  const secs = Math.max(0, Math.floor(ms / 1000));
  if (secs < 60) return `${secs}s`;
  if (secs < 3600) return `${Math.floor(secs / 60)}m`;
  return secs < 86_400 ? `${Math.floor(secs / 3600)}h` : `${Math.floor(secs / 86_400)}d`;
}

/** From the first start to the last end, pauses and retries included; null for what never started. */
export function timeTaken(
  record: { startedAt: Timestamp | null; endedAt: Timestamp | null },
  now: Millis,
): Millis | null {
  if (record.startedAt === null) return null;
  return Math.max(
    0,
    (record.endedAt === null ? now : Date.parse(record.endedAt)) - Date.parse(record.startedAt),
  );
}

/** 1st, 2nd, 3rd, 4th, 11th, 22nd. */
export function ordinal(n: number): string {
  const teen = n % 100 >= 11 && n % 100 <= 13;
  const ending = teen ? "th" : (["th", "st", "nd", "rd"][n % 10] ?? "th");
  return `${n}${ending}`;
}

/** "1 stage", "3 stages". */
export function counted(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}
