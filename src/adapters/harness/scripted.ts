import { existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { messageOf, UserError } from "../../core/errors.ts";
import type { Problem } from "../../core/plan/problem.ts";
import { nextWords } from "../../core/report/texts/next-words.ts";
import { ownValue } from "../../core/table.ts";
import type { Harness, SessionSpec } from "../../ports/harness.ts";
import type { SandboxProvider } from "../../ports/sandbox.ts";
import { ownProgram } from "../os/package-root.ts";
import type { Environment } from "./agent-environment.ts";
import { PLAIN_LINE_BYTES, plainEnvironment, plainReader, plainSandboxSpec } from "./plain-program.ts";
import { MAX_SCRIPT_BYTES, parseScript, type Script, type Step } from "./script.ts";
import { startInSandbox } from "./start-in-sandbox.ts";
import { treeAccessFor } from "./tree-access.ts";

export type ScriptedHarnessOptions = {
  readonly sandboxes: SandboxProvider;
  readonly env: Environment;
  /** Where Loom was started. */
  readonly cwd: string;
  /** The script; without it the one that LOOM_SCRIPT names. */
  readonly script?: string;
  /** The compiled agent, where it lies elsewhere. */
  readonly agentFile?: string;
};

/** What the agent is handed on its standard input. */
export type ScriptedTask = { readonly script: string; readonly steps: readonly Step[] };

/**
 * The agent of demos and tests: a real process that follows a script, so that everything around an agent can be seen
 * at work without a model. The script is read and checked here; the process gets the steps of its attempt.
 *
 * It does not speak: a stage's session is never asked for a report. On a task its last words are the steps `answer`.
 */
export function createScriptedHarness(options: ScriptedHarnessOptions): Harness {
  const { sandboxes, env, cwd, agentFile = ownProgram("src/adapters/harness/scripted-agent.js") } = options;
  const scriptPath = (): string => {
    const path = options.script ?? env.LOOM_SCRIPT;
    if (!path) {
      throw new UserError("LOOM_SCRIPT is not set.", {
        next: "Set LOOM_SCRIPT to the file that says what the scripted agent does.",
      });
    }
    return resolve(cwd, path);
  };
  return {
    id: "scripted",
    speaks: false,
    model: null,
    smallModel: null,

    async check() {
      try {
        const path = scriptPath();
        readScript(path);
        if (!existsSync(agentFile)) {
          return { kind: "missing", reason: `${agentFile} was not found.`, next: "Run npm run build." };
        }
        return { kind: "ready", detail: `follows ${path}; no model is at work` };
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return {
          kind: "missing",
          reason: error.message,
          next: nextWords(error.next, "terminal") || "Look at LOOM_SCRIPT.",
        };
      }
    },

    start: (spec) =>
      startInSandbox(sandboxes, {
        tree: spec.tree,
        prepare: () => {
          const path = scriptPath();
          const task: ScriptedTask = { script: path, steps: chooseSteps(readScript(path), spec) };
          return {
            sandboxSpec: plainSandboxSpec(spec, [agentFile]),
            launch: async (sandbox) => ({
              argv: [process.execPath, agentFile],
              env: await plainEnvironment(sandbox, spec),
              stdin: JSON.stringify(task),
            }),
          };
        },
        reader: plainReader(),
        maxLineBytes: PLAIN_LINE_BYTES,
        questionIn: () => null,
      }),
  };
}

/**
 * Which steps this session takes: those for a conflict when the prompt is about one, else those of the attempt. A task is
 * asked for under the name of its purpose. A stage may have the same name; then an agent that may not edit is on a task.
 */
export function chooseSteps(
  { stages, tasks }: Script,
  spec: Pick<SessionSpec, "stage" | "attempt" | "prompt" | "tools">,
): readonly Step[] {
  const stage = ownValue(stages, spec.stage);
  const task = ownValue(tasks, spec.stage);
  const isConflict = /^#+ *Merge Conflict Signal\b/.test(spec.prompt);
  if (isConflict && stage) {
    return stage.conflict ?? lost(`The script has no \`conflict:\` steps for the stage ${spec.stage}.`);
  }
  const found = treeAccessFor(spec.tools) === "write" ? (stage ?? task) : (task ?? stage);
  const chosen = found?.attempts[spec.attempt - 1] ?? found?.attempts.at(-1);
  return chosen ?? lost(`The script has no steps for the stage or task ${spec.stage}.`);
}

function lost(why: string): readonly Step[] {
  return [{ say: why }, { fail: 1 }];
}

function readScript(path: string): Script {
  const reading = parseScript(readText(path));
  if (reading.kind === "read") return reading.script;
  const shown = reading.problems.slice(0, 10).map((one) => describeProblem(path, one));
  const more = reading.problems.length - shown.length;
  throw new UserError(
    `The script has problems:\n${shown.join("\n")}${more > 0 ? `\nand ${more} more` : ""}`,
    {
      next: `Fix ${path}.`,
    },
  );
}

function describeProblem(path: string, problem: Problem): string {
  const where = problem.line === null ? path : `${path}:${problem.line}`;
  return `${where}: ${problem.path === "" ? "" : `${problem.path}: `}${problem.message}. ${problem.fix}`;
}

function readText(path: string): string {
  try {
    if (statSync(path).size <= MAX_SCRIPT_BYTES) return readFileSync(path, "utf8");
  } catch (cause) {
    const why =
      (cause as NodeJS.ErrnoException).code === "ENOENT"
        ? "was not found"
        : `can't be read: ${messageOf(cause)}`;
    throw new UserError(`The script ${path} ${why}.`, {
      next: "Set LOOM_SCRIPT to a file in YAML or JSON.",
      cause,
    });
  }
  throw new UserError(`The script ${path} is larger than 1 MB.`, { next: "Make it smaller." });
}
