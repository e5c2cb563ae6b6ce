import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { ProcessEntry } from "./process-entry.ts";

export type EndOptions = {
  /** Looks at the machine anew on each call. */
  readonly find: () => Promise<{ readonly found: readonly ProcessEntry[]; readonly unsettled: boolean }>;
  /** When kindness ends, on the clock of `performance.now()`. May move while this runs. */
  readonly killAt: () => number;
  /** How long after that survivors are put up with. */
  readonly patienceMs: number;
};

const LONGEST_PAUSE_MS = 40;
const MOST_UNSETTLED_LOOKS = 4;

/**
 * Looks and signals until a look finds nothing: a process may fork between the look and the signal, so one round is
 * never proof. Resolves with how many there were; rejects naming those that would not go.
 */
export async function endProcesses(options: EndOptions): Promise<number> {
  const seen = new Set<string>();
  const asked = new Set<string>();
  let pause = 1;
  for (let unsettledLooks = 0; ; ) {
    const { found, unsettled } = await options.find();
    if (found.length === 0 && (!unsettled || ++unsettledLooks > MOST_UNSETTLED_LOOKS)) return seen.size;
    const late = performance.now() - options.killAt();
    let refused = 0;
    for (const entry of found) {
      const name = `${entry.pid}@${entry.started}`;
      seen.add(name);
      if (late < 0 && asked.has(name)) continue;
      asked.add(name);
      if (!signal(entry.pid, late < 0 ? "SIGTERM" : "SIGKILL")) refused += 1;
    }
    if (found.length > 0 && late >= 0 && (late > options.patienceMs || refused === found.length)) {
      throw new Error(`failed to end ${describe(found)}${refused > 0 ? ": not permitted" : ""}`);
    }
    await delay(late < 0 ? Math.min(pause, -late) : pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** False when the system does not let us, as with a program that runs as another user. */
function signal(pid: number, name: "SIGTERM" | "SIGKILL"): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "EPERM";
  }
}

function describe(entries: readonly ProcessEntry[]): string {
  const pids = entries.map((entry) => entry.pid).sort((a, b) => a - b);
  return pids.length === 1 ? `process ${pids[0]}` : `processes ${pids.join(", ")}`;
}
