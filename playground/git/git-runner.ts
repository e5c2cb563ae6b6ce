import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { frame } from "./runner-frames.ts";

/**
 * `node git-runner.js <socket>` starts git for the playground, one process per connection: a line of JSON with arguments and
 * environment comes first, then what git reads; back come frames of what it writes and how it ended. Who hangs up ends
 * it. The runner itself ends with whoever started it, which its standard input tells.
 *
 * It is there because starting a process copies the page tables of the one that starts it: from a Node that holds a
 * few hundred megabytes that takes ten times as long as git itself, and nothing else happens there meanwhile.
 */
const [path = ""] = process.argv.slice(2);

process.stdin.on("end", () => {
  rmSync(dirname(path), { recursive: true, force: true });
  process.exit(0);
});
process.stdin.resume();
createServer({ allowHalfOpen: true }, serve).listen(path, () => process.stdout.write("ready\n"));

function serve(socket: Socket): void {
  let head = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  const onData = (chunk: Buffer): void => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\n");
    if (end < 0) return;
    socket.off("data", onData).pause();
    const { args, env } = JSON.parse(head.toString("utf8", 0, end));
    const rest = head.subarray(end + 1);
    if (rest.length > 0) socket.unshift(rest);
    run(socket, spawn("git", args, { env, cwd: "/", stdio: "pipe" }));
  };
  socket.on("data", onData);
}

function run(socket: Socket, child: ChildProcessWithoutNullStreams): void {
  // git may end before it has read everything; its exit code tells the story, not our broken pipe.
  child.stdin.on("error", () => {});
  socket.pipe(child.stdin);
  socket.once("close", () => child.kill());
  send(child.stdout, "stdout");
  send(child.stderr, "stderr");
  child.once("error", (error) => socket.end(frame("failed", Buffer.from(error.message))));
  child.once("close", (code) => {
    if (child.pid !== undefined) socket.end(frame("exit", Buffer.from(String(code ?? 128))));
  });

  function send(stream: NodeJS.ReadableStream, kind: "stdout" | "stderr"): void {
    stream.on("data", (data: Buffer) => {
      if (socket.destroyed || socket.write(frame(kind, data))) return;
      stream.pause();
      socket.once("drain", () => stream.resume());
    });
  }
}
