import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createGit, type GitLogEntry, type GitOptions } from "../../src/adapters/git/run/git.ts";
import { createRepositoryGit } from "../../src/adapters/git/run/repository-git.ts";
import { createGitWorkspace } from "../../src/adapters/git/workspace.ts";
import { openRepository } from "../../src/adapters/local/open-repository.ts";
import type { Sha } from "../../src/core/ids.ts";
import type { RepositoryGit } from "../../src/ports/git.ts";
import type { CommitSpec, Workspace, WorkTree } from "../../src/ports/workspace.ts";

/** Real repositories in temporary folders. The person who runs the tests keeps their settings out of them. */

export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "loom-git-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}

/** Makes `git` and everything that asks for the home folder see an empty one, for this test. */
export function useEmptyHome(): string {
  const home = tempFolder();
  const before = { HOME: process.env.HOME, XDG_CONFIG_HOME: process.env.XDG_CONFIG_HOME };
  process.env.HOME = home;
  delete process.env.XDG_CONFIG_HOME;
  onTestFinished(() => {
    for (const [key, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
    }
  });
  return home;
}

/** Plain git as a person, or an agent, would call it. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LC_ALL: "C", GIT_CONFIG_NOSYSTEM: "1" },
  }).trimEnd();
}

export type TestRepo = {
  readonly root: string;
  git(...args: string[]): string;
  write(files: Readonly<Record<string, string>>): void;
  /** Everything there is, as one commit on the current branch. */
  commit(message?: string): Sha;
  sha(revision: string): Sha;
};

export function makeRepo(files: Readonly<Record<string, string>> = { "README.md": "hello\n" }): TestRepo {
  useEmptyHome();
  const root = join(tempFolder(), "repo");
  mkdirSync(root);
  // What `git init` makes, without the process.
  mkdirSync(join(root, ".git/refs/heads"), { recursive: true });
  mkdirSync(join(root, ".git/objects"));
  writeFiles(join(root, ".git"), {
    HEAD: "ref: refs/heads/main\n",
    config:
      "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n[user]\n\tname = Pat Person\n\temail = pat@example.com\n",
    "info/exclude": "",
  });
  const repo: TestRepo = {
    root,
    git: (...args) => git(root, ...args),
    write: (more) => writeFiles(root, more),
    commit(message = "change") {
      git(root, "add", "-A");
      git(root, "commit", "-q", "--allow-empty", "-m", message);
      return git(root, "rev-parse", "HEAD");
    },
    sha: (revision) => git(root, "rev-parse", revision),
  };
  repo.write(files);
  repo.commit("start");
  return repo;
}

export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export type Bench = {
  readonly repo: TestRepo;
  readonly repoGit: RepositoryGit;
  readonly workspace: Workspace;
  readonly treesRoot: string;
  /** Every call of git so far. */
  readonly calls: GitLogEntry[];
  /** A second workspace on the same folders, as after a restart. */
  restart(): Promise<Workspace>;
};

export async function makeBench(
  repo: TestRepo = makeRepo(),
  options: Pick<GitOptions, "stop" | "times"> = {},
): Promise<Bench> {
  const calls: GitLogEntry[] = [];
  const open = async (): Promise<RepositoryGit> => {
    const plain = createGit({ ...options, log: (entry) => calls.push(entry) });
    return createRepositoryGit(plain, await openRepository(plain, repo.root));
  };
  const repoGit = await open();
  const treesRoot = join(tempFolder(), "trees");
  return {
    repo,
    repoGit,
    workspace: createGitWorkspace({ git: repoGit, treesRoot }),
    treesRoot,
    calls,
    restart: async () => createGitWorkspace({ git: await open(), treesRoot }),
  };
}

/** Loom's own indexes of its work trees. */
export function indexesOf({ root }: TestRepo): string[] {
  const folder = join(root, ".git/loom");
  return readdirSync(folder)
    .filter((name) => name.startsWith("index"))
    .map((name) => join(folder, name));
}

export function commitSpec(base: Sha, more: Partial<CommitSpec> = {}): CommitSpec {
  return { base, message: "work\n", protect: [], onForbidden: "refuse", allowEmpty: false, ...more };
}

/** Lends a tree, writes, commits and gives the tree back: the commit of a well-behaved agent. */
export async function commitFiles(
  workspace: Workspace,
  base: Sha,
  files: Readonly<Record<string, string>>,
  more: Partial<CommitSpec> = {},
): Promise<Sha> {
  const tree = await workspace.open(base);
  try {
    writeFiles(tree.path, files);
    return await commitTree(workspace, tree, base, more);
  } finally {
    await workspace.close(tree);
  }
}

export async function commitTree(
  workspace: Workspace,
  tree: WorkTree,
  base: Sha,
  more: Partial<CommitSpec> = {},
): Promise<Sha> {
  const outcome = await workspace.commit(tree, commitSpec(base, more));
  if (outcome.kind !== "committed") throw new Error(`not committed: ${JSON.stringify(outcome)}`);
  return outcome.commit;
}

/** A program that leaves a mark when something starts it. */
export function makeTrap(): { readonly command: string; sprung(): boolean } {
  const folder = tempFolder();
  const command = join(folder, "trap.sh");
  const mark = join(folder, "sprung");
  writeFileSync(command, `#!/bin/sh\ntouch '${mark}'\ncat 2>/dev/null\n`);
  chmodSync(command, 0o755);
  return { command, sprung: () => existsSync(mark) };
}
