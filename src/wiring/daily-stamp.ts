import { mkdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

const DAY_MS = 24 * 3_600_000;

export type DailyStamp = { isDue(): boolean; done(): void };

/** A file that says when something was done last. Where it can't be written, it is done each time. */
export function createDailyStamp(path: string, now: () => number): DailyStamp {
  return {
    isDue() {
      const last = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      // From the future: a clock was set back, and would keep us waiting.
      return now() - last >= DAY_MS || last - now() >= DAY_MS;
    },
    done() {
      try {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, "");
        utimesSync(path, now() / 1000, now() / 1000);
      } catch {
        // The disk is full, or another's.
      }
    },
  };
}
