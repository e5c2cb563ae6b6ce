import type { Millis, StageId } from "../../core/ids.ts";
import { renderSummary } from "../../core/report/terminal/run-summary.ts";
import { renderRunTable } from "../../core/report/terminal/run-table.ts";
import type { Activity } from "../../core/report/terminal/stage-words.ts";
import type { Run } from "../../core/run/run.ts";
import { plainLines, plainText } from "../../core/text/escape-text.ts";
import type { Measure } from "../../core/text/text-width.ts";
import type { FeedItem } from "../../ports/feed.ts";
import { createFrame } from "./frame.ts";
import type { OutputStream, RunOutput } from "./run-output.ts";
import { guardTerminal } from "./terminal-guard.ts";
import type { Timers } from "./timers.ts";
import { createTolerantWriter } from "./tolerant-writer.ts";
import { createWindowTitle, noTitle } from "./window-title.ts";

export type LiveOptions = {
  readonly color: boolean;
  readonly title: boolean;
  readonly measure: Measure;
  readonly timers: Timers;
  /** A run that is already there, so that the table shows before its next event. */
  readonly run?: Run;
  readonly guard?: typeof guardTerminal;
};

const FRAME_MS = 100;
const TICK_MS = 1000;
/** A table cell shows far less; what comes in may be a megabyte. */
const LONGEST_ACTIVITY = 500;
const HIDE_CURSOR = "\u001b[?25l";
const SHOW_CURSOR = "\u001b[?25h";

/**
 * The table, redrawn in place: at most ten times a second when something happens and once a second otherwise, for the
 * clocks. The last frame stays on the screen, with the summary below it.
 */
export function createLiveOutput(stream: OutputStream, options: LiveOptions): RunOutput {
  const { color, measure, timers } = options;
  const write = createTolerantWriter(stream);
  const frame = createFrame(write, measure);
  const title = options.title ? createWindowTitle(write) : noTitle;
  const activities = new Map<StageId, Activity>();
  let run: Run | null = options.run ?? null;
  let hidden = false;
  let closed = false;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let next: { due: Millis; cancel: () => void } | null = null;

  const columns = (): number => stream.columns || 80;
  // The cursor needs the last row.
  const rows = (): number => Math.max(1, (stream.rows ?? 24) - 1);

  function drawAt(due: Millis): void {
    if (closed || (next && next.due <= due)) return;
    next?.cancel();
    const cancel = timers.after(Math.max(0, due - timers.now()), () => {
      next = null;
      draw();
    });
    next = { due, cancel };
  }

  function draw(): void {
    if (closed || !run) return;
    // A terminal that can't keep up gets the next frame when it has read this one.
    if (stream.writableNeedDrain) return;
    const now = timers.now();
    if (!hidden) write(HIDE_CURSOR);
    hidden = true;
    const view = { run, activities, now, width: columns(), height: rows(), color, measure };
    frame.draw(renderRunTable(view), columns());
    title.show(run);
    drawnAt = now;
    if (run.status === "running") drawAt(now + TICK_MS);
  }

  const soon = (): void => drawAt(Math.max(timers.now(), drawnAt + FRAME_MS));

  function restore(): void {
    title.restore();
    if (hidden) write(SHOW_CURSOR);
    hidden = false;
  }

  function note(text: string): void {
    if (closed) return;
    frame.clear(columns());
    write(`${plainLines(text)}\n`);
    draw();
  }

  function take(item: FeedItem): void {
    if (item.kind === "notice") {
      note(item.text);
      return;
    }
    if (item.kind === "activity") {
      const text = plainText(item.text.slice(0, LONGEST_ACTIVITY));
      activities.set(item.stage, { text, at: Date.parse(item.at) });
      return;
    }
    // Two writers may report out of order; an older state never replaces a newer one.
    if (!run || run.id !== item.run.id || item.run.version >= run.version) run = item.run;
    // What an agent was doing says nothing about the next session, nor about the checks of what it left.
    const { event } = item;
    if (event.type === "session-started" || event.type === "attempt-committed")
      activities.delete(event.stage);
  }

  const release = (options.guard ?? guardTerminal)({
    restore,
    takeBack() {
      frame.release();
      draw();
    },
  });
  stream.on("resize", soon);
  stream.on("drain", soon);
  if (run) soon();

  function close(): void {
    if (closed) return;
    closed = true;
    next?.cancel();
    stream.off("resize", soon);
    stream.off("drain", soon);
    release();
    restore();
  }

  return {
    show(item) {
      take(item);
      soon();
    },
    note,
    finish({ run: ended, status, elapsedMs }) {
      if (closed) return;
      run = ended;
      draw();
      frame.release();
      close();
      const width = columns();
      write(`\n${renderSummary(ended, { status, elapsedMs, now: timers.now(), color, measure, width })}`);
    },
    close,
  };
}
