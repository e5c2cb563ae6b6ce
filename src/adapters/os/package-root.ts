import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InternalError } from "../../core/errors.ts";

/** Where package.json stands, from the sources as well as from the build. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json"))) {
    const parent = dirname(folder);
    if (parent === folder) throw new InternalError("failed to find Loom's own package.json");
    folder = parent;
  }
  return folder;
}

/**
 * A program of Loom's that runs as a process or a thread of its own, by its path in the build. What stands beside the code
 * that asks says nothing: the build puts code that several commands share into files of their own, and tests run the sources.
 */
export function ownProgram(path: string): string {
  return join(packageRoot(), "dist", path);
}
