import stringWidth from "string-width";
import { describeEvent, type FormatTime } from "../../core/report/terminal/run-lines.ts";
import { renderSummary } from "../../core/report/terminal/run-summary.ts";
import { plainLines } from "../../core/text/escape-text.ts";
import { formatLocalTime } from "./local-time.ts";
import type { OutputStream, RunOutput } from "./run-output.ts";
import { createTolerantWriter } from "./tolerant-writer.ts";
import { createWindowTitle, noTitle } from "./window-title.ts";

export type PlainOptions = {
  readonly color: boolean;
  readonly title?: boolean;
  readonly formatTime?: FormatTime;
  readonly now?: () => number;
};

/** One line per thing worth knowing, for pipes and logs. */
export function createPlainOutput(stream: OutputStream, options: PlainOptions): RunOutput {
  const write = createTolerantWriter(stream);
  const { color, formatTime = formatLocalTime, now = Date.now } = options;
  const title = options.title ? createWindowTitle(write) : noTitle;
  const note = (text: string): void => write(`${plainLines(text)}\n`);
  return {
    show(item) {
      switch (item.kind) {
        case "event": {
          const line = describeEvent(item.event, item.run, formatTime);
          if (line !== null) write(`${line}\n`);
          title.show(item.run);
          return;
        }
        case "notice":
          note(item.text);
          return;
        case "activity":
          // An agent does something every second; a log that people keep is not the place.
          return;
      }
    },
    note,
    finish({ run, status, elapsedMs }) {
      write(`\n${renderSummary(run, { status, elapsedMs, now: now(), color, measure: stringWidth })}`);
    },
    close() {
      title.restore();
    },
  };
}
