import { execFile } from "node:child_process";
import { copyFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../../core/errors.ts";
import type { Sandbox, SandboxSpec } from "../../../ports/sandbox.ts";
import { hostPrograms } from "../../os/host-programs.ts";
import { relayFile } from "../gateway/program-files.ts";
import { makeSandboxMounts } from "./bubblewrap/sandbox-mounts.ts";
import { type Environment, findShownPrograms } from "./bubblewrap/shown-programs.ts";
import { cleanEnvironment } from "./clean-environment.ts";
import { containerArguments } from "./container-arguments.ts";
import type { LimitWatcher } from "./limits/limit-watcher.ts";
import type { ProviderOptions } from "./provider-options.ts";
import { nodeRelay } from "./relay/relay-command.ts";
import { openRelayedSandbox } from "./relay/relayed-sandbox.ts";
import { makeSandboxFolder } from "./sandbox-folder.ts";

export type ContainerEngine = {
  readonly kind: "docker" | "podman";
  readonly program: string;
  readonly image: string;
  /** The PATH of the image. */
  readonly searchPath: string;
  /** What the engine itself needs of the operator's environment. */
  readonly env: Record<string, string>;
};

const SCRATCH_BYTES = 512 * 1024 * 1024;
const ENGINE_VARIABLES =
  /^(?:HOME|USER|LOGNAME|XDG_RUNTIME_DIR|XDG_CONFIG_HOME|XDG_DATA_HOME|(?:DOCKER|PODMAN|CONTAINERS?)_\w+)$/;

/**
 * Sandboxes by docker or podman. Programs, libraries and Node are those of the image; tree, git directory, home and gateway
 * are mounted as in other sandboxes. The engine holds programs to the number of processes and the memory by itself.
 */
export function createContainerOpener(
  options: ProviderOptions,
  engine: ContainerEngine,
  watcher: LimitWatcher,
): (sandboxSpec: SandboxSpec) => Promise<Sandbox> {
  const { supervisor, env, folder, cwd, patterns } = options;
  const programs = findShownPrograms(env, { folder, cwd });
  const user = { uid: process.getuid?.() ?? 1000, gid: process.getgid?.() ?? 1000 };

  return async (sandboxSpec) => {
    const files = makeSandboxFolder(folder, sandboxSpec.home, () => {});
    try {
      const mounts = await makeSandboxMounts(sandboxSpec, files, [], patterns);
      const relay = join(files.control, "relay.mjs");
      copyFileSync(relayFile(), relay);
      const clean = {
        ...cleanEnvironment({ env, programs, home: files.home, tmp: files.tmp, hasRelay: true }),
        PATH: engine.searchPath,
      };
      return await openRelayedSandbox({
        supervisor,
        watcher,
        sandboxSpec,
        files,
        env: clean,
        node: "node",
        relay: nodeRelay("node", relay, []),
        enclose(program, spec, token) {
          const name = `loom-${token}`;
          const environmentFile = join(files.own, token);
          const all = Object.entries(spec.env);
          const long = all.filter(([, value]) => /[\r\n]/.test(value));
          const short = all.filter(([, value]) => !/[\r\n]/.test(value));
          writeFileSync(environmentFile, short.map(([key, value]) => `${key}=${value}\n`).join(""), {
            mode: 0o600,
          });
          const words = containerArguments({
            engine: engine.kind,
            name,
            image: engine.image,
            user,
            limits: sandboxSpec.limits,
            mounts: mounts.current(),
            scratchBytes: SCRATCH_BYTES,
            cwd: spec.cwd,
            environmentFile,
            variables: long.map(([key]) => key),
          });
          return {
            argv: [engine.program, ...words, ...program],
            env: { ...engine.env, ...Object.fromEntries(long) },
            async after(how) {
              // The engine's client is gone, which says nothing about the container.
              if (how.kind === "signalled") await execute(engine, ["rm", "--force", name]);
              await rm(environmentFile, { force: true });
            },
          };
        },
      });
    } catch (error) {
      await files.remove();
      throw error;
    }
  };
}

/** The engine that is there, proven by a container of the image that runs Node. */
export async function findContainerEngine(env: Environment, cwd: string): Promise<ContainerEngine> {
  const image = env.LOOM_SANDBOX_IMAGE ?? "";
  if (image === "" || image.startsWith("-")) {
    throw new UserError("LOOM_SANDBOX=container needs the name of an image.", {
      next: "Set LOOM_SANDBOX_IMAGE to an image that has Node and git, such as LOOM_SANDBOX_IMAGE=node:22.",
      exitCode: 2,
    });
  }
  const host = hostPrograms(env, cwd);
  const kinds = (["docker", "podman"] as const).flatMap((kind) => {
    const program = host.tool(kind);
    const engineEnv = { ...engineEnvironment(env), PATH: host.searchPath };
    return program === null ? [] : [{ kind, program, image, searchPath: "", env: engineEnv }];
  });
  if (kinds.length === 0) {
    throw new UserError("LOOM_SANDBOX=container needs docker or podman, and neither was found on PATH.", {
      next: "Install one of them.",
    });
  }
  const problems: string[] = [];
  for (const engine of kinds) {
    const { failure, output } = await execute(engine, [
      ...["run", "--rm", "--pull", "never", "--network", "none", "--entrypoint", ""],
      ...[image, "node", "-p", "process.env.PATH"],
    ]);
    if (failure === null) return { ...engine, searchPath: output.trim() };
    problems.push(`${engine.kind} says: ${failure}`);
  }
  throw new UserError(`No container of the image ${image} can be started. ${problems.join(" ")}`, {
    next: `See that the engine runs, that the image is there (${kinds[0]?.kind ?? "docker"} pull ${image}), and that it has Node.`,
  });
}

type Outcome = { readonly failure: string | null; readonly output: string };

function execute(engine: ContainerEngine, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    const options = { timeout: 60_000, cwd: "/", env: engine.env };
    execFile(engine.program, args, options, (error, output, stderr) => {
      const said = stderr.trim() || error?.message || "nothing";
      resolve({ failure: error === null ? null : (said.split("\n")[0] ?? "").slice(0, 300), output });
    });
  });
}

function engineEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && ENGINE_VARIABLES.test(entry[0]),
  );
  return Object.fromEntries(kept);
}
