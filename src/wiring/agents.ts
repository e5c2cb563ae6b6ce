import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createClaude } from "../adapters/harness/claude/claude.ts";
import { createCliHarness } from "../adapters/harness/cli/create-cli-harness.ts";
import { createCodex } from "../adapters/harness/codex/codex.ts";
import { createCommandHarness } from "../adapters/harness/command.ts";
import { createGemini } from "../adapters/harness/gemini/gemini.ts";
import { createOpencode } from "../adapters/harness/opencode/opencode.ts";
import { createScriptedHarness } from "../adapters/harness/scripted.ts";
import { foldersIn } from "../adapters/os/folders-in.ts";
import { chooseSandboxProvider } from "../adapters/sandbox/provider/choose-sandbox-provider.ts";
import { isLeftBehind, noteOwner, removeLeftovers } from "../adapters/sandbox/provider/leftovers.ts";
import { createControlGroup } from "../adapters/sandbox/provider/limits/control-groups.ts";
import { removeFolder } from "../adapters/sandbox/provider/remove-folder.ts";
import { createPatterns } from "../adapters/text/patterns.ts";
import type { Engine } from "../engine/engine.ts";
import type { Harness } from "../ports/harness.ts";
import type { ProcessSupervisor } from "../ports/process-supervisor.ts";
import type { SandboxProvider } from "../ports/sandbox.ts";
import { assertPlace } from "./folders/place-trouble.ts";
import { assertTemporaryFolder } from "./folders/temporary-folder.ts";
import { loadPolicy } from "./load-policy.ts";
import type { Env } from "./settings/env.ts";

/** All that agents are started with, the same on a laptop and in a service. */
export type Agents = Pick<Engine, "openHome" | "policy" | "hash"> & {
  readonly sandboxes: SandboxProvider;
  readonly harnesses: ReadonlyMap<string, Harness>;
};

export type AgentsOptions = {
  readonly supervisor: ProcessSupervisor;
  /** Without the service's own secrets. */
  readonly env: Env;
  readonly cwd: string;
  /** Absolute, and in no work tree: homes and sockets of sandboxes. */
  readonly folder: string;
  /** false: this process only answers and shows; it needs no sandbox and must not stumble over one. */
  readonly runsAgents: boolean;
};

const CHOOSE_FOLDER = "Set XDG_CACHE_HOME, or LOOM_DATA for a service, to a folder that you may write to.";

export async function openAgents({
  supervisor,
  env,
  cwd,
  folder,
  runsAgents,
}: AgentsOptions): Promise<Agents> {
  if (runsAgents) {
    assertTemporaryFolder();
    await assertPlace("Homes of agents", folder, CHOOSE_FOLDER);
  }
  const sandboxes = await chooseSandboxProvider({
    supervisor,
    env: runsAgents ? env : { ...env, LOOM_SANDBOX: "off", LOOM_SANDBOX_CMD: undefined },
    cwd,
    folder,
    patterns: createPatterns(),
    group: createControlGroup,
  });
  const options = { sandboxes, env, cwd };
  await pruneHomes(folder);
  const all = [
    ...[createClaude(), createCodex(), createGemini(), createOpencode()].map((cli) =>
      createCliHarness(cli, options),
    ),
    createCommandHarness(options),
    createScriptedHarness(options),
  ];
  return {
    sandboxes,
    harnesses: new Map(all.map((harness) => [harness.id, harness])),
    policy: loadPolicy(env, { ownFile: runsAgents }),
    hash: (text) => createHash("sha256").update(text).digest("hex"),
    async openHome(name) {
      const root = join(folder, "homes", name);
      const home = { path: join(root, "home"), empty: join(root, "empty") };
      const shown = join(root, "shown");
      await removeFolder(root);
      for (const path of [home.path, home.empty]) await mkdir(path, { recursive: true, mode: 0o700 });
      noteOwner(root, null);
      return {
        ...home,
        shown,
        async show(file, text) {
          await mkdir(shown, { recursive: true, mode: 0o700 });
          // Also where nothing else isolates the agent.
          await rm(join(shown, file), { force: true });
          await writeFile(join(shown, file), text, { flag: "wx", mode: 0o400 });
        },
        async lay(files) {
          const folder = await mkdtemp(join(root, "laid-"));
          for (const [path, text] of files) {
            await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
            await writeFile(join(folder, path), text, { flag: "wx", mode: 0o600 });
          }
          return folder;
        },
        remove: () => removeFolder(root),
      };
    },
  };
}

/** The same for whoever has agents elsewhere: a repository that is gone clears nothing up by itself. */
export async function sweepSandboxes(root: string, now: number): Promise<void> {
  for (const name of foldersIn(root)) {
    const folder = join(root, name);
    await removeLeftovers(folder);
    await pruneHomes(folder);
    // A young one may be about to be filled.
    const modified = (await stat(folder).catch(() => null))?.mtimeMs ?? now;
    if (now - modified < EMPTY_FOR_MS) continue;
    await rmdir(join(folder, "homes")).catch(() => undefined);
    await rmdir(folder).catch(() => undefined);
  }
}

const EMPTY_FOR_MS = 24 * 3_600_000;

/** What a Loom that was killed left behind, the caches of set-ups among it; others may be at work beside this one. */
async function pruneHomes(folder: string): Promise<void> {
  for (const name of foldersIn(folder, "homes")) {
    const path = join(folder, "homes", name);
    if (isLeftBehind(path)) await removeFolder(path);
  }
}
