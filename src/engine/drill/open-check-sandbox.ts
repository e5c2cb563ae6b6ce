import type { Sandbox, SandboxSpec } from "../../ports/sandbox.ts";
import type { WorkTree } from "../../ports/workspace.ts";
import type { DrillWorld } from "./drill-world.ts";

/** A sandbox as checks have it, with what an attack needs to be different. */
export function openCheckSandbox(
  world: DrillWorld,
  tree: WorkTree,
  different: Partial<Pick<SandboxSpec, "hidden" | "network" | "limits" | "marker">>,
): Promise<Sandbox> {
  return world.sandboxes.open({
    ...world.rules.checks,
    marker: `drill-${world.newId()}`,
    tree: tree.path,
    treeAccess: "write",
    home: null,
    shows: [],
    model: null,
    judge: null,
    onTraffic: null,
    ...different,
  });
}
