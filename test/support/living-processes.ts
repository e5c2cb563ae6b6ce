import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Who lives on this machine, found without the code under test. */
export function isAlive(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== "" && !/^\d+ \(.*\) [ZX] /s.test(stat);
}

/** Pids of the living whose environment holds this entry, such as `LOOM_MARKER=m1`. */
export function livingWith(entry: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).split("\0").includes(entry))
    .map(Number)
    .filter(isAlive);
}

export function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => Number(/^\d+ \(.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1]) === parent)
    .filter(isAlive);
}

export function commandLineOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`).replaceAll("\0", " ");
}

export function environmentOf(pid: number): string {
  return read(`/proc/${pid}/environ`);
}

/** How much a process has handed to the system so far. */
export function bytesWritten(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(read(`/proc/${pid}/io`))?.[1]);
}

/**
 * When a wait is given up: it will never end. Not a promise about speed, which a busy machine would break; a test that is
 * about speed measures it. Below the time limit of tests, so that a wait which fails says what it waited for.
 */
export const HANGS_AFTER_MS = 120_000;

/** Looks again and again until it holds, and throws when it never does. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + HANGS_AFTER_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${HANGS_AFTER_MS} ms in vain until ${what}`);
    await delay(10);
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
