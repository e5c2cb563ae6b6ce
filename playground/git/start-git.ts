import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Frame, readFrames } from "./runner-frames.ts";

export type RunningGit = {
  /** What git reads; ended by who writes it. */
  readonly stdin: Socket;
  /** What git writes, and last how it ended. */
  readonly frames: AsyncGenerator<Frame>;
  kill(): void;
};

let runner: Promise<string> | null = null;

/** Starts git by the runner (see `git-runner.ts`), which is started itself by the first call. */
export async function startGit(args: readonly string[], env: NodeJS.ProcessEnv): Promise<RunningGit> {
  // One that was killed may not be known to be gone yet.
  const socket = await reachRunner().catch(reachRunner);
  // Told by the end of the frames.
  socket.on("error", () => {});
  socket.write(`${JSON.stringify({ args, env })}\n`);
  return { stdin: socket, frames: readFrames(untilLost(socket)), kill: () => socket.destroy() };
}

/** A runner that was killed with something unread resets the connection instead of ending it. */
async function* untilLost(socket: Socket): AsyncGenerator<Buffer> {
  try {
    yield* socket as AsyncIterable<Buffer>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
  }
}

async function reachRunner(): Promise<Socket> {
  runner ??= startRunner().catch((error: unknown) => {
    runner = null;
    throw error;
  });
  const current = runner;
  const path = await current;
  try {
    const socket = connect({ path, allowHalfOpen: true });
    await once(socket, "connect");
    return socket;
  } catch (error) {
    if (runner === current) runner = null;
    await rm(dirname(path), { recursive: true, force: true });
    throw error;
  }
}

/** Resolves with its socket once it listens. Neither it nor the pipe to it keeps this process alive. */
async function startRunner(): Promise<string> {
  // A folder that only this user may enter: who reaches the socket runs git as this user.
  const folder = await mkdtemp(join(tmpdir(), "playground-git-"));
  const path = join(folder, "socket");
  const child = spawn(process.execPath, [runnerFile(), path], {
    // Ctrl-C is for who started it; whatever that one has to do before it ends may need git.
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  await new Promise<void>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`failed to start the runner of git (exit code ${code})`)));
    child.stdout.once("data", () => resolve());
  });
  child.unref();
  child.stdout.destroy();
  (child.stdin as Socket).unref();
  return path;
}

/** Where the build puts it, seen from the sources (as in tests) as well as from the build. */
function runnerFile(): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    const file = join(folder, "dist/playground/git/git-runner.js");
    if (existsSync(file)) return file;
    if (dirname(folder) === folder) throw new Error("failed to find the runner of git; build Loom first");
  }
}
