import { join } from "node:path";
import { InternalError } from "../../../core/errors.ts";
import type { ProcessSpec, ProcessSupervisor } from "../../../ports/process-supervisor.ts";
import type { Sandbox, SandboxSpec } from "../../../ports/sandbox.ts";
import { openGateway } from "../gateway/open-gateway.ts";
import { guardFile } from "../gateway/program-files.ts";
import { createShellShim } from "../gateway/shell-shim.ts";
import type { LimitWatcher } from "./limits/limit-watcher.ts";
import { notStarted, superviseSandbox } from "./limits/supervise-sandbox.ts";
import { makeSandboxFolder, type SandboxFolder } from "./sandbox-folder.ts";

export type PlainSandboxOptions = {
  readonly supervisor: ProcessSupervisor;
  readonly watcher: LimitWatcher;
  readonly folder: string;
  readonly sandboxSpec: SandboxSpec;
  /** `gateway` is where the sandbox's endpoints are, if it has any. */
  environment(files: SandboxFolder, gateway: string | null): Record<string, string>;
  command(argv: ProcessSpec["argv"]): ProcessSpec["argv"];
};

/**
 * A sandbox that Loom does not isolate. What is left: a gateway on the machine's loopback, so that the model's key still
 * does not enter and the judge is heard, a home, and limits by watching.
 */
export async function openPlainSandbox(options: PlainSandboxOptions): Promise<Sandbox> {
  const { supervisor, sandboxSpec } = options;
  const files = makeSandboxFolder(options.folder, sandboxSpec.home, () => {});
  try {
    const needsGateway = sandboxSpec.model !== null || sandboxSpec.judge !== null;
    const gateway = needsGateway ? await openGateway({ listen: { kind: "loopback" }, sandboxSpec }) : null;
    const url = gateway?.url ?? null;
    const env = {
      ...options.environment(files, url),
      ...(url === null ? {} : { LOOM_GATEWAY: url }),
    };
    const guard: Sandbox["guard"] = sandboxSpec.judge ? [process.execPath, guardFile()] : null;
    const shells = guard && (await createShellShim(join(files.control, "shells"), guard));
    const supervision = superviseSandbox({
      watcher: options.watcher,
      limits: sandboxSpec.limits,
      folders: [sandboxSpec.tree, files.home, files.tmp],
      onRefused: sandboxSpec.onRefused,
      async onClose() {
        await gateway?.close();
        await files.remove();
      },
    });
    return {
      home: files.home,
      tmp: files.tmp,
      modelUrl: sandboxSpec.model && url !== null ? `${url}/.loom/model` : null,
      guard,
      shells,
      env,
      spawn(spec) {
        if (supervision.isClosed()) throw new InternalError("the sandbox is closed");
        const exceeded = supervision.exceeded();
        if (exceeded !== null) return notStarted(exceeded);
        return supervision.admit(
          supervisor.spawn({
            argv: options.command(spec.argv),
            cwd: spec.cwd,
            env: { ...env, ...spec.env },
            stdin: spec.stdin,
            marker: sandboxSpec.marker,
          }),
        );
      },
      denied: () => gateway?.denied() ?? [],
      exceeded: () => supervision.exceeded(),
      close: () => supervision.close(),
    };
  } catch (error) {
    await files.remove();
    throw error;
  }
}
