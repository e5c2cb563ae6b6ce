import { existsSync, mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Millis } from "../core/ids.ts";

export type Stamp = {
  isDue(): boolean;
  done(): void;
  /** Counts from now on where it has never been done. */
  begin(): void;
};

/** A file that says when something was done last. Where it can't be written, it is done each time. */
export function createStamp(path: string, everyMs: Millis, now: () => Millis): Stamp {
  const done = (): void => {
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, "");
      utimesSync(path, now() / 1000, now() / 1000);
    } catch {
      // The disk is full, or another's.
    }
  };
  return {
    isDue() {
      const last = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      // From the future: a clock was set back, and would keep us waiting.
      return now() - last >= everyMs || last - now() >= everyMs;
    },
    done,
    begin() {
      if (!existsSync(path)) done();
    },
  };
}
