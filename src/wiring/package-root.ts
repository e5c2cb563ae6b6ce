import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { InternalError } from "../core/errors.ts";

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
