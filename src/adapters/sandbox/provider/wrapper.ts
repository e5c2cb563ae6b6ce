import { resolve } from "node:path";
import { UserError } from "../../../core/errors.ts";
import type { Sandbox, SandboxSpec } from "../../../ports/sandbox.ts";
import { hostPrograms } from "../../os/host-programs.ts";
import { namesRepositoryFile } from "./bubblewrap/names-repository-file.ts";
import { findShownPrograms } from "./bubblewrap/shown-programs.ts";
import { cleanEnvironment } from "./clean-environment.ts";
import type { LimitWatcher } from "./limits/limit-watcher.ts";
import { openPlainSandbox } from "./plain-sandbox.ts";
import type { ProviderOptions } from "./provider-options.ts";
import { splitCommand } from "./split-command.ts";

export type Wrapper = readonly [string, ...string[]];

/**
 * Sandboxes isolated by a program of the operator's: it is started with the program behind its own words, and told by
 * variables where things are. What it lets through is its own business; the environment is as clean as that of other sandboxes.
 */
export function createWrapperOpener(
  options: ProviderOptions,
  watcher: LimitWatcher,
  wrapper: Wrapper,
): (sandboxSpec: SandboxSpec) => Promise<Sandbox> {
  const { supervisor, env, folder, cwd } = options;
  const programs = findShownPrograms(env, { folder, cwd });
  return (sandboxSpec) =>
    openPlainSandbox({
      supervisor,
      watcher,
      folder,
      sandboxSpec,
      environment(files, gateway) {
        const { home, tmp } = files;
        return {
          ...cleanEnvironment({ env, programs, home, tmp, hasRelay: false }),
          // The wrapper itself may lie anywhere on it.
          PATH: hostPrograms(env, cwd).searchPath,
          LOOM_SANDBOX_TREE: sandboxSpec.tree,
          LOOM_SANDBOX_HOME: home,
          LOOM_SANDBOX_TMP: tmp,
          LOOM_SANDBOX_SOCKET: gateway === null ? "" : new URL(gateway).host,
        };
      },
      command: (argv) => [...wrapper, ...argv],
    });
}

/** The words of LOOM_SANDBOX_CMD, the first of them a program that is there. */
export function readWrapper(options: ProviderOptions): Wrapper {
  const text = options.env.LOOM_SANDBOX_CMD ?? "";
  const words = splitCommand(text);
  if (words === null) {
    throw new UserError("LOOM_SANDBOX_CMD has a quote that is never closed.", {
      next: "Close the quote.",
      exitCode: 2,
    });
  }
  const [program, ...args] = words;
  if (program === undefined) {
    throw new UserError("LOOM_SANDBOX_CMD is empty.", {
      next: "Set it to the program that builds the isolation, such as LOOM_SANDBOX_CMD='firejail --quiet'.",
      exitCode: 2,
    });
  }
  const host = hostPrograms(options.env, options.cwd);
  // It builds the isolation, so nobody behind them may have a hand in it. A program without a path is looked for elsewhere.
  const named = program.includes("/") ? words : args;
  const ofRepository = named.find((word) => namesRepositoryFile(word, options.cwd, host));
  if (ofRepository !== undefined) {
    throw new UserError(`LOOM_SANDBOX_CMD names ${ofRepository}, which lies in the repository.`, {
      next: "Agents could change it there. Move it to a folder outside of the repository, or put the command into a script there.",
      exitCode: 2,
    });
  }
  const found = program.includes("/") ? resolve(options.cwd, program) : host.tool(program);
  if (found === null) {
    throw new UserError(`LOOM_SANDBOX_CMD names ${program}, which was not found on PATH.`, {
      next: "Install it, or write its whole path.",
      exitCode: 2,
    });
  }
  return [found, ...args];
}
