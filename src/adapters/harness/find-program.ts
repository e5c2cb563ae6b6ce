import { accessSync, constants, statSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import type { Environment } from "./agent-environment.ts";

export type ProgramSearch =
  | { readonly kind: "found"; readonly path: string }
  | { readonly kind: "not-found" }
  | { readonly kind: "not-executable"; readonly path: string };

/**
 * Where a program lies, as an absolute path. Loom looks it up itself and not at the moment of the start, because then a
 * relative path, or a relative entry of PATH, would name a file in the agent's work tree.
 */
export function findProgram(name: string, env: Environment, cwd: string): ProgramSearch {
  const candidates = name.includes("/")
    ? [resolve(cwd, name)]
    : (env.PATH ?? "").split(delimiter).map((folder) => resolve(cwd, folder, name));
  let blocked: string | null = null;
  for (const path of candidates) {
    if (!isFile(path)) continue;
    if (mayExecute(path)) return { kind: "found", path };
    blocked ??= path;
  }
  return blocked === null ? { kind: "not-found" } : { kind: "not-executable", path: blocked };
}

/** A folder on the PATH that may not be looked into holds nothing for us. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function mayExecute(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
