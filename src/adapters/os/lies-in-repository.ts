import { resolve } from "node:path";
import { hostPrograms } from "./host-programs.ts";
import { isWithin } from "./is-within.ts";
import { realPath } from "./real-path.ts";

/** Whether agents' work can end up in a file of settings: whoever merges it would have git obey it (T11). */
export function liesInRepository(
  file: string,
  { root, commonDir }: { readonly root: string | null; readonly commonDir: string },
): boolean {
  if (!hostPrograms(process.env, root ?? commonDir).isInRepository(file)) return false;
  // The git directory lies in the work tree, but no agent's work ends up in it. A link in it can lead out of it.
  return ![resolve(file), realPath(file)].every((path) => isWithin(path, commonDir));
}
