import type { Millis } from "../../core/ids.ts";
import { formatLocalDay, formatLocalTime } from "./local-time.ts";

/** 2026-01-31 12:04:05 where the reader is. */
export function formatLocalMoment(at: Millis): string {
  return `${formatLocalDay(at).slice(0, 10)} ${formatLocalTime(at)}`;
}
