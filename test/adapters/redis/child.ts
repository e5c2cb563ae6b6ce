import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export type Child = {
  readonly process: ChildProcess;
  /** All that it has written so far. */
  readonly said: readonly string[];
  /** Resolves with the line once one begins like this. */
  says(beginning: string): Promise<string>;
  ended(): Promise<void>;
  kill(): Promise<void>;
};

const SCRIPT = join(import.meta.dirname, "fixtures/worker.mjs");

/** A part of Loom in a process of its own, over compiled adapters. */
export function startChild(root: string, url: string, ...args: readonly string[]): Child {
  const built = join(root, "src/adapters/redis");
  const child = spawn(process.execPath, [SCRIPT, built, url, ...args], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  const said: string[] = [];
  let tell = (): void => {};
  if (child.stdout === null) throw new Error("the child has no output");
  createInterface({ input: child.stdout }).on("line", (line) => {
    said.push(line);
    tell();
  });
  return {
    process: child,
    said,
    async says(beginning) {
      for (;;) {
        const line = said.find((one) => one.startsWith(beginning));
        if (line !== undefined) return line;
        await new Promise<void>((resolve) => {
          tell = resolve;
        });
      }
    },
    async ended() {
      await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
