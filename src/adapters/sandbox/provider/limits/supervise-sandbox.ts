import type { RuleOf } from "../../../../core/policy/boundaries.ts";
import type { ConfinedProcess, OutputChunk } from "../../../../ports/process-supervisor.ts";
import type { Limits, SandboxRefusal } from "../../../../ports/sandbox.ts";
import type { GroupMemory } from "./group-memory.ts";
import type { LimitWatcher } from "./limit-watcher.ts";

export type Supervision = {
  /** Notes a program that runs in the sandbox. */
  admit(running: ConfinedProcess): ConfinedProcess;
  /** The first limit that was broken is the one that is told. */
  note(sentence: string, rule: RuleOf<"sandbox">): void;
  exceeded(): string | null;
  isClosed(): boolean;
  close(): Promise<void>;
};

export type SupervisionOptions = {
  readonly watcher: LimitWatcher;
  readonly limits: Limits;
  readonly folders: readonly string[];
  /** Where the kernel holds all programs together to their memory. */
  readonly memory?: GroupMemory | null;
  readonly onRefused: ((refusal: SandboxRefusal) => void) | undefined;
  /** Once all programs are gone. */
  onClose(): Promise<void>;
};

/** Which programs run in a sandbox, that they stay within its limits, and that none outlives it. */
export function superviseSandbox(options: SupervisionOptions): Supervision {
  const running = new Set<ConfinedProcess>();
  let exceeded: string | null = null;
  let closing: Promise<void> | null = null;

  const note = (sentence: string, rule: RuleOf<"sandbox">): void => {
    exceeded ??= sentence;
    options.onRefused?.({ boundary: "sandbox", rule, what: sentence });
  };
  const stopAll = async (): Promise<void> => {
    await Promise.allSettled([...running].map((one) => one.stop(0)));
  };
  const { limits, folders, memory = null } = options;
  const watch = options.watcher.watch({
    limits,
    folders,
    memory,
    onExceeded(sentence, limit) {
      if (limit === null) exceeded ??= sentence;
      else note(sentence, limit);
      void stopAll();
    },
  });
  const close = async (): Promise<void> => {
    await stopAll();
    watch.end();
    await options.onClose();
  };

  return {
    admit(one) {
      const { pid } = one;
      if (pid === null) return one;
      running.add(one);
      watch.started(pid);
      const exit = one.exit.then(async (how) => {
        running.delete(one);
        const noted = watch.ended(pid);
        // Killed, perhaps for a limit: whoever sees the end shall see the reason, too. The kernel may have killed another
        // program of the sandbox, and this one took it for a failure like any other.
        if (how.kind === "signalled" || memory !== null) await noted;
        return how;
      });
      return { ...one, exit };
    },
    note,
    exceeded: () => exceeded,
    isClosed: () => closing !== null,
    close: () => (closing ??= close()),
  };
}

export function notStarted(reason: string): ConfinedProcess {
  return {
    pid: null,
    output: noOutput(),
    exit: Promise.resolve({ kind: "not-started", reason }),
    stop: async () => {},
  };
}

async function* noOutput(): AsyncGenerator<OutputChunk> {}
