import { Worker } from "node:worker_threads";
import { messageOf } from "../../../../core/errors.ts";
import type { Limits } from "../../../../ports/sandbox.ts";
import { ownProgram } from "../../../os/package-root.ts";
import type { GroupMemory } from "./group-memory.ts";
import type { FromLimitThread, ToLimitThread } from "./limit-thread.ts";
import type { Limit } from "./limits.ts";

export type LimitedSandbox = {
  readonly limits: Limits;
  /** What its programs can write to. */
  readonly folders: readonly string[];
  /** Where the kernel holds it to its memory. */
  readonly memory?: GroupMemory | null;
  /** Called once, with the sentence for people; its programs have been killed by then. `limit`: null when nobody could look. */
  onExceeded(sentence: string, limit: Limit | null): void;
};

export type LimitWatch = {
  started(pid: number): void;
  /** Resolves once it is known whether the program was ended for a limit. */
  ended(pid: number): Promise<void>;
  end(): void;
};

export type LimitWatcher = {
  watch(sandbox: LimitedSandbox): LimitWatch;
  close(): Promise<void>;
};

/** Loom's end of the thread that watches all sandboxes; the thread lives from the first sandbox on. */
export function createLimitWatcher(): LimitWatcher {
  const sandboxes = new Map<number, LimitedSandbox>();
  const waiting = new Map<string, () => void>();
  let worker: Worker | null = null;
  let closed = false;
  let count = 0;

  const answer = (key: string): void => {
    waiting.get(key)?.();
    waiting.delete(key);
    if (waiting.size === 0) worker?.unref();
  };
  const startThread = (): Worker => {
    const thread = new Worker(ownProgram("src/adapters/sandbox/provider/limits/limit-thread.js"), {
      // A thread loads what NODE_OPTIONS and `--require` name once more, and agents' work may have been merged since (T29).
      env: {},
      execArgv: [],
      // It holds a few numbers per process.
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    thread.unref();
    thread.on("message", (message: FromLimitThread) => {
      if (message.kind === "exceeded")
        sandboxes.get(message.sandbox)?.onExceeded(message.sentence, message.limit);
      else answer(`${message.sandbox}:${message.pid}`);
    });
    // Nobody is to run without limits because nobody looks.
    thread.on("error", (error) => {
      const sentence = `Its limits can't be watched: ${messageOf(error)}`;
      for (const sandbox of sandboxes.values()) sandbox.onExceeded(sentence, null);
    });
    thread.on("exit", () => {
      worker = null;
      for (const key of [...waiting.keys()]) answer(key);
    });
    return thread;
  };
  const tell = (message: ToLimitThread): void => {
    if (closed) return;
    worker ??= startThread();
    worker.postMessage(message);
  };

  return {
    watch(limited) {
      const sandbox = ++count;
      sandboxes.set(sandbox, limited);
      const { limits, folders, memory = null } = limited;
      tell({ kind: "watch", sandbox, limits, folders, memory });
      return {
        started: (pid) => tell({ kind: "started", sandbox, pid }),
        async ended(pid) {
          if (!worker) return;
          const answered = new Promise<void>((resolve) => waiting.set(`${sandbox}:${pid}`, resolve));
          worker.ref();
          tell({ kind: "ended", sandbox, pid });
          await answered;
        },
        end() {
          sandboxes.delete(sandbox);
          if (worker) tell({ kind: "end", sandbox });
        },
      };
    },
    async close() {
      closed = true;
      await worker?.terminate();
    },
  };
}
