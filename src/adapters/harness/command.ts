import { UserError } from "../../core/errors.ts";
import type { Harness, HarnessCheck } from "../../ports/harness.ts";
import type { ProcessExit, Sandbox } from "../../ports/sandbox.ts";
import { agentEnvironment, type Environment } from "./agent-environment.ts";
import { readAgentLine } from "./agent-line.ts";
import { findProgram, type ProgramSearch } from "./find-program.ts";
import { splitArguments } from "./split-arguments.ts";
import { neverStarted, orNeverStarted, startAgent } from "./start-agent.ts";

export type CommandHarnessOptions = {
  readonly sandbox: Sandbox;
  /** The user's environment; it holds the two settings. */
  readonly env: Environment;
  /** Where Loom was started: relative paths in the settings start here. */
  readonly cwd: string;
};

const EXAMPLE = "Set LOOM_COMMAND_BIN to the program that is to work on a stage, such as ./agent.sh.";

/** Any program as an agent: named by LOOM_COMMAND_BIN, with the arguments of LOOM_COMMAND_ARGS. */
export function createCommandHarness({ sandbox, env, cwd }: CommandHarnessOptions): Harness {
  const readArguments = (): string[] => splitArguments(env.LOOM_COMMAND_ARGS ?? "", "LOOM_COMMAND_ARGS");
  return {
    id: "command",

    async check() {
      try {
        readArguments();
      } catch (error) {
        if (error instanceof UserError) return missing(error.message, error.next ?? EXAMPLE);
        throw error;
      }
      const name = env.LOOM_COMMAND_BIN;
      if (!name) return missing("LOOM_COMMAND_BIN is not set.", EXAMPLE);
      const search = findProgram(name, env, cwd);
      if (search.kind === "found") return { kind: "ready", detail: search.path };
      const next = search.kind === "not-executable" ? `Run chmod +x ${search.path}.` : EXAMPLE;
      return missing(`LOOM_COMMAND_BIN: ${describeSearch(name, search)}.`, next);
    },

    start: (spec) =>
      orNeverStarted(() => {
        const name = env.LOOM_COMMAND_BIN;
        if (!name) return neverStarted("LOOM_COMMAND_BIN is not set.");
        const args = readArguments();
        const search = findProgram(name, env, cwd);
        if (search.kind !== "found") return neverStarted(describeSearch(name, search));
        return startAgent(sandbox, spec, {
          argv: [search.path, ...args],
          env: agentEnvironment(env, spec),
          stdin: spec.signal,
          read: readAgentLine,
          explainTransient,
        });
      }),
  };
}

/** EX_TEMPFAIL of sysexits.h: the one exit code by which programs have long said "try again later". */
const TEMPORARY_FAILURE = 75;

export function explainTransient(exit: ProcessExit): string | null {
  return exit.kind === "exited" && exit.code === TEMPORARY_FAILURE
    ? `the program ended with exit code ${TEMPORARY_FAILURE}, which means: try again later`
    : null;
}

function describeSearch(name: string, search: Exclude<ProgramSearch, { kind: "found" }>): string {
  if (search.kind === "not-executable") return `${search.path} is not executable`;
  return name.includes("/") ? `${name} was not found` : `${name} was not found on PATH`;
}

function missing(reason: string, next: string): HarnessCheck {
  return { kind: "missing", reason, next };
}
