import { type Html, html } from "../html.ts";

const FORMAT = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/**
 * A point in time. The text does not depend on now, so that an unchanged page stays byte for byte the same; the
 * script turns it into "3 minutes ago".
 */
export function moment(at: number): Html {
  const date = new Date(at);
  return html`<time datetime="${date.toISOString()}" title="${`${FORMAT.format(date)} UTC`}">on ${FORMAT.format(date)}</time>`;
}

export function duration(from: number, to: number): string {
  const seconds = Math.max(0, Math.round((to - from) / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`;
}
