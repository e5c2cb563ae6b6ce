import { lstatSync } from "node:fs";
import { resolve } from "node:path";
import type { HostPrograms } from "../../../os/host-programs.ts";
import { realPath } from "../../../os/real-path.ts";
import { enclosingWorkTree } from "../../../os/work-trees-around.ts";

/**
 * Whether a word of a command leads into the repository. `sh wrap.sh` and `--profile=./walls` name files there as well as
 * a whole path does, so each part that could be a path is looked at, from where Loom was started and from the top of the
 * work tree. One that begins like a path needs no file yet: an agent could add it.
 */
export function namesRepositoryFile(
  word: string,
  cwd: string,
  { isInRepository }: Pick<HostPrograms, "isInRepository">,
): boolean {
  const folders = [cwd, enclosingWorkTree(realPath(cwd)) ?? cwd];
  // A letter option can have its value right behind it.
  const parts = [word, word.replace(/^-[A-Za-z]/, ""), ...word.split(/[^\w.+@%~/-]+/)];
  return parts.some((part) =>
    folders.some((folder) => {
      const path = resolve(folder, part);
      return part !== "" && (/^\.{0,2}\//.test(part) || exists(path)) && isInRepository(path);
    }),
  );
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A file where the path has a folder, or a name that is too long for any.
    return false;
  }
}
