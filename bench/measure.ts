import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export type Measured = { readonly ms: number; readonly peakMb: number | null };

/** Runs a program to its end. The peak is the kernel's own high-water mark, read while the program lives. */
export async function measure(
  argv: readonly string[],
  options: { cwd: string; env?: Record<string, string> },
): Promise<Measured> {
  const [program = "", ...args] = argv;
  const started = performance.now();
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  let peak: number | null = null;
  const timer = setInterval(() => {
    peak = Math.max(peak ?? 0, highWaterMb(child) ?? 0);
  }, 20);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", resolve);
  });
  clearInterval(timer);
  if (code !== 0) throw new Error(`${argv.join(" ")} ended with ${code}:\n${errors}`);
  return { ms: performance.now() - started, peakMb: peak };
}

function highWaterMb(child: ChildProcess): number | null {
  try {
    const match = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"));
    return match?.[1] ? Number(match[1]) / 1024 : null;
  } catch {
    return null;
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
