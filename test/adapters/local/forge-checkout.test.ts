import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createJournal } from "../../../src/adapters/local/checkout-recovery.ts";
import { createLocalForge, type LocalForge } from "../../../src/adapters/local/forge.ts";
import type { Sha } from "../../../src/core/ids.ts";
import type { MergeOutcome } from "../../../src/ports/forge.ts";
import {
  type Bench,
  commitFiles,
  git,
  makeBench,
  makeRepo,
  makeTrap,
  type TestRepo,
  tempFolder,
  writeFiles,
} from "../../support/git-repo.ts";

const FILES = { "a.txt": "a\n", "b.txt": "b\n", "gone.txt": "g\n" };

type World = Bench & { readonly forge: LocalForge; merge(commit: Sha, onto?: Sha): Promise<MergeOutcome> };

async function makeWorld(repo: TestRepo = makeRepo(FILES), target = "main"): Promise<World> {
  const bench = await makeBench(repo);
  const forge = await createLocalForge({ git: bench.repoGit, target });
  return {
    ...bench,
    forge,
    merge: (commit, onto = repo.sha(target)) => forge.merge({ run: "r", stage: "s", commit, onto }),
  };
}

const read = (root: string, path: string): string => readFileSync(join(root, path), "utf8");

describe("a checkout of the target", () => {
  it("follows the merge: files changed, added and removed, and a clean status", async () => {
    const { repo, workspace, merge } = await makeWorld();
    const tree = await workspace.open(repo.sha("main"));
    writeFiles(tree.path, { "a.txt": "A\n", "new/x.txt": "x\n" });
    rmSync(join(tree.path, "gone.txt"));
    const outcome = await workspace.commit(tree, {
      base: repo.sha("main"),
      message: "m",
      protect: [],
      onForbidden: "refuse",
      allowEmpty: false,
    });
    if (outcome.kind !== "committed") throw new Error(outcome.kind);
    expect(await merge(outcome.commit)).toEqual({ kind: "merged", as: outcome.commit });
    expect(read(repo.root, "a.txt")).toBe("A\n");
    expect(read(repo.root, "new/x.txt")).toBe("x\n");
    expect(existsSync(join(repo.root, "gone.txt"))).toBe(false);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(readdirSync(join(repo.root, ".git/loom")).filter((name) => name.startsWith("follow"))).toEqual([]);
  });

  it("keeps local changes and untracked files that the merge does not touch", async () => {
    const { repo, workspace, merge } = await makeWorld();
    const commit = await commitFiles(workspace, repo.sha("main"), { "a.txt": "A\n" });
    repo.write({ "b.txt": "mine\n", "untracked.txt": "u\n", "staged.txt": "s\n" });
    repo.git("add", "staged.txt");
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
    expect(
      repo
        .git("status", "--porcelain")
        .split("\n")
        .map((line) => line.trim()),
    ).toEqual(["M b.txt", "A  staged.txt", "?? untracked.txt"]);
    expect(read(repo.root, "b.txt")).toBe("mine\n");
  });

  it("holds the merge when a changed file would be overwritten", async () => {
    const { repo, workspace, merge } = await makeWorld();
    const onto = repo.sha("main");
    const commit = await commitFiles(workspace, onto, { "a.txt": "A\n", "b.txt": "B\n" });
    repo.write({ "a.txt": "mine\n", "b.txt": "staged\n" });
    repo.git("add", "b.txt");
    const outcome = await merge(commit);
    expect(outcome).toMatchObject({ kind: "held", next: expect.stringContaining("loom resume") });
    expect(outcome.kind === "held" && outcome.reason.replace(repo.root, "<repo>")).toBe(
      "The checkout in <repo> can't follow the merge: it would overwrite `a.txt`, `b.txt`.",
    );
    expect(repo.sha("main")).toBe(onto);
    expect(read(repo.root, "a.txt")).toBe("mine\n");
    repo.git("checkout", "-f", "HEAD", "--", ".");
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
  });

  it("holds the merge when an untracked file is in the way, an ignored one too", async () => {
    const repo = makeRepo({ ...FILES, ".gitignore": "local.db\n" });
    const { workspace, merge } = await makeWorld(repo);
    const commit = await commitFiles(workspace, repo.sha("main"), {
      ".gitignore": "",
      "local.db": "the agent's\n",
      "new.txt": "the agent's\n",
    });
    repo.write({ "local.db": "mine\n", "new.txt": "mine\n" });
    const outcome = await merge(commit);
    expect(outcome.kind === "held" && outcome.reason).toMatch(/`new.txt`/);
    expect(outcome.kind === "held" && outcome.reason).toMatch(/`local.db`/);
    expect(read(repo.root, "local.db")).toBe("mine\n");
    rmSync(join(repo.root, "new.txt"));
    expect((await merge(commit)).kind).toBe("held");
    rmSync(join(repo.root, "local.db"));
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
  });

  it("is not disturbed by a file that was only touched", async () => {
    const { repo, workspace, merge } = await makeWorld();
    const commit = await commitFiles(workspace, repo.sha("main"), { "a.txt": "A\n" });
    utimesSync(join(repo.root, "a.txt"), new Date(), new Date(Date.now() + 5_000));
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("holds the merge while a person is in the middle of something", async () => {
    const { repo, workspace, merge } = await makeWorld();
    const commit = await commitFiles(workspace, repo.sha("main"), { "a.txt": "A\n" });
    repo.git("checkout", "-q", "-b", "side");
    repo.write({ "b.txt": "side\n" });
    repo.commit();
    repo.git("checkout", "-q", "main");
    repo.git("merge", "-q", "--no-ff", "--no-commit", "side");
    const outcome = await merge(commit);
    expect(outcome.kind === "held" && outcome.reason).toContain("A merge is in progress");
    repo.git("merge", "--abort");
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
  });

  it("follows in a linked work tree, and the main one is left alone", async () => {
    const repo = makeRepo(FILES);
    repo.git("branch", "release");
    const linked = join(tempFolder(), "linked");
    repo.git("worktree", "add", "-q", linked, "release");
    repo.write({ "a.txt": "mine\n" });
    const { workspace, merge } = await makeWorld(repo, "release");
    const commit = await commitFiles(workspace, repo.sha("release"), { "a.txt": "A\n" });
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
    expect(read(linked, "a.txt")).toBe("A\n");
    expect(git(linked, "status", "--porcelain")).toBe("");
    expect(git(linked, "reflog", "-1", "--format=%gs", "HEAD")).toBe("loom: merge s");
    expect(read(repo.root, "a.txt")).toBe("mine\n");
  });

  it("is not needed: a target that is checked out nowhere, or only where HEAD is detached", async () => {
    const repo = makeRepo(FILES);
    repo.git("checkout", "-q", "--detach");
    repo.write({ "a.txt": "mine\n" });
    const { workspace, merge } = await makeWorld(repo);
    const commit = await commitFiles(workspace, repo.sha("main"), { "a.txt": "A\n" });
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
    expect(read(repo.root, "a.txt")).toBe("mine\n");
    expect(repo.sha("main")).toBe(commit);
  });

  it("is not needed in a bare repository", async () => {
    const origin = makeRepo(FILES);
    const bare = join(tempFolder(), "bare.git");
    git(origin.root, "clone", "-q", "--bare", origin.root, bare);
    const repo: TestRepo = {
      ...origin,
      root: bare,
      git: (...args) => git(bare, ...args),
      sha: (rev) => git(bare, "rev-parse", rev),
    };
    const { workspace, merge } = await makeWorld(repo);
    const commit = await commitFiles(workspace, repo.sha("main"), { "a.txt": "A\n" });
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
    expect(repo.sha("main")).toBe(commit);
    await workspace.dispose();
  });

  it("is left as it is when its linked work tree is not there now", async () => {
    const repo = makeRepo(FILES);
    const linked = join(tempFolder(), "linked");
    repo.git("worktree", "add", "-q", "-b", "release", linked);
    rmSync(linked, { recursive: true });
    const { workspace, merge } = await makeWorld(repo, "release");
    const commit = await commitFiles(workspace, repo.sha("release"), { "a.txt": "A\n" });
    expect(await merge(commit)).toEqual({ kind: "merged", as: commit });
  });
});

describe("the person's own settings", () => {
  it.each<[string, (repo: TestRepo, trap: string) => string]>([
    [
      "the repository's settings",
      (repo, trap) => {
        repo.git("config", "filter.evil.smudge", trap);
        return join(repo.root, ".git/config");
      },
    ],
    [
      "where git-lfs gets credentials from",
      (repo, trap) => {
        repo.git("config", "credential.helper", trap);
        return join(repo.root, ".git/config");
      },
    ],
    [
      "the work tree's settings",
      (repo, trap) => {
        repo.git("config", "extensions.worktreeConfig", "true");
        repo.git("config", "--worktree", "filter.evil.smudge", trap);
        return "config";
      },
    ],
    [
      "the home folder's settings",
      (_repo, trap) => {
        const file = join(process.env.HOME ?? "", ".gitconfig");
        writeFileSync(file, `[filter "evil"]\n\tsmudge = ${trap}\n`);
        return file;
      },
    ],
    [
      "a file that is included",
      (repo, trap) => {
        writeFiles(repo.root, { "../included": `[filter "evil"]\n\tsmudge = ${trap}\n` });
        return "included";
      },
    ],
    [
      "the repository's attributes",
      (repo) => {
        writeFiles(repo.root, { ".git/info/attributes": "* filter=evil\n" });
        return join(repo.root, ".git/info/attributes");
      },
    ],
  ])("hold the merge when they were changed during the run: %s", async (_what, plant) => {
    const repo = makeRepo(FILES);
    writeFiles(repo.root, { "../included": "[alias]\n\tx = y\n" });
    repo.git("config", "include.path", join(repo.root, "../included"));
    const trap = makeTrap();
    const { workspace, merge } = await makeWorld(repo);
    const file = plant(repo, trap.command);
    const commit = await commitFiles(workspace, repo.sha("main"), {
      "a.txt": "A\n",
      ".gitattributes": "* filter=evil\n",
    });
    const outcome = await merge(commit);
    expect(outcome).toMatchObject({ kind: "held", reason: expect.stringContaining(file) });
    expect(trap.sprung()).toBe(false);
  });

  it("may change as long as they start no program", async () => {
    const repo = makeRepo(FILES);
    const { workspace, merge } = await makeWorld(repo);
    const first = await commitFiles(workspace, repo.sha("main"), { "a.txt": "A\n" });
    repo.git("config", "branch.main.vscode-merge-base", "origin/main");
    repo.git("remote", "add", "origin", "https://example.com/x.git");
    expect(await merge(first)).toEqual({ kind: "merged", as: first });
    repo.git("config", "core.fsmonitor", "/bin/false");
    const second = await commitFiles(workspace, first, { "a.txt": "B\n" });
    expect((await merge(second)).kind).toBe("held");
    repo.git("config", "--unset", "core.fsmonitor");
    expect(await merge(second)).toEqual({ kind: "merged", as: second });
  });
});

describe("when Loom died between the merge and the checkout", () => {
  /** The branch has moved, the checkout has not, and the journal says so. */
  async function interrupt(): Promise<World & { first: Sha; second: Sha; start: Sha }> {
    const world = await makeWorld();
    const { repo, workspace } = world;
    const start = repo.sha("main");
    const first = await commitFiles(workspace, start, { "a.txt": "A\n", "b.txt": "B\n", "new.txt": "n\n" });
    const second = await commitFiles(workspace, first, { "later.txt": "l\n" });
    createJournal(join(repo.root, ".git")).write(
      { workTree: repo.root, gitDir: join(repo.root, ".git") },
      { from: start, to: first },
    );
    repo.git("update-ref", "refs/heads/main", first, start);
    return { ...world, start, first, second };
  }

  it("the next merge brings the checkout forward first", async () => {
    const { repo, merge, second } = await interrupt();
    repo.write({ "untracked.txt": "u\n" });
    expect(await merge(second)).toEqual({ kind: "merged", as: second });
    expect(repo.git("status", "--porcelain")).toBe("?? untracked.txt");
    expect(read(repo.root, "a.txt")).toBe("A\n");
    expect(read(repo.root, "later.txt")).toBe("l\n");
    expect(readdirSync(join(repo.root, ".git/loom")).filter((name) => name.startsWith("follow"))).toEqual([]);
  });

  it("the next process does so as soon as it opens the forge", async () => {
    const { repo, repoGit } = await interrupt();
    await createLocalForge({ git: repoGit, target: "main" });
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("asking for the same merge again does, too", async () => {
    const { repo, merge, first, start } = await interrupt();
    expect(await merge(first, start)).toEqual({ kind: "merged", as: first });
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("files that were already written are recognised, and a left over lock is removed", async () => {
    const { repo, merge, second } = await interrupt();
    repo.write({ "a.txt": "A\n", "new.txt": "n\n" });
    writeFileSync(join(repo.root, ".git/index.lock"), "");
    expect(await merge(second)).toEqual({ kind: "merged", as: second });
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(read(repo.root, "b.txt")).toBe("B\n");
  });

  it("a change that a person made meanwhile is kept, and named", async () => {
    const { repo, merge, second, first } = await interrupt();
    repo.write({ "a.txt": "mine\n" });
    const outcome = await merge(second);
    expect(outcome.kind === "held" && outcome.reason).toContain("`a.txt`");
    expect(read(repo.root, "a.txt")).toBe("mine\n");
    expect(repo.sha("main")).toBe(first);
    repo.git("checkout", "-q", "-f", "main");
    expect(await merge(second)).toEqual({ kind: "merged", as: second });
  });

  it("nothing happens when the branch never moved", async () => {
    const { repo, merge, first, start } = await interrupt();
    repo.git("update-ref", "refs/heads/main", start);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(await merge(first, start)).toEqual({ kind: "merged", as: first });
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("a lock that a living git holds is not touched", async () => {
    const { repo, merge, second } = await interrupt();
    const lock = join(repo.root, ".git/index.lock");
    const { spawn } = await import("node:child_process");
    const alive = spawn("git", ["cat-file", "--batch"], { cwd: repo.root, stdio: ["pipe", "pipe", "pipe"] });
    await new Promise((resolve) => {
      alive.stdout.once("data", resolve);
      alive.stdin.write("HEAD\n");
    });
    try {
      writeFileSync(lock, "");
      expect((await merge(second)).kind).toBe("held");
      expect(lstatSync(lock).isFile()).toBe(true);
    } finally {
      alive.kill();
    }
  });
});
