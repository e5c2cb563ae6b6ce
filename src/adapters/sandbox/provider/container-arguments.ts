import type { Limits } from "../../../ports/sandbox.ts";
import type { Mount } from "./bubblewrap/mounts.ts";
import { THREADS_PER_PROCESS } from "./limits/limits.ts";

export type ContainerOptions = {
  readonly engine: "docker" | "podman";
  readonly name: string;
  readonly image: string;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly limits: Limits;
  readonly mounts: readonly Mount[];
  readonly scratchBytes: number;
  readonly cwd: string;
  /** `NAME=value` in each line. */
  readonly environmentFile: string;
  /** Those with line breaks in their values, which the engine takes from its own environment. */
  readonly variables: readonly string[];
};

/** `run …`, up to and with the image; the program comes behind it. Programs and libraries are the image's own. */
export function containerArguments(options: ContainerOptions): string[] {
  const { engine, limits, user, scratchBytes } = options;
  const scratch = (at: string): string[] => [
    "--tmpfs",
    `${at}:rw,nosuid,nodev,exec,size=${scratchBytes},mode=1777`,
  ];
  return [
    ...["run", "--rm", "-i", "--name", options.name, "--hostname", "loom"],
    ...["--network", "none", "--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
    ...[
      "--pids-limit",
      String(limits.processes * THREADS_PER_PROCESS),
      "--memory",
      String(limits.memoryBytes),
    ],
    ...["--memory-swap", String(limits.memoryBytes), "--ulimit", "core=0"],
    ...["--ulimit", `fsize=${limits.fileBytes}`, "--shm-size", String(scratchBytes)],
    // Without the second, rootless podman gives the tree to another user.
    ...["--user", `${user.uid}:${user.gid}`, ...(engine === "podman" ? ["--userns", "keep-id"] : [])],
    ...["--init", "--pull", "never", "--entrypoint", ""],
    ...["/tmp", "/var/tmp", "/run"].flatMap(scratch),
    ...options.mounts.flatMap(mountArguments),
    ...["--env-file", options.environmentFile],
    ...options.variables.flatMap((name) => ["--env", name]),
    ...["--workdir", options.cwd, options.image],
  ];
}

function mountArguments(mount: Mount): string[] {
  switch (mount.kind) {
    case "read":
      return ["--mount", csv(["type=bind", `source=${mount.from}`, `target=${mount.at}`, "readonly"])];
    case "write":
      return ["--mount", csv(["type=bind", `source=${mount.from}`, `target=${mount.at}`])];
    case "scratch":
      return ["--mount", csv(["type=tmpfs", `target=${mount.at}`, `tmpfs-size=${mount.bytes}`])];
    case "hidden":
      return ["--mount", csv(["type=tmpfs", `target=${mount.at}`, "tmpfs-size=65536"])];
    case "link":
      return [];
  }
}

/** One line of CSV, as both engines read it: a path may hold commas and quotes. */
function csv(fields: readonly string[]): string {
  return fields.map((one) => (/[",]/.test(one) ? `"${one.replaceAll('"', '""')}"` : one)).join(",");
}
