import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { until } from "../support/living-processes.ts";

export type DemoProcess = {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  said(): string;
  /** Waits for a text on its output and returns what it matched. */
  saw(pattern: RegExp): Promise<RegExpExecArray>;
};

/** A program of the demo's, started from a folder that has nothing to do with Loom; `tmp` is where it may put things. */
export function startDemo(
  program: string,
  args: readonly string[],
  tmp: string,
  env: Readonly<Record<string, string>> = {},
): DemoProcess {
  const file = resolve(import.meta.dirname, "../../dist/demo", program);
  const child = spawn(process.execPath, [file, ...args], {
    cwd: tmp,
    env: { PATH: process.env.PATH ?? "", TMPDIR: tmp, HOME: tmp, TZ: "Asia/Kathmandu", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  let over = false;
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) => {
    child.on("close", (code, signal) => {
      over = true;
      done({ code, signal });
    });
  });
  if (child.pid === undefined) throw new Error(`${program} can't be started`);
  return {
    child,
    pid: child.pid,
    ended,
    said: () => said,
    async saw(pattern) {
      await until(() => over || pattern.test(said), `${program} says ${pattern}`);
      const found = pattern.exec(said);
      if (!found) throw new Error(`${program} ended without saying ${pattern}:\n${said}`);
      return found;
    },
  };
}
