import type { HostPrograms } from "../../../os/host-programs.ts";

/**
 * Words before a program that put it into a user namespace of its own, below that of the relay which starts it; null where
 * the tools for that are missing.
 *
 * The relay and bubblewrap's first process tell Loom how the program ended, and they run as the same user. A program could
 * attach to them, write into their memory or take their sockets, and report an end that it never came to (T35). The kernel
 * lets nobody do that to a process of a namespace above. Closing the calls by a filter was rejected: `/proc/PID/mem` is a
 * file, which no filter sees, and debuggers and leak checkers need to attach to what they started themselves.
 *
 * A namespace of one's own comes with all rights in it, and with the right to make more. So a shell gives up the second
 * before anything else runs, and `setpriv` the first. It is one process all along.
 */
export function wordsToSetApart(
  host: HostPrograms,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): readonly string[] | null {
  const unshare = host.tool("unshare");
  const setpriv = host.tool("setpriv");
  if (unshare === null || setpriv === null) return null;
  return [
    ...[unshare, "--user", `--map-user=${uid}`, `--map-group=${gid}`, "--keep-caps"],
    ...["/bin/sh", "-c", `echo 0 > ${NAMESPACE_LIMITS}/max_user_namespaces && exec "$@"`, "sh"],
    ...[setpriv, "--ambient-caps=-all", "--inh-caps=-all", "--bounding-set=-all", "--"],
  ];
}

/** Has to be writable for that shell; the kernel lets in those who have the right in their own namespace, and nobody else. */
export const NAMESPACE_LIMITS = "/proc/sys/user";
