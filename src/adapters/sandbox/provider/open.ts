import type { Sandbox, SandboxSpec } from "../../../ports/sandbox.ts";
import { hostPrograms } from "../../os/host-programs.ts";
import type { Environment } from "./bubblewrap/shown-programs.ts";
import { passedEnvironment } from "./clean-environment.ts";
import type { LimitWatcher } from "./limits/limit-watcher.ts";
import { openPlainSandbox } from "./plain-sandbox.ts";
import type { ProviderOptions } from "./provider-options.ts";

/** Sandboxes without isolation: agents and checks have the operator's rights, home and network. */
export function createOpenOpener(
  options: ProviderOptions,
  watcher: LimitWatcher,
): (sandboxSpec: SandboxSpec) => Promise<Sandbox> {
  const { supervisor, folder } = options;
  const host = hostPrograms(options.env, options.cwd);
  const env = { ...operatorEnvironment(options.env), PATH: host.searchPath };
  return (sandboxSpec) =>
    openPlainSandbox({
      supervisor,
      watcher,
      folder,
      sandboxSpec,
      environment: () => env,
      command: (argv) => argv,
    });
}

/** As in the operator's terminal, so that agents and checks behave as they do there; git and Loom settings apart. */
function operatorEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(?:GIT_|LOOM_)/.test(entry[0]),
  );
  return { ...Object.fromEntries(kept), ...passedEnvironment(env) };
}
