import { UserError } from "../../core/errors.ts";
import type { HarnessEvent, HarnessSession, SessionSpec } from "../../ports/harness.ts";
import type { ProcessExit, Sandbox } from "../../ports/sandbox.ts";
import { type Line, readLines } from "./read-lines.ts";

export type AgentProgram = {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** What one line of its output means. */
  readonly read: (line: Line) => HarnessEvent;
  /** Why trying again later may help, if so. */
  readonly explainTransient: (exit: ProcessExit) => string | null;
};

/** One agent process in its work tree, told in Loom's vocabulary. The way of every harness. */
export function startAgent(sandbox: Sandbox, spec: SessionSpec, program: AgentProgram): HarnessSession {
  const running = sandbox.spawn({
    argv: program.argv,
    cwd: spec.tree,
    env: program.env,
    stdin: program.stdin,
    marker: spec.marker,
  });
  return {
    events: readEvents(running.output, program.read),
    end: running.exit.then((exit) => ({ exit, transient: program.explainTransient(exit) })),
    stop: running.stop,
  };
}

/** For a program that is known not to be there. */
export function neverStarted(reason: string): HarnessSession {
  return {
    events: noEvents(),
    end: Promise.resolve({ exit: { kind: "not-started", reason }, transient: null }),
    stop: async () => {},
  };
}

/** Settings that a person has to put right keep a session from starting; they are no fault of the machine. */
export function orNeverStarted(start: () => HarnessSession): HarnessSession {
  try {
    return start();
  } catch (error) {
    if (error instanceof UserError) return neverStarted(error.message);
    throw error;
  }
}

async function* noEvents(): AsyncGenerator<HarnessEvent> {}

async function* readEvents(
  output: Parameters<typeof readLines>[0],
  read: AgentProgram["read"],
): AsyncGenerator<HarnessEvent> {
  for await (const line of readLines(output)) yield read(line);
}
