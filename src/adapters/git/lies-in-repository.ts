import { resolve } from "node:path";
import type { Repository } from "../../ports/git.ts";
import { hostPrograms } from "../os/host-programs.ts";
import { isWithin } from "../os/is-within.ts";
import { realPath } from "../os/real-path.ts";

/** Whether agents' work can end up in a file of settings: whoever merges it would have git obey it (T11). */
export function liesInRepository(
  file: string,
  { root, commonDir }: Pick<Repository, "root" | "commonDir">,
): boolean {
  if (!hostPrograms(process.env, root ?? commonDir).isInRepository(file)) return false;
  // The git directory lies in the work tree, but no agent's work ends up in it. A link in it can lead out of it.
  return ![resolve(file), realPath(file)].every((path) => isWithin(path, commonDir));
}
