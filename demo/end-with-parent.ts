import { isMainThread } from "node:worker_threads";

/**
 * Loaded into each process that the demo or a benchmark starts. Its standard input is a pipe from there, and the system
 * closes that pipe however its starter ends, even by SIGKILL: nothing is left running.
 */
// Threads load it too, and what they have for standard input is at its end from the start.
if (isMainThread) {
  process.stdin.once("end", end);
  process.stdin.once("error", end);
  process.stdin.resume();
  // Waiting for that end is no reason to stay.
  if ("unref" in process.stdin) (process.stdin as { unref(): void }).unref();
}

function end(): void {
  process.kill(process.pid, "SIGTERM");
  // What it would need to end in order, such as a Redis of its starter's, may be gone as well.
  setTimeout(() => process.kill(process.pid, "SIGKILL"), 15_000).unref();
}
