import { UserError } from "../../core/errors.ts";
import { nextWords } from "../../core/report/texts/next-words.ts";
import type { Harness, HarnessCheck } from "../../ports/harness.ts";
import type { SandboxProvider } from "../../ports/sandbox.ts";
import { hostPrograms, type ProgramSearch } from "../os/host-programs.ts";
import type { Environment } from "./agent-environment.ts";
import { PLAIN_LINE_BYTES, plainEnvironment, plainReader, plainSandboxSpec } from "./plain-program.ts";
import { splitArguments } from "./split-arguments.ts";
import { startInSandbox } from "./start-in-sandbox.ts";

export type CommandHarnessOptions = {
  readonly sandboxes: SandboxProvider;
  /** The user's environment; it holds the two settings. */
  readonly env: Environment;
  /** Where Loom was started: relative paths in the settings start here. */
  readonly cwd: string;
};

const EXAMPLE = "Set LOOM_COMMAND_BIN to the program that is to work on a stage, such as ./agent.sh.";

/** Any program as an agent: named by LOOM_COMMAND_BIN, with the arguments of LOOM_COMMAND_ARGS. */
export function createCommandHarness({ sandboxes, env, cwd }: CommandHarnessOptions): Harness {
  const readArguments = (): string[] => splitArguments(env.LOOM_COMMAND_ARGS ?? "", "LOOM_COMMAND_ARGS");
  return {
    id: "command",
    speaks: false,
    model: null,
    smallModel: null,

    async check() {
      try {
        readArguments();
      } catch (error) {
        if (error instanceof UserError)
          return missing(error.message, nextWords(error.next, "terminal") || EXAMPLE);
        throw error;
      }
      const name = env.LOOM_COMMAND_BIN;
      if (!name) return missing("LOOM_COMMAND_BIN is not set.", EXAMPLE);
      const search = hostPrograms(env, cwd).find(name);
      if (search.kind === "found") return { kind: "ready", detail: search.path };
      const next =
        search.kind === "not-executable"
          ? `Run chmod +x ${search.path}.`
          : search.kind === "in-repository"
            ? "If that is the program you want, set LOOM_COMMAND_BIN to its whole path."
            : EXAMPLE;
      return missing(`LOOM_COMMAND_BIN: ${describeSearch(name, search)}.`, next);
    },

    start: (spec) =>
      startInSandbox(sandboxes, {
        tree: spec.tree,
        prepare: () => {
          const name = env.LOOM_COMMAND_BIN;
          if (!name) throw new UserError("LOOM_COMMAND_BIN is not set.");
          const args = readArguments();
          const search = hostPrograms(env, cwd).find(name);
          if (search.kind !== "found") throw new UserError(describeSearch(name, search));
          return {
            sandboxSpec: plainSandboxSpec(spec, [search.path]),
            launch: async (sandbox) => ({
              argv: [search.path, ...args],
              env: await plainEnvironment(sandbox, spec),
              stdin: spec.prompt,
            }),
          };
        },
        reader: plainReader(),
        maxLineBytes: PLAIN_LINE_BYTES,
        questionIn: () => null,
      }),
  };
}

function describeSearch(name: string, search: Exclude<ProgramSearch, { kind: "found" }>): string {
  if (search.kind === "not-executable") return `${search.path} is not executable`;
  if (search.kind === "in-repository")
    return `${name} was not found outside of the repository, only at ${search.path}`;
  return name.includes("/") ? `${name} was not found` : `${name} was not found on PATH`;
}

function missing(reason: string, next: string): HarnessCheck {
  return { kind: "missing", reason, next };
}
