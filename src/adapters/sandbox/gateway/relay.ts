import { type ChildProcess, spawn } from "node:child_process";
import { accessSync, closeSync, constants as modes, readdirSync, readFileSync, statSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { constants } from "node:os";

/**
 * `node relay.js <socket> <token> [port] [apart] [env] -- <program> <args…>`, the first program of a sandbox with a network of its own. It
 * carries every connection to the sandbox's loopback over to the gateway's socket, which is the only way out, and runs the
 * program as if it were not there: same standard streams, same signals, same end. It imports nothing of Loom, so that
 * starting it costs little more than starting Node.
 *
 * Whatever was open in Loom and not meant for anybody, such as a file of the shell that Loom was started from, is closed: a
 * folder that is open leads out of every sandbox.
 *
 * `apart` is a JSON list of words before the program, by which it can't get at this process (see `set-apart.ts`); `env` a JSON
 * object of variables that are for the program and not for this process, such as NODE_OPTIONS.
 *
 * It begins to tell the gateway about the program's end before the program runs (see `exit-endpoint.ts`), and takes the token
 * out of what others can read about this process. A gateway that is gone stops nothing: connections fail, the program runs.
 */
const PORT = 3128;
/** Longer is only taken by a Loom that hangs; the program should not hang with it. */
const CLAIM_MS = 5000;
const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;

type End =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "signalled"; readonly signal: NodeJS.Signals }
  | { readonly kind: "not-started"; readonly reason: string; readonly code: number };

const divide = process.argv.indexOf("--", 2);
const [socketPath = "", token = "", ...more] = process.argv.slice(2, divide);
const port = more.find((word) => /^\d+$/.test(word));
const apart: string[] = JSON.parse(more.find((word) => word.startsWith("[")) ?? "[]");
const given: Record<string, string> = JSON.parse(more.find((word) => word.startsWith("{")) ?? "{}");
const [program, ...args] = process.argv.slice(divide + 1);
// What stood in the command line can be read by every program of the sandbox.
process.title = "loom-relay";

if (divide < 0 || token === "" || program === undefined) {
  process.stderr.write("The relay is started as: node relay.js <socket> <token> -- <program> <arguments>\n");
  process.exit(125);
}

closeInherited();
const [claim] = await Promise.all([openClaim(), listen(Number(port ?? PORT))]);
const end = await runProgram(program, args);
await claim?.(end);
endLike(end);

/** All but the standard streams. What Node opened for itself says that no other program shall have it. */
function closeInherited(): void {
  try {
    for (const name of readdirSync("/proc/self/fd")) {
      const fd = Number(name);
      if (fd > 2 && !isCloseOnExec(fd)) closeSync(fd);
    }
  } catch {
    // Nobody tells here what is open.
  }
}

function isCloseOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1] ?? "";
    return (Number.parseInt(flags, 8) & 0o2000000) !== 0;
  } catch {
    // It was open only for the look around.
    return true;
  }
}

/** Begins the request that will say how the program ended; null when nobody listens. */
function openClaim(): Promise<((end: End) => Promise<void>) | null> {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    const giveUp = setTimeout(() => resolve(null), CLAIM_MS);
    socket.on("error", () => resolve(null));
    socket.once("data", () => {
      clearTimeout(giveUp);
      resolve((how) => finishClaim(socket, how));
    });
    const head = [
      "POST /.loom/exit HTTP/1.1",
      "host: loom",
      `x-loom-token: ${token}`,
      "expect: 100-continue",
    ];
    socket.write(`${head.join("\r\n")}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n`);
    socket.once("close", () => {
      clearTimeout(giveUp);
      resolve(null);
    });
  });
}

/** Resolves when the gateway has heard it, or can't. */
function finishClaim(socket: Socket, how: End): Promise<void> {
  const text = JSON.stringify(how.kind === "not-started" ? { kind: how.kind, reason: how.reason } : how);
  return new Promise((resolve) => {
    if (socket.destroyed) {
      resolve();
      return;
    }
    socket.setTimeout(CLAIM_MS, resolve);
    socket.once("close", resolve);
    socket.once("data", () => resolve());
    socket.write(`${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`);
  });
}

function listen(on: number): Promise<void> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (inside) => {
    const outside = connect({ path: socketPath, allowHalfOpen: true });
    carry(inside, outside);
    carry(outside, inside);
  });
  return new Promise((resolve) => {
    server.on("error", (error: NodeJS.ErrnoException) => {
      // Another relay of the same sandbox listens there and does the same.
      if (error.code !== "EADDRINUSE") {
        process.stderr.write(`The sandbox's network can't be opened: ${error.message}\n`);
      }
      resolve();
    });
    server.listen(on, "127.0.0.1", 512, resolve);
  });
}

function carry(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => {
    if (!from.readableEnded || !from.writableFinished) to.destroy();
  });
}

function runProgram(name: string, withArgs: readonly string[]): Promise<End> {
  return new Promise((resolve) => {
    let running: ChildProcess | null = null;
    // Before it is started: the program may speak, and be asked to end, before the next line here is reached.
    for (const signal of SIGNALS) process.on(signal, () => running?.kill(signal));
    const problem = apart.length > 0 ? whyNotRunnable(name) : null;
    if (problem !== null) {
      process.stderr.write(`${problem.reason}\n`);
      resolve(problem);
      return;
    }
    const [first = name, ...rest] = [...apart, name];
    const env = { ...process.env, ...given };
    const child = spawn(first, [...rest, ...withArgs], { stdio: "inherit", env });
    running = child;
    child.on("error", (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      const isMissing = error.code === "ENOENT";
      const reason = isMissing ? `${name} was not found` : `${name} can't be started: ${error.message}`;
      process.stderr.write(`${reason}\n`);
      resolve({ kind: "not-started", reason, code: isMissing ? 127 : 126 });
    });
    child.on("exit", (code, signal) => {
      resolve(signal === null ? { kind: "exited", code: code ?? 1 } : { kind: "signalled", signal });
    });
  });
}

/** What the words before it would only tell by their exit code, which could be the program's own. */
function whyNotRunnable(name: string): (End & { readonly kind: "not-started" }) | null {
  const folders = (process.env.PATH ?? "").split(":").map((folder) => folder || ".");
  const files = name.includes("/") ? [name] : folders.map((folder) => `${folder}/${name}`);
  const found = files.filter((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
  if (found.some(isExecutable)) return null;
  return found.length === 0
    ? { kind: "not-started", reason: `${name} was not found`, code: 127 }
    : { kind: "not-started", reason: `${name} can't be started: it is not executable`, code: 126 };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, modes.X_OK);
    return true;
  } catch {
    return false;
  }
}

function endLike(how: End): void {
  if (how.kind !== "signalled") process.exit(how.code);
  for (const signal of SIGNALS) process.removeAllListeners(signal);
  process.kill(process.pid, how.signal);
  // The first process of a sandbox can't be ended by its own signals; this is how a shell tells of one.
  setTimeout(() => process.exit(128 + constants.signals[how.signal]), 100);
}
