import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { measure } from "../measure.ts";

/** How often each program was executed, by its file's name. */
export type ProcessCounts = ReadonlyMap<string, number>;

export function canCountProcesses(): boolean {
  return spawnSync("strace", ["-V"], { stdio: "ignore" }).status === 0;
}

/**
 * Runs a program to its end and counts what it and all below it execute. The kernel is asked, so that nothing can be missed:
 * a shell that becomes another program counts twice, because it costs twice.
 */
export async function countProcesses(
  argv: readonly string[],
  options: { readonly cwd: string; readonly env?: Record<string, string> },
): Promise<ProcessCounts> {
  const folder = mkdtempSync(join(tmpdir(), "loom-bench-trace-"));
  const trace = join(folder, "trace");
  try {
    await measure(
      ["strace", "-f", "-qq", "--signal=none", "-e", "trace=execve", "-o", trace, ...argv],
      options,
    );
    const counts = new Map<string, number>();
    for (const line of readFileSync(trace, "utf8").split("\n")) {
      const path = /^\d+ +execve\("([^"]+)".* = 0$/.exec(line)?.[1];
      if (path !== undefined) counts.set(basename(path), (counts.get(basename(path)) ?? 0) + 1);
    }
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function sumOf(counts: ProcessCounts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** The most frequent first. */
export function describeCounts(counts: ProcessCounts): string {
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => `${Number.isInteger(count) ? count : count.toFixed(1)} ${name}`)
    .join(", ");
}
