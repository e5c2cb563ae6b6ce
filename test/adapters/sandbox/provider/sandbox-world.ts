import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createSupervisor } from "../../../../src/adapters/sandbox/processes/process-supervisor.ts";
import { chooseSandboxProvider } from "../../../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import { createPatterns } from "../../../../src/adapters/text/patterns.ts";
import type { ConfinedProcess, ProcessExit } from "../../../../src/ports/process-supervisor.ts";
import type { Limits, Sandbox, SandboxProvider, SandboxSpec } from "../../../../src/ports/sandbox.ts";

export const GB = 1024 ** 3;
export const MB = 1024 ** 2;
export const WIDE: Limits = { processes: 512, memoryBytes: 4 * GB, fileBytes: 2 * GB, diskBytes: 4 * GB };

export type Ended = { readonly exit: ProcessExit; readonly out: string; readonly err: string };

let count = 0;

/** A machine with a repository, a linked work tree and sandboxes. */
export function createSandboxWorld(env: Record<string, string | undefined> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "loom-sandboxes-")));
  const supervisor = createSupervisor();
  const folder = join(root, "sandboxes");
  const tree = join(root, "tree");
  const repository = join(root, "repository");
  let sandboxes: Promise<SandboxProvider> | null = null;
  mkdirSync(tree);

  const options = {
    supervisor,
    folder,
    cwd: repository,
    patterns: createPatterns(),
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: "C.UTF-8", ...env },
  };
  const world = {
    root,
    folder,
    tree,
    repository,
    supervisor,
    options,
    sandboxes: () => (sandboxes ??= chooseSandboxProvider(options)),

    /** Made of `files`, committed, and checked out as a linked work tree. */
    makeRepository(files: Record<string, string>): void {
      const git = (...args: string[]) =>
        execFileSync("git", args, {
          cwd: repository,
          env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
        });
      mkdirSync(repository);
      git("init", "-q", "-b", "main");
      git("config", "user.name", "A Person");
      git("config", "user.email", "a@example.org");
      for (const [path, text] of Object.entries(files)) world.write(join(repository, path), text);
      git("add", "-A");
      git("commit", "-q", "-m", "Begin");
      rmSync(tree, { recursive: true });
      git("worktree", "add", "-q", "--detach", tree);
    },

    write(path: string, text: string): void {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    },

    sandboxSpec(fields: Partial<SandboxSpec> = {}): SandboxSpec {
      return {
        marker: `sandbox-${process.pid}-${++count}`,
        tree,
        treeAccess: "write",
        hidden: [],
        readOnly: [],
        writable: [],
        home: null,
        shows: [],
        network: { allow: [] },
        model: null,
        judge: null,
        onTraffic: null,
        limits: WIDE,
        ...fields,
      };
    },

    async open(fields: Partial<SandboxSpec> = {}): Promise<Sandbox> {
      return (await world.sandboxes()).open(world.sandboxSpec(fields));
    },

    async dispose(): Promise<void> {
      await (await sandboxes?.catch(() => null))?.close();
      await supervisor.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
  return world;
}

export type SandboxWorld = ReturnType<typeof createSandboxWorld>;

export function start(
  sandbox: Sandbox,
  argv: readonly [string, ...string[]],
  cwd: string,
  env: Record<string, string> = {},
): ConfinedProcess {
  return sandbox.spawn({ argv, cwd, env, stdin: "" });
}

export async function finish(running: ConfinedProcess): Promise<Ended> {
  const parts = { stdout: "", stderr: "" };
  for await (const { stream, data } of running.output) parts[stream] += data.toString();
  return { exit: await running.exit, out: parts.stdout, err: parts.stderr };
}

/** Reads until a line has come that is this; the rest stays for later. */
export async function untilLine(running: ConfinedProcess, line: string): Promise<void> {
  const iterator = running.output[Symbol.asyncIterator]();
  let text = "";
  while (!text.split("\n").includes(line)) {
    const { done, value } = await iterator.next();
    if (done) throw new Error(`ended after ${JSON.stringify(text)}`);
    text += value.data.toString();
  }
}
