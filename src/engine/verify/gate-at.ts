import type { Sha } from "../../core/ids.ts";
import { gateOf } from "../../core/run/evolve/evolve-plan.ts";
import { type Gate, synthesizeGate } from "../../core/verify/synthesize-gate.ts";
import type { Workspace } from "../../ports/workspace.ts";

type Reading = Pick<Workspace, "listFiles" | "readFile">;

/** The checks that Loom finds in the project itself. From the base, before any agent has touched it (T28). */
export async function gateAt(workspace: Reading, base: Sha): Promise<Gate> {
  const files = await workspace.listFiles(base);
  const contents = new Map<string, string | null>();
  for (const path of files.filter((one) => !one.includes("/")))
    contents.set(path, await workspace.readFile(base, path, 1_000_000));
  return synthesizeGate(files, (path) => contents.get(path) ?? null);
}

/**
 * What every stage will be held against in a run that starts from this commit with a plan that says nothing of a gate, as
 * those of the planner do. `also`: what the repository asks for besides.
 */
export async function gateToExpect(
  workspace: Reading,
  commit: Sha,
  also: readonly string[],
): Promise<string[]> {
  const { commands: synthesised } = await gateAt(workspace, commit);
  return gateOf({ gate: null }, { synthesised, also }).map(({ command }) => command);
}
