import type { ToolAccess } from "../../ports/harness.ts";
import type { Walls } from "../../ports/room.ts";

/** Whoever may not edit finds a tree that can't be written, whatever its tools do; the room's home and temporary folder can be. */
export function treeAccessFor(tools: ToolAccess): Walls["treeAccess"] {
  return tools === "all" || tools === "edit" ? "write" : "read";
}
