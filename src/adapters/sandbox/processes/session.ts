import { type ChildProcess, spawn } from "node:child_process";
import { isAbsolute } from "node:path";
import { performance } from "node:perf_hooks";
import type {
  ConfinedProcess,
  OutputChunk,
  ProcessExit,
  ProcessSpec,
} from "../../../ports/process-supervisor.ts";
import { hostPrograms } from "../../os/host-programs.ts";
import { mergeOutput } from "./merge-output.ts";
import { MARKER_VARIABLE, OWNER_VARIABLE, type ProcessEntry } from "./process-entry.ts";
import type { Kin } from "./select-processes.ts";
import { explainStartFailure } from "./start-failure.ts";
import type { StdioMaker } from "./stdio.ts";

/** A program that runs, and all that it started. */
export type Session = {
  readonly marker: string;
  /** The program's pid, which is also the number of its group and session. */
  readonly leader: number;
  kin(): Kin;
  /** Takes note of who belongs to it now. */
  remember(entries: readonly ProcessEntry[]): void;
  stop(graceMs: number): Promise<void>;
};

/** What a session needs of the sandbox that it runs in. */
export type SessionHost = {
  readonly owner: string;
  readonly stdio: StdioMaker;
  readonly graceMs: number;
  startOf(pid: number): number | null;
  admit(session: Session): void;
  dismiss(session: Session): void;
  /** Ends the session's processes: kindly until `killAt`, then not. */
  end(session: Session, scope: "marker" | "descent", killAt: () => number): Promise<void>;
  /** Someone else still runs under the session's marker. */
  isShared(session: Session): boolean;
  /** Something of the session could not be ended, and nobody waits for the news. */
  onSurvivors(error: unknown): void;
};

export function startSession(spec: ProcessSpec, host: SessionHost): ConfinedProcess {
  const start = startProgram(spec, host);
  if (start.kind === "failed") return neverStarted(start.exit);
  const { child, pid, merged } = start;

  const started = host.startOf(pid);
  let known = new Map<number, number>();
  let over = false;
  let killAt = Number.POSITIVE_INFINITY;
  let stopping: Promise<void> | null = null;

  const { promise: ended, resolve: endAs } = withResolver<ProcessExit>();
  child.once("exit", (code, signal) =>
    endAs(signal === null ? { kind: "exited", code: code ?? 0 } : { kind: "signalled", signal }),
  );

  const stop = async (graceMs: number): Promise<void> => {
    if (over) return;
    killAt = Math.min(killAt, performance.now() + graceMs);
    stopping ??= host
      .end(session, "marker", () => killAt)
      .catch((error) => {
        // A program that hangs in the kernel goes when the kernel lets it; nobody is to wait for that.
        endAs({ kind: "signalled", signal: "SIGKILL" });
        throw error;
      });
    await stopping;
    await exit;
  };

  const endLeftovers = (): Promise<void> => {
    const until = performance.now() + host.graceMs;
    return host.end(session, host.isShared(session) ? "descent" : "marker", () => until);
  };

  const session: Session = {
    marker: spec.marker,
    leader: pid,
    kin: () => ({ marker: spec.marker, owner: null, leader: { pid, started }, known }),
    remember: (entries) => {
      known = new Map(entries.map((entry) => [entry.pid, entry.started]));
    },
    stop,
  };
  host.admit(session);

  const exit = ended.then(async (how) => {
    await (stopping ?? endLeftovers()).catch(host.onSurvivors);
    over = true;
    host.dismiss(session);
    merged.settle();
    return how;
  });

  return { pid, output: merged.output, exit, stop };
}

type Start =
  | {
      readonly kind: "started";
      readonly child: ChildProcess;
      readonly pid: number;
      readonly merged: ReturnType<typeof mergeOutput>;
    }
  | { readonly kind: "failed"; readonly exit: Promise<ProcessExit> };

function startProgram(spec: ProcessSpec, host: SessionHost): Start {
  const notStarted = (error: unknown): ProcessExit => ({
    kind: "not-started",
    reason: explainStartFailure(spec, error),
  });
  try {
    const stdio = host.stdio.open(spec.stdin);
    try {
      const [name, ...args] = spec.argv;
      const program = isAbsolute(name) ? name : findByName(name, spec);
      const child = spawn(program, args, {
        cwd: spec.cwd,
        env: { ...spec.env, [MARKER_VARIABLE]: spec.marker, [OWNER_VARIABLE]: host.owner },
        // A session of its own: signals to Loom's terminal don't reach it, and its number marks all that stay in it.
        detached: true,
        stdio: [...stdio.ends],
      });
      const failed = new Promise<ProcessExit>((resolve) => {
        child.on("error", (error) => resolve(notStarted(error)));
      });
      const stdout = stdio.stdout ?? child.stdout;
      const stderr = stdio.stderr ?? child.stderr;
      if (child.pid === undefined || !stdout || !stderr) {
        stdout?.destroy();
        stderr?.destroy();
        return { kind: "failed", exit: failed };
      }
      return { kind: "started", child, pid: child.pid, merged: mergeOutput({ stdout, stderr }) };
    } catch (error) {
      stdio.stdout?.destroy();
      stdio.stderr?.destroy();
      throw error;
    } finally {
      stdio.closeEnds();
    }
  } catch (error) {
    return { kind: "failed", exit: Promise.resolve(notStarted(error)) };
  }
}

/** Node would look for it in the PATH as it is, or in the folder that the program is to work in. */
function findByName(name: string, { env }: ProcessSpec): string {
  const found = name.includes("/") ? null : hostPrograms(env).tool(name);
  if (found === null) throw Object.assign(new Error(`${name} was not found`), { code: "ENOENT" });
  return found;
}

function withResolver<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function neverStarted(exit: Promise<ProcessExit>): ConfinedProcess {
  return { pid: null, output: noOutput(), exit, stop: async () => {} };
}

async function* noOutput(): AsyncGenerator<OutputChunk> {}
