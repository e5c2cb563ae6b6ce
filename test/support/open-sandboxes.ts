import { chooseSandboxProvider } from "../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import { createPatterns } from "../../src/adapters/text/patterns.ts";
import type { ProcessSupervisor } from "../../src/ports/process-supervisor.ts";
import type { SandboxProvider } from "../../src/ports/sandbox.ts";

/** Sandboxes without isolation, for tests that are about something else. */
export function openSandboxes(
  supervisor: ProcessSupervisor,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SandboxProvider> {
  return chooseSandboxProvider({
    supervisor,
    folder,
    cwd: folder,
    env: { ...env, LOOM_SANDBOX: "off" },
    patterns: createPatterns(),
  });
}
