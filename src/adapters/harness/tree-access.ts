import type { ToolAccess } from "../../ports/harness.ts";
import type { SandboxSpec } from "../../ports/sandbox.ts";

/** Whoever may not edit finds a tree that can't be written, whatever its tools do; the sandbox's home and temporary folder can be. */
export function treeAccessFor(tools: ToolAccess): SandboxSpec["treeAccess"] {
  return tools === "all" || tools === "edit" ? "write" : "read";
}
