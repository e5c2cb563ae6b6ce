import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { packageRoot } from "../src/wiring/folders/package-root.ts";

/** `loom app` or `loom worker`, as a user starts it. */
export type LoomProcess = {
  readonly pid: number;
  /** The line that says that it is ready. */
  readonly greeting: string;
  /** Resolves when it ends by itself, with a sentence about that and the last it said. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
};

export type LoomStart = {
  readonly command: "app" | "worker";
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
};

const READY_WITHIN_MS = 60_000;
/** Longer than Loom takes to stop its agents. */
const STOP_WITHIN_MS = 15_000;
const MAX_SAID = 8_000;

export async function startLoom({ command, cwd, env }: LoomStart): Promise<LoomProcess> {
  const cli = join(packageRoot(), "dist", "src", "cli", "main.js");
  const guard = join(packageRoot(), "dist", "demo", "end-with-parent.js");
  const child = spawn(process.execPath, ["--import", pathToFileURL(guard).href, cli, command], {
    cwd,
    env,
    // A group of its own: Ctrl-C reaches the demo, which stops one after the other.
    detached: true,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // The pipe is only there to be closed.
  child.stdin?.on("error", () => {});
  let said = "";
  const ended = new Promise<string>((resolve) => {
    child.on("error", (error) => resolve(`can't be started: ${error.message}`));
    child.on("close", (code, signal) => resolve(`ended with ${signal ?? `exit code ${code}`}`));
  });
  const greeting = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`\`loom ${command}\` was not ready within a minute.\n${said}`)),
      READY_WITHIN_MS,
    );
    const listen = (chunk: Buffer): void => {
      said = (said + chunk.toString()).slice(-MAX_SAID);
      // A line that is not whole yet could hold half of an address.
      const lines = said.split("\n").slice(0, -1);
      const line = lines.find((one) => /^(Loom listens|The worker)\b/.test(one));
      if (line === undefined) return;
      clearTimeout(timer);
      resolve(line);
    };
    child.stdout?.on("data", listen);
    child.stderr?.on("data", listen);
    void ended.then((how) => {
      clearTimeout(timer);
      reject(new Error(`\`loom ${command}\` ${how}.\n${said}`));
    });
  }).catch(async (error: unknown) => {
    await stop(child, ended);
    throw error;
  });
  return {
    pid: child.pid ?? 0,
    greeting,
    died: ended.then((how) => `\`loom ${command}\` ${how}.\n${said}`.trimEnd()),
    stop: () => stop(child, ended),
  };
}

async function stop(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
