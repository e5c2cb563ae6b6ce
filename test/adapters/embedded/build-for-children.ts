import { join } from "node:path";
import { compileSources } from "../../support/compile-sources.ts";

/** The embedded adapters as JavaScript that child processes can import. */
export async function buildForChildren(): Promise<{ folder: string; dispose(): Promise<void> }> {
  const { root, dispose } = await compileSources(["src/adapters/embedded", "src/adapters/os/file-lock.ts"]);
  return { folder: join(root, "src/adapters/embedded"), dispose };
}
