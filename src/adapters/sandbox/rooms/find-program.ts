import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import type { Environment } from "./shown-programs.ts";

/** Where a program is; relative folders of PATH are passed over, since they could be anyone's. */
export function findProgram(name: string, env: Environment): string | null {
  const folders = [...(env.PATH ?? "").split(":").filter((path) => isAbsolute(path)), "/usr/bin", "/bin"];
  for (const folder of folders) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      // Not here.
    }
  }
  return null;
}
