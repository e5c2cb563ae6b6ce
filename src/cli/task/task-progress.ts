import stringWidth from "string-width";
import { paint } from "../../core/report/terminal/paint.ts";
import { formatElapsed } from "../../core/text/durations.ts";
import { plainText } from "../../core/text/escape-text.ts";
import { cutText } from "../../core/text/text-width.ts";
import { type Io, warn } from "../io.ts";
import { canDrawLive } from "../output/choose-output.ts";
import { createFrame } from "../output/frame.ts";
import { realTimers, type Timers } from "../output/timers.ts";
import { wantsColor } from "../output/wants-color.ts";
import { wrapFor } from "../output/wrap-for.ts";

/** What a person sees while one agent works. All of it goes to standard error: the result stands alone on the other. */
export type TaskProgress = {
  /** A sentence that stays. */
  tell(text: string): void;
  /** What the agent is doing; the next one takes its place. */
  show(activity: string): void;
  /** Makes room for something else, until there is news. */
  clear(): void;
  close(): void;
};

export function createTaskProgress(io: Io, timers: Timers = realTimers): TaskProgress {
  return canDrawLive(io.stderr, io.env) ? liveProgress(io, timers) : plainProgress(io, timers);
}

const FRAME_MS = 100;
const TICK_MS = 1_000;
/** What comes in may be a megabyte. */
const LONGEST_ACTIVITY = 500;

/** One line that is drawn over and over, with a clock, below the sentences that stay. */
function liveProgress(io: Io, timers: Timers): TaskProgress {
  const frame = createFrame((text) => void io.stderr.write(text), stringWidth);
  const color = wantsColor(io.stderr, io.env);
  const columns = (): number => io.stderr.columns || 80;
  let activity: string | null = null;
  let since = 0;
  let due: (() => void) | null = null;

  const draw = (): void => {
    due = null;
    if (activity === null) return;
    const clock = ` · ${formatElapsed(timers.now() - since)}`;
    const line = cutText(`  ${activity}`, columns() - 1 - clock.length, stringWidth);
    frame.draw([paint(`${line}${clock}`, "quiet", color)], columns());
    due = timers.after(TICK_MS, draw);
  };
  const clear = (): void => {
    due?.();
    due = null;
    activity = null;
    frame.clear(columns());
  };
  return {
    tell(text) {
      clear();
      warn(io, wrapFor(io.stderr, text));
    },
    show(text) {
      const next = plainText(text.slice(0, LONGEST_ACTIVITY));
      if (next === "" || next === activity) return;
      const waits = due !== null && activity !== null;
      activity = next;
      since = timers.now();
      if (waits) due?.();
      due = timers.after(waits ? FRAME_MS : 0, draw);
    },
    clear,
    close: clear,
  };
}

const SIGN_OF_LIFE_MS = 30_000;

/** An agent does something every second; a log that people keep shows now and then that it does. */
function plainProgress(io: Io, timers: Timers): TaskProgress {
  let told = timers.now();
  const tell = (text: string): void => {
    told = timers.now();
    warn(io, text);
  };
  return {
    tell,
    show(text) {
      if (timers.now() - told >= SIGN_OF_LIFE_MS) tell(`  ${plainText(text.slice(0, LONGEST_ACTIVITY))}`);
    },
    clear() {},
    close() {},
  };
}
