import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export type Child = {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly lines: AsyncIterator<string>;
  /** What it wrote that nobody has taken from `lines`, once it has ended; throws when it failed. */
  end(): Promise<string[]>;
  kill(): Promise<void>;
};

const SCRIPT = join(import.meta.dirname, "fixtures/child.mjs");

/** Runs a job of fixtures/child.mjs in a process of its own; `wrap` may name a program that starts it. */
export function startChild(
  built: string,
  job: string,
  args: readonly string[],
  wrap: readonly string[] = [],
): Child {
  const [program, ...rest] = [...wrap, process.execPath, SCRIPT, built, job, ...args];
  if (program === undefined) throw new Error("nothing to start");
  const child = spawn(program, rest, { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const exited = once(child, "exit");
  if (child.stdout === null) throw new Error("the child has no output");
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? -1,
    process: child,
    lines,
    async end() {
      const rest: string[] = [];
      for (let next = await lines.next(); !next.done; next = await lines.next()) rest.push(next.value);
      const [code] = await exited;
      if (code !== 0) throw new Error(`the child ended with ${code}`);
      return rest;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
