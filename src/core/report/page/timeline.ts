import type { Millis } from "../../ids.ts";
import { formatDuration, formatElapsed } from "../../text/durations.ts";
import { countCodePoints, cutText } from "../../text/text-width.ts";
import { stagesInOrder } from "../terminal/run-counts.ts";
import { attemptSpans, type Span } from "./attempt-spans.ts";
import { type Html, html } from "./html.ts";
import type { PageView } from "./page-view.ts";

const WIDTH = 1070;
const LABELS = 168;
const RIGHT = 22;
const ROW = 28;
const BAR = 14;
const TOP = 34;
const MAX_ROWS = 150;
const STEPS_SECS = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 604_800,
];
const MAX_TICKS = 9;

/** A bar per stretch of work, one row per stage. */
export function timeline(view: PageView): Html {
  const spans = attemptSpans(view.events);
  const [first] = spans;
  if (!first) return html`<p class="soft">No stage was started.</p>`;
  const from = Math.min(...spans.map((span) => span.from));
  const to = Math.max(from + 1, ...spans.map((span) => span.to));
  const x = (at: Millis): number => round(LABELS + ((at - from) / (to - from)) * (WIDTH - LABELS - RIGHT));
  const worked = new Set(spans.map(({ stage }) => stage));
  const stages = stagesInOrder(view.run).filter(([id]) => worked.has(id));
  const shown = stages.slice(0, MAX_ROWS);
  const height = TOP + shown.length * ROW + 10;
  const rows = shown.map(([id], index) => {
    const y = TOP + index * ROW;
    const bars = spans.filter((span) => span.stage === id).map((span) => bar(span, x, y));
    return html`<a href="#${view.anchor(id)}"><text class="mono" x="14" y="${y + 18}">${cutText(id, 20, countCodePoints)}</text></a>${bars}`;
  });
  const left = stages.length - shown.length;
  return html`<div class="scroll"><svg width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="When each stage was worked on, verified and merged">${ticks(from, to, x, height)}${rows}</svg></div>
<ul class="legend"><li><i class="work"></i>an agent works</li><li><i class="verify"></i>Loom verifies</li><li><i class="merge"></i>offered and merged</li><li><i class="failed"></i>ended in a failure or a conflict</li></ul>${left > 0 ? html`<p class="soft">And ${left} more.</p>` : null}`;
}

function bar(span: Span, x: (at: Millis) => number, y: number): Html {
  const left = x(span.from);
  const width = Math.max(2, round(x(span.to) - left));
  const top = y + (ROW - BAR) / 2;
  const words = { work: "work", verify: "verification", merge: "offering and merging" }[span.kind];
  const says = `${span.stage}, attempt ${span.attempt}: ${words}, ${formatDuration(span.to - span.from)}${span.failed ? ", did not succeed" : ""}`;
  const end = span.failed
    ? html`<rect class="failed" x="${round(Math.max(left, left + width - 4))}" y="${top}" width="${Math.min(4, width)}" height="${BAR}" rx="1.5"/>`
    : null;
  return html`<g><title>${says}</title><rect class="${span.kind}" x="${left}" y="${top}" width="${width}" height="${BAR}" rx="2.5"/>${end}</g>`;
}

function ticks(from: Millis, to: Millis, x: (at: Millis) => number, height: number): Html[] {
  const secs = (to - from) / 1000;
  const step = STEPS_SECS.find((one) => secs / one <= MAX_TICKS) ?? Math.ceil(secs / MAX_TICKS);
  return Array.from({ length: Math.floor(secs / step) + 1 }, (_, index) => {
    const at = x(from + index * step * 1000);
    return html`<line class="grid" x1="${at}" x2="${at}" y1="26" y2="${height}"/><text class="soft" x="${at}" y="18" text-anchor="middle">${formatElapsed(index * step * 1000)}</text>`;
  });
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
