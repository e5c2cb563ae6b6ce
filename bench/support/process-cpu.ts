import { readdirSync, readFileSync } from "node:fs";

/** Of the clock in which Linux tells the time that a process has used. */
const TICK_MS = 10;

/**
 * What a process and all below it have used of the CPU, those included that have ended since: in milliseconds. NaN where
 * there is no /proc.
 */
export function cpuBelow(root: number): number {
  const stats = new Map<number, { parent: number; ms: number }>();
  for (const entry of names("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    // Behind the name, which may hold anything.
    const fields = /\) \S (.*)/
      .exec(readOrEmpty(`/proc/${pid}/stat`))?.[1]
      ?.split(" ")
      .map(Number);
    if (!fields) continue;
    const [parent = 0] = fields;
    const ticks = fields.slice(10, 14).reduce((sum, one) => sum + one, 0);
    stats.set(pid, { parent, ms: ticks * TICK_MS });
  }
  if (!stats.has(root)) return Number.NaN;
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = stats.get(at)?.parent)
      if (at === root) return true;
    return false;
  };
  return [...stats].filter(([pid]) => isBelow(pid)).reduce((sum, [, { ms }]) => sum + ms, 0);
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
