import { randomBytes } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCliHarness } from "../../../src/adapters/harness/cli/create-cli-harness.ts";
import { createSupervisor } from "../../../src/adapters/sandbox/processes/process-supervisor.ts";
import { chooseSandboxProvider } from "../../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import { createPatterns } from "../../../src/adapters/text/patterns.ts";
import type {
  Harness,
  HarnessEvent,
  HarnessSession,
  SessionEnd,
  SessionSpec,
} from "../../../src/ports/harness.ts";
import type { SandboxProvider } from "../../../src/ports/sandbox.ts";
import { ensureAgentClis } from "../../setup/agent-clis.ts";
import { git, writeFiles } from "../../support/git-repo.ts";
import { livingWith } from "../../support/living-processes.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../../support/model-server/start-model-server.ts";
import { aSessionSpec } from "../../support/session-spec.ts";
import type { DrivenCli } from "./driven-clis.ts";

export type Heard = {
  readonly events: readonly HarnessEvent[];
  readonly end: SessionEnd;
  /** From the start of the session to its end. */
  readonly tookMs: number;
};

export type RunningSession = {
  readonly session: HarnessSession;
  readonly marker: string;
  /** All that came so far. */
  readonly events: readonly HarnessEvent[];
  readonly heard: Promise<Heard>;
  /** Pids that belong to it, wherever they went. */
  living(): readonly number[];
};

let count = 0;

/**
 * A machine on which one agent CLI is driven as Loom drives it: a repository with a linked work tree, sandboxes by
 * bubblewrap, and a provider that does what a script says and knows one key.
 */
export async function createSessionBench(
  cli: DrivenCli,
  filesIn: (tree: string) => Readonly<Record<string, string>> = () => ({}),
) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `loom-session-${cli.id}-`)));
  const repository = join(root, "repository");
  const tree = join(root, "tree");
  const supervisor = createSupervisor();
  const secret = `sentinel-${randomBytes(12).toString("hex")}`;
  const key = `sk-${secret}`;
  const userHome = join(root, "user");
  const servers: ModelServer[] = [];
  const opened: SandboxProvider[] = [];
  mkdirSync(join(userHome, ".ssh"), { recursive: true });
  writeFileSync(join(userHome, ".ssh", "id_ed25519"), `${secret}\n`);
  makeRepository(repository, tree, {
    "README.md": "hello\n",
    "precious/thing.txt": "precious\n",
    ...filesIn(tree),
  });

  const operator = (url: string): Record<string, string | undefined> => ({
    PATH: process.env.PATH,
    HOME: userHome,
    LANG: "C.UTF-8",
    GITHUB_TOKEN: `ghp-${secret}`,
    LOOM_SANDBOX: "bubblewrap",
    [`LOOM_${cli.id.toUpperCase()}_BIN`]: ensureAgentClis()[cli.id].bin,
    ...cli.settings(url, key),
  });

  const harnessFor = async (url: string, more: Record<string, string> = {}): Promise<Harness> => {
    const env = { ...operator(url), ...more };
    const sandboxes = await chooseSandboxProvider({
      supervisor,
      folder: join(root, "sandboxes"),
      cwd: repository,
      env,
      patterns: createPatterns(),
    });
    opened.push(sandboxes);
    return createCliHarness(cli.create(), { sandboxes, env, cwd: repository });
  };

  return {
    root,
    tree,
    key,
    /** Stands in the key, in a token of the operator's and in a file of the user's own home. */
    secret,
    userHome,
    harnessFor,

    changes: (): string => git(tree, "status", "--porcelain", "--untracked-files=all"),

    /** A provider that knows the operator's key alone. */
    async serve(options: ModelServerOptions): Promise<ModelServer> {
      const server = await startModelServer({ keys: [key], ...options });
      servers.push(server);
      return server;
    },

    home(name: string): string {
      const home = join(root, "homes", name);
      mkdirSync(home, { recursive: true });
      return home;
    },

    start(harness: Harness, parts: Partial<SessionSpec> & Pick<SessionSpec, "home">): RunningSession {
      const marker = `session-${process.pid}-${++count}`;
      const began = performance.now();
      const session = harness.start(aSessionSpec({ tree, marker, model: cli.model.asked, ...parts }));
      const events: HarnessEvent[] = [];
      const follow = async (): Promise<Heard> => {
        for await (const event of session.events) events.push(event);
        return { events, end: await session.end, tookMs: performance.now() - began };
      };
      return { session, marker, events, heard: follow(), living: () => livingWith(`LOOM_MARKER=${marker}`) };
    },

    async dispose(): Promise<void> {
      await Promise.all(servers.map((server) => server.close()));
      await Promise.all(opened.map((sandboxes) => sandboxes.close()));
      await supervisor.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

export type SessionBench = Awaited<ReturnType<typeof createSessionBench>>;

/** The sandbox of a session that has ended holds nothing of it; what is left are files, here those that hold these bytes. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(text));
}

function makeRepository(repository: string, tree: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(repository);
  git(repository, "init", "-q", "-b", "main");
  writeFiles(repository, files);
  git(repository, "add", "-A", "-f");
  git(repository, "-c", "user.name=Pat", "-c", "user.email=pat@example.com", "commit", "-q", "-m", "start");
  git(repository, "worktree", "add", "-q", "--detach", tree);
}
