import type { Room, Walls } from "../../ports/room.ts";
import type { WorkTree } from "../../ports/workspace.ts";
import type { DrillWorld } from "./drill-world.ts";

/** A sandbox as checks have it, with what an attack needs to be different. */
export function openCheckRoom(
  world: DrillWorld,
  tree: WorkTree,
  different: Partial<Pick<Walls, "hidden" | "network" | "limits" | "marker">>,
): Promise<Room> {
  return world.rooms.open({
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
