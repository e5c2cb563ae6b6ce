import type { Millis } from "../../core/ids.ts";
import type { RunEndStatus } from "../../core/report/terminal/run-summary.ts";
import type { Run } from "../../core/run/run.ts";
import type { FeedItem } from "../../ports/feed.ts";

/** How a run is shown while it goes on. Whatever becomes of the reader, the run goes on. */
export interface RunOutput {
  show(item: FeedItem): void;
  /** A sentence that is not part of the run itself, such as a warning about the plan. */
  note(text: string): void;
  /** The last words: what came of it all. */
  finish(end: RunEnd): void;
  /** Leaves the terminal as it was found. May be called more than once. */
  close(): void;
}

export type RunEnd = { readonly run: Run; readonly status: RunEndStatus; readonly elapsedMs: Millis };

/** Standard output, or anything that can stand in for it. */
export type OutputStream = {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  readonly writableNeedDrain?: boolean | undefined;
  write(text: string): boolean;
  on(event: "error" | "resize" | "drain", listener: () => void): unknown;
  off(event: "error" | "resize" | "drain", listener: () => void): unknown;
};

export type Env = Readonly<Record<string, string | undefined>>;
