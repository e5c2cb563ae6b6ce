import type { Mount } from "./mounts.ts";

/** Which of the younger options this bubblewrap knows. */
export type BubblewrapFeatures = {
  readonly size: boolean;
  readonly perms: boolean;
  readonly disableUserns: boolean;
};

export type BubblewrapOptions = {
  readonly features: BubblewrapFeatures;
  /** Who the programs are inside; null: who they are outside. */
  readonly user: { readonly uid: number; readonly gid: number } | null;
  readonly system: readonly Mount[];
  readonly proc: readonly Mount[];
  /** In the order of mounting. */
  readonly mounts: readonly Mount[];
  readonly scratchBytes: number;
  readonly cwd: string;
};

/**
 * The words that bubblewrap builds a sandbox from. What it makes itself to put mounts on (the root, /dev, hidden folders) is
 * memory that programs could fill, so all of it ends up read-only.
 */
export function bubblewrapArguments(options: BubblewrapOptions): string[] {
  const { features, user, cwd } = options;
  const mount = (one: Mount): string[] => mountArguments(one, features);
  const scratch = (at: string): string[] => mount({ kind: "scratch", at, bytes: options.scratchBytes });
  const hidden = options.mounts.filter(({ kind }) => kind === "hidden");
  return [
    "--unshare-user",
    ...(user ? ["--uid", String(user.uid), "--gid", String(user.gid)] : []),
    // Inside a namespace of its own a program could mount memory that nobody counts.
    ...(features.disableUserns ? ["--disable-userns"] : []),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--unshare-cgroup-try"],
    ...["--die-with-parent", "--new-session", "--hostname", "loom", "--cap-drop", "ALL"],
    ...options.system.flatMap(mount),
    ...["--proc", "/proc", ...options.proc.flatMap(mount)],
    ...["--dev", "/dev", ...scratch("/dev/shm")],
    ...["/tmp", "/var/tmp", "/run"].flatMap(scratch),
    ...options.mounts.flatMap(mount),
    ...[...hidden.map(({ at }) => at), "/dev", "/"].flatMap((at) => ["--remount-ro", at]),
    ...["--chdir", cwd],
  ];
}

function mountArguments(mount: Mount, features: BubblewrapFeatures): string[] {
  const memory = (at: string, bytes: number, perms: string): string[] => [
    ...(features.perms ? ["--perms", perms] : []),
    ...(features.size ? ["--size", String(bytes)] : []),
    ...["--tmpfs", at],
  ];
  switch (mount.kind) {
    case "read":
      return ["--ro-bind", mount.from, mount.at];
    case "write":
      return ["--bind", mount.from, mount.at];
    case "link":
      return ["--symlink", mount.to, mount.at];
    case "scratch":
      return memory(mount.at, mount.bytes, "1777");
    case "hidden":
      return memory(mount.at, 65_536, "0755");
  }
}
