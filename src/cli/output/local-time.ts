import type { Millis } from "../../core/ids.ts";

const two = (n: number): string => String(n).padStart(2, "0");

/** 12:04:05 where the reader is. */
export function formatLocalTime(at: Millis): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
}

/** 2026-01-31 12:04 where the reader is. */
export function formatLocalDay(at: Millis): string {
  const date = new Date(at);
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
