import type { HostPrograms } from "../../os/host-programs.ts";

/**
 * What has to happen around bubblewrap before it builds a room.
 *
 * The device files of a room are those of the machine. In a room that root opened, programs count as their owner, and could
 * take them away from everybody else: one `chmod 0 /dev/null` stops a machine. bubblewrap can't show a device read-only, so
 * its own start gets a view of the machine in which /dev is; devices work there as ever.
 */
export type Shelter = {
  /** Words before a shell that give it a view of its own. */
  readonly enter: readonly string[];
  /** A line for that shell. */
  readonly script: string;
};

/** The shelters to be tried, the best one first; none is needed where programs are not root to the machine. */
export function possibleShelters(host: HostPrograms): readonly Shelter[] {
  if (process.getuid?.() !== 0) return [NO_SHELTER];
  const unshare = host.tool("unshare");
  const mount = host.tool("mount");
  if (unshare === null || mount === null) return [NO_SHELTER];
  const program = `'${mount.replaceAll("'", "'\\''")}'`;
  const script = `${program} --rbind /dev /dev && ${program} -o remount,bind,ro /dev || exit 125; `;
  // Root of a container may mount only where it is root of a namespace of its own.
  return [{ enter: [unshare, "-m"], script }, { enter: [unshare, "-r", "-m"], script }, NO_SHELTER];
}

export const NO_SHELTER: Shelter = { enter: [], script: "" };

/** Where bubblewrap finds its filter of system calls. */
export const FILTER_FD = 4;

/**
 * The command that starts bubblewrap. `files` are its words, each with a zero byte behind it (from a file, so that neither
 * their number nor the list of processes is a matter), and its filter.
 */
export function startBubblewrap(
  { program, shelter }: { readonly program: string; readonly shelter: Shelter },
  prelude: string,
  files: { readonly words: string; readonly filter: string | null },
  inside: readonly string[],
): [string, ...string[]] {
  const open = files.filter === null ? 'exec 3<"$0"' : `exec 3<"$0" ${FILTER_FD}<"$1"`;
  const script = `${prelude}${shelter.script}${open} && shift && exec "$@"`;
  const [first = "", ...rest] = [
    ...[...shelter.enter, "/bin/sh", "-c", script, files.words, files.filter ?? ""],
    ...[program, "--args", "3", "--", ...inside],
  ];
  return [first, ...rest];
}
