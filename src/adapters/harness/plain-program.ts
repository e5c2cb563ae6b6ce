import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { SessionSpec } from "../../ports/harness.ts";
import type { ProcessExit } from "../../ports/process-supervisor.ts";
import type { Sandbox, SandboxSpec } from "../../ports/sandbox.ts";
import { agentEnvironment } from "./agent-environment.ts";
import { readAgentLine } from "./agent-line.ts";
import type { Launch, StreamReader } from "./cli/cli.ts";
import { treeAccessFor } from "./tree-access.ts";

/**
 * What all programs have in common that speak Loom's small language instead of one of their own. There is no list of tools
 * that they could be given, and no model to set a temperature of: what holds them is the tree that can't be written.
 */

export function plainSandboxSpec(
  spec: SessionSpec,
  shows: readonly string[],
): Omit<SandboxSpec, "onTraffic"> {
  return {
    ...spec.sandboxSpec,
    marker: spec.marker,
    tree: spec.tree,
    treeAccess: treeAccessFor(spec.tools),
    home: spec.home,
    shows: [...shows, ...(spec.shows ?? [])],
    model: null,
    judge: spec.judge,
  };
}

export async function plainEnvironment(sandbox: Sandbox, spec: SessionSpec): Promise<Launch["env"]> {
  const promptFile = join(sandbox.tmp, `prompt-${spec.session}.md`);
  await writeFile(promptFile, spec.prompt);
  const path = sandbox.env.PATH ?? "";
  return {
    ...agentEnvironment(spec, promptFile),
    // Such a program has no hooks, so the shells that it finds ask for it.
    ...(sandbox.shells === null
      ? {}
      : { PATH: `${sandbox.shells}${delimiter}${path}`, SHELL: join(sandbox.shells, "sh") }),
  };
}

/** Nobody has to say more than this in one line of Loom's own language. */
export const PLAIN_LINE_BYTES = 1024 * 1024;

/** EX_TEMPFAIL of sysexits.h: the one exit code by which programs have long said "try again later". */
const TEMPORARY_FAILURE = 75;

export function plainReader(): StreamReader {
  let answer: string | null = null;
  return {
    read: (line) => {
      const event = readAgentLine(line);
      if (event.kind === "text") answer = event.text;
      return [event];
    },
    conclude: (exit: ProcessExit) => ({
      failure:
        exit.kind === "exited" && exit.code === TEMPORARY_FAILURE
          ? {
              kind: "overloaded",
              message: `the program ended with exit code ${TEMPORARY_FAILURE}, which means: try again later`,
              resetsAt: null,
            }
          : null,
      text: answer,
      resume: null,
    }),
  };
}
