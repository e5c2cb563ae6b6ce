import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClaude } from "../../src/adapters/harness/claude/claude.ts";
import { createCliHarness } from "../../src/adapters/harness/cli/create-cli-harness.ts";
import { createSupervisor } from "../../src/adapters/sandbox/processes/process-supervisor.ts";
import { chooseSandboxProvider } from "../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import { createPatterns } from "../../src/adapters/text/patterns.ts";
import { DEFAULTS } from "../../src/core/config/defaults.ts";
import type { Harness, SessionSpec } from "../../src/ports/harness.ts";
import type { SandboxProvider } from "../../src/ports/sandbox.ts";

/** SandboxProvider, and claude in them, with nothing else of Loom around. */
export async function openSessionWorld() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loom-bench-session-")));
  const supervisor = createSupervisor();
  const env = { ...process.env, ANTHROPIC_API_KEY: "bench-key-of-no-worth" };
  const sandboxes = await chooseSandboxProvider({
    supervisor,
    env,
    folder: join(folder, "sandboxes"),
    cwd: folder,
    patterns: createPatterns(),
  });
  let count = 0;

  return {
    sandboxes,
    claude: (modelUrl: string, inside: SandboxProvider = sandboxes): Harness =>
      createCliHarness(createClaude(), {
        sandboxes: inside,
        env: { ...env, ANTHROPIC_BASE_URL: modelUrl },
        cwd: folder,
      }),
    /** A session in a repository of its own. */
    session(): SessionSpec {
      count += 1;
      const tree = join(folder, `tree-${count}`);
      const home = join(folder, `home-${count}`);
      for (const path of [tree, home]) mkdirSync(path);
      execFileSync("git", ["init", "-q", tree]);
      return { ...SPEC, session: `session-${count}`, marker: `bench-${process.pid}-${count}`, tree, home };
    },
    async close() {
      await supervisor.close();
      await sandboxes.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export type SessionWorld = Awaited<ReturnType<typeof openSessionWorld>>;

const MEGABYTE = 1024 ** 2;

const SPEC: Omit<SessionSpec, "session" | "marker" | "tree" | "home"> = {
  run: "bench",
  stage: "session",
  attempt: 1,
  prompt: "Write the files.",
  rules: "You are being measured.",
  task: "Write the files.",
  promptFile: "",
  model: "opus",
  effort: "medium",
  resume: null,
  tools: "all",
  temperature: null,
  maxTurns: null,
  sandboxSpec: {
    hidden: [],
    readOnly: [],
    writable: [],
    network: { allow: [] },
    limits: {
      processes: DEFAULTS.limits.processes,
      memoryBytes: DEFAULTS.limits.memoryMb * MEGABYTE,
      fileBytes: DEFAULTS.limits.fileMb * MEGABYTE,
      diskBytes: DEFAULTS.limits.diskMb * MEGABYTE,
    },
  },
  judge: () => ({ kind: "allow" }),
};
