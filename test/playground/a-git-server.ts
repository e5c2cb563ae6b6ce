import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect } from "vitest";
import { createModelGit } from "../../playground/git/model-git.ts";
import { serveGit } from "../../playground/git/serve/serve-git.ts";
import { listen } from "../../playground/listen.ts";
import { createApp } from "../../playground/model/apps/create-app.ts";
import { install } from "../../playground/model/apps/install.ts";
import { mintToken } from "../../playground/model/apps/mint-token.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import type { Change, Installation, Repository } from "../../playground/model/types.ts";
import { createWorld, type World } from "../../playground/model/world.ts";

const run = promisify(execFile);
export const CONTENTS = { contents: "write", pull_requests: "write", checks: "write" } as const;

/** Two private repositories, `acme/app` and `acme/other`, served over HTTP, and an App that is installed on both. */
export type GitServer = {
  readonly url: string;
  readonly root: string;
  readonly world: World;
  readonly repository: Repository;
  readonly other: Repository;
  readonly installation: Installation;
  /** Everything announced so far. */
  readonly changes: Change[];
  now(): number;
  step(milliseconds: number): void;
  token(permissions?: Record<string, "read" | "write">, repositories?: number[]): string;
  address(secret: string | null, user?: string): string;
  git(cwd: string, ...args: string[]): Promise<{ code: number; text: string }>;
  /** A clone with a commit that changes these files, not yet pushed. */
  cloneWith(files: Record<string, string | Buffer>, from?: string): Promise<string>;
  head(folder: string): Promise<string>;
  tip(branch: string): Promise<string | null>;
  close(): Promise<void>;
};

export async function aGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), "playground-http-"));
  let time = Date.UTC(2026, 0, 1);
  const world = createWorld({ clock: { now: () => time }, git: createModelGit() });
  const server = await listen(0, async (req, res) => {
    if (!(await serveGit(world, req, res))) res.writeHead(404).end();
  });
  const files = { "README.md": "hello\n", ".github/workflows/ci.yml": "on: push\n" };
  const create = (name: string): Promise<Repository> =>
    createRepository(world, { owner: "acme", name, private: true, files, gitDir: join(root, `${name}.git`) });
  const [repository, other] = [await create("app"), await create("other")];
  const permissions = { ...CONTENTS, workflows: "write" } as const;
  const about = { name: "Loom", owner: "acme", events: [], publicKey: "none" };
  const installation = install(world, createApp(world, { ...about, permissions }).app, { account: "acme" });
  const changes: Change[] = [];
  world.subscribe((change) => changes.push(change));

  const token: GitServer["token"] = (given = CONTENTS, repositories = [repository.id]) =>
    mintToken(world, installation, { permissions: given, repositories }).value;
  const address: GitServer["address"] = (secret, user = "x-access-token") =>
    `${server.url.replace("//", secret === null ? "//" : `//${user}:${secret}@`)}/acme/app.git`;
  const git: GitServer["git"] = async (cwd, ...args) => {
    try {
      const { stdout, stderr } = await run("git", args, { cwd, env: environment(root), maxBuffer: 64 << 20 });
      return { code: 0, text: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, text: stdout + stderr };
    }
  };

  return {
    ...{ url: server.url, root, world, repository, other, installation, changes, token, address, git },
    now: () => time,
    step(milliseconds) {
      time += milliseconds;
    },
    async cloneWith(changed, from = address(token())) {
      const folder = await mkdtemp(join(root, "clone-"));
      expect(await git(folder, "clone", "--quiet", from, ".")).toMatchObject({ code: 0 });
      for (const [path, text] of Object.entries(changed)) {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), text);
      }
      await git(folder, "add", "--all");
      await git(folder, "commit", "--quiet", "--allow-empty", "-m", "Work");
      return folder;
    },
    head: async (folder) => (await git(folder, "rev-parse", "HEAD")).text.trim(),
    tip: (branch) => world.git.tip(repository.gitDir, branch),
    async close() {
      await server.close();
      await rm(root, { recursive: true, force: true, maxRetries: 3 });
      expect(server.errors).toEqual([]);
    },
  };
}

function environment(home: string): NodeJS.ProcessEnv {
  const quiet = { HOME: home, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1", GIT_TERMINAL_PROMPT: "0" };
  const author = { GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.com" };
  const committer = { GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.com" };
  return { PATH: process.env.PATH, ...quiet, ...author, ...committer };
}
