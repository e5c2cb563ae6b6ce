import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, constants, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { hostPrograms } from "../../os/host-programs.ts";

/** The three ends a program is started with, and Loom's ends of two of them. */
export type Stdio = {
  readonly ends: readonly [stdin: number | "ignore", stdout: number | "pipe", stderr: number | "pipe"];
  /** null where Node has to make the connection itself. */
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Once the program has its copies. */
  closeEnds(): void;
};

export interface StdioMaker {
  open(stdin: string): Stdio;
  close(): void;
}

const OPEN_FILES = "/proc/self/fd";
const BATCH = 32;

/**
 * Node connects a child by sockets, and Linux lets nobody open a socket by name: `> /dev/stderr` and
 * `readFileSync("/dev/stdin")` fail in the child, although they work in every terminal. So standard input is a file and
 * the outputs are real pipes. Node can't make a pipe, but `mkfifo` can: pipes with a name, which they lose at once.
 * Each is kept by a descriptor through which it is opened again for the next program, since making one takes 3 ms.
 *
 * A pipe is used again only when reading it came to its end, which proves that nobody can write to it any more.
 */
export function createStdioMaker(): StdioMaker {
  const free: number[] = [];
  let makesPipes = existsSync(OPEN_FILES);
  let closed = false;

  const giveBack = (pipe: number, clean: boolean): void => {
    if (clean && !closed) free.push(pipe);
    else closeSync(pipe);
  };

  const openPipe = () => {
    if (free.length === 0 && makesPipes) {
      free.push(...makePipes());
      makesPipes = free.length > 0;
    }
    const pipe = free.pop();
    if (pipe === undefined) return null;
    const path = `${OPEN_FILES}/${pipe}`;
    // In this order neither waits for the other end.
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const write = openSync(path, constants.O_WRONLY);
    const stream = new Socket({ fd: read, readable: true, writable: false });
    let clean = false;
    stream.once("end", () => {
      clean = true;
    });
    stream.once("close", () => giveBack(pipe, clean));
    return { stream, write };
  };

  return {
    open(text) {
      const stdin = text === "" ? "ignore" : openText(text);
      const out = openPipe();
      const err = openPipe();
      const ends = [stdin, out?.write ?? "pipe", err?.write ?? "pipe"] as const;
      return {
        ends,
        stdout: out?.stream ?? null,
        stderr: err?.stream ?? null,
        closeEnds: () => {
          for (const end of ends) if (typeof end === "number") closeSync(end);
        },
      };
    },
    close() {
      closed = true;
      for (const pipe of free.splice(0)) closeSync(pipe);
    },
  };
}

/** A file without a name: nothing is left behind, and the program may read it at its own pace. */
function openText(text: string): number {
  const path = join(tmpdir(), `loom-stdin-${randomUUID()}`);
  try {
    writeFileSync(path, text, { mode: 0o600, flag: "wx" });
    return openSync(path, "r");
  } finally {
    rmSync(path, { force: true });
  }
}

/** None where `mkfifo` is missing; then Node's sockets must do. */
function makePipes(): number[] {
  const folder = mkdtempSync(join(tmpdir(), "loom-pipes-"));
  try {
    const paths = Array.from({ length: BATCH }, (_, n) => join(folder, String(n)));
    const program = hostPrograms().tool("mkfifo");
    if (program === null) return [];
    const made = spawnSync(program, ["-m", "600", ...paths], { stdio: "ignore", env: {} });
    if (made.status !== 0) return [];
    return paths.map((path) => openSync(path, constants.O_RDONLY | constants.O_NONBLOCK));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
