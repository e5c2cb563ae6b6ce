import { parentPort } from "node:worker_threads";
import type { Limits } from "../../../../ports/sandbox.ts";
import type { GroupMemory } from "./group-memory.ts";
import type { Limit } from "./limits.ts";
import { startOf } from "./process-table.ts";
import { type Watching, watchLimits } from "./watch-limits.ts";

/**
 * The thread that watches. A program that multiplies can hold up Loom's main thread for seconds: to read the environment
 * of a process that is just forking, the kernel waits for it, and it waits for a thousand others. This thread reads
 * nothing of that kind, and ends a sandbox by itself before it tells.
 */
export type ToLimitThread =
  | {
      readonly kind: "watch";
      readonly sandbox: number;
      readonly limits: Limits;
      readonly folders: readonly string[];
      readonly memory: GroupMemory | null;
    }
  | { readonly kind: "started" | "ended"; readonly sandbox: number; readonly pid: number }
  | { readonly kind: "end"; readonly sandbox: number };

export type FromLimitThread =
  | {
      readonly kind: "exceeded";
      readonly sandbox: number;
      readonly sentence: string;
      readonly limit: Limit | null;
    }
  /** Answers `ended`: whatever was to be told about the program has been told before. */
  | { readonly kind: "noted"; readonly sandbox: number; readonly pid: number };

type Watched = { readonly pids: Map<number, number | null>; readonly watching: Watching };

const loop = watchLimits();
const sandboxes = new Map<number, Watched>();

parentPort?.on("message", (message: ToLimitThread) => {
  const sandbox = sandboxes.get(message.sandbox);
  switch (message.kind) {
    case "watch":
      sandboxes.set(message.sandbox, watch(message));
      break;
    case "started":
      sandbox?.pids.set(message.pid, startOf(message.pid));
      break;
    case "ended":
      sandbox?.pids.delete(message.pid);
      sandbox?.watching.lookAtKernel();
      tell({ kind: "noted", sandbox: message.sandbox, pid: message.pid });
      break;
    case "end":
      sandbox?.watching.end();
      sandboxes.delete(message.sandbox);
      break;
  }
});

function tell(message: FromLimitThread): void {
  parentPort?.postMessage(message);
}

function watch({
  sandbox,
  limits,
  folders,
  memory,
}: Extract<ToLimitThread, { readonly kind: "watch" }>): Watched {
  const pids = new Map<number, number | null>();
  const watching = loop.watch({
    limits,
    folders,
    memory,
    pids: () => [...pids.keys()],
    onExceeded(sentence, limit) {
      tell({ kind: "exceeded", sandbox, sentence, limit });
      for (const [pid, started] of pids) if (startOf(pid) === started) kill(pid);
    },
  });
  return { pids, watching };
}

/**
 * The isolation first: with it everything behind it ends at once, however fast it multiplies. Each program has a group of
 * its own, which the kernel ends as one, too.
 */
function kill(pid: number): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // Gone already.
    }
  }
}
