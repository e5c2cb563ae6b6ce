import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type HostPrograms, hostPrograms } from "../../os/host-programs.ts";

/** Before PATH, so that agents and checks get the shell that scripts name by its path. */
const FOLDERS = ["/bin", "/usr/bin", "/usr/local/bin"];

export type ShellSearch = { readonly host?: HostPrograms; readonly first?: readonly string[] };

/**
 * For harnesses without hooks: writes an `sh` and a `bash` that ask the guard before they run a command, and returns the
 * folder, which has to come first on the PATH. They hold what a program runs by name, and no more than that: who calls
 * /bin/sh by its path is not stopped here but by the sandbox.
 */
export async function createShellShim(
  folder: string,
  guard: readonly [string, ...string[]],
  { host = hostPrograms(), first = FOLDERS }: ShellSearch = {},
): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of ["sh", "bash"]) {
    const real = host.tool(name, first);
    if (real !== null) await writeFile(join(folder, name), shimFor(name, real, guard), { mode: 0o755 });
  }
  return folder;
}

/**
 * Looks for `-c` as the shells themselves do: among all options, alone or in a cluster such as `-euo pipefail -c`. The
 * command is the first word after them. Names are odd on purpose: a variable that the caller has exported would be changed
 * for the command. An empty NODE_OPTIONS keeps the caller's from loading code into the guard.
 */
function shimFor(name: string, real: string, guard: readonly string[]): string {
  return `#!/bin/sh
loom_shim_asks() {
  loom_shim_c=
  while [ $# -gt 0 ]; do
    case $1 in
      --|-) shift; break ;;
      --rcfile|--init-file) shift ;;
      --*) ;;
      [-+]?*)
        case $1 in -*c*) loom_shim_c=yes ;; esac
        case $1 in *[oO]*) shift ;; esac ;;
      *) break ;;
    esac
    [ $# -eq 0 ] || shift
  done
  [ "$loom_shim_c" ] && [ $# -gt 0 ] || return 0
  NODE_OPTIONS= ${guard.map(quote).join(" ")} --command ${name} "$1" </dev/null >/dev/null
}
loom_shim_asks "$@" || exit 126
unset loom_shim_c
exec ${quote(real)} "$@"
`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
