import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGitWorkspace } from "../../../../src/adapters/git/workspace.ts";
import type { Workspace } from "../../../../src/ports/workspace.ts";
import {
  commitSpec,
  commitTree,
  git,
  indexesOf,
  makeBench,
  makeRepo,
  tempFolder,
  writeFiles,
} from "../../../support/git-repo.ts";

const FILES = { "a.txt": "a\n", "src/one.ts": "1\n", "src/two.ts": "2\n", ".gitignore": "ignored/\n*.log\n" };

/** Every path below a folder but git's pointer, with what stands there. */
function snapshot(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length + 1);
    if (name === ".git") continue;
    if (entry.isDirectory()) found[`${name}/`] = "";
    else found[name] = entry.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, "utf8");
  }
  return found;
}

describe("a slot that is lent again", () => {
  it.each<[string, (path: string) => void]>([
    ["changed files", (path) => writeFiles(path, { "a.txt": "b\n", "src/one.ts": "longer than before\n" })],
    ["deleted files", (path) => rmSync(join(path, "src"), { recursive: true })],
    ["new files and folders", (path) => writeFiles(path, { "new/deep/x": "x", y: "y" })],
    ["ignored files", (path) => writeFiles(path, { "ignored/x": "x", "src/x.log": "x" })],
    ["empty folders", (path) => mkdirSync(join(path, "src/empty/er"), { recursive: true })],
    [
      "a file that became a folder",
      (path) => {
        rmSync(join(path, "a.txt"));
        writeFiles(path, { "a.txt/x": "x" });
      },
    ],
    [
      "a folder that became a file",
      (path) => {
        rmSync(join(path, "src"), { recursive: true });
        writeFiles(path, { src: "x" });
      },
    ],
    [
      "a file that became a link",
      (path) => {
        rmSync(join(path, "a.txt"));
        symlinkSync("src/one.ts", join(path, "a.txt"));
      },
    ],
    ["changed modes", (path) => chmodSync(join(path, "a.txt"), 0o755)],
    [
      "a repository inside",
      (path) => {
        mkdirSync(join(path, "nested"));
        git(path, "init", "-q", "nested");
        writeFiles(path, { "nested/x": "x" });
      },
    ],
    ["a repository in a tracked folder", (path) => void git(path, "init", "-q", "src")],
    ["a bare repository", (path) => void git(path, "init", "-q", "--bare", "bare")],
    ["a pointer to another repository", (path) => writeFileSync(join(path, ".git"), "gitdir: /tmp\n")],
    [
      "a `.git` folder instead of the pointer",
      (path) => {
        rmSync(join(path, ".git"));
        mkdirSync(join(path, ".git/objects"), { recursive: true });
      },
    ],
    ["no pointer", (path) => rmSync(join(path, ".git"))],
    ["a pipe", (path) => void execFileSync("mkfifo", [join(path, "pipe")])],
    [
      "a name that is not UTF-8",
      (path) => {
        writeFileSync(Buffer.concat([Buffer.from(`${path}/src/`), Buffer.from([0x66, 0xff, 0xfe])]), "x");
      },
    ],
    [
      "an index lock and a half-done merge",
      (path) => {
        const metadata = git(path, "rev-parse", "--absolute-git-dir");
        writeFiles(metadata, { "index.lock": "", MERGE_HEAD: "x", "rebase-merge/head-name": "x" });
      },
    ],
    [
      "settings for this work tree only",
      (path) => {
        git(path, "config", "extensions.worktreeConfig", "true");
        git(path, "config", "--worktree", "core.bare", "true");
      },
    ],
    [
      "another commit checked out",
      (path) => {
        git(path, "-c", "user.name=x", "-c", "user.email=y", "commit", "-q", "--allow-empty", "-m", "x");
        git(path, "checkout", "-q", "-b", "mine");
      },
    ],
  ])("has no trace of %s", async (_what, leave) => {
    const repo = makeRepo(FILES);
    const { workspace, treesRoot } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    const before = snapshot(tree.path);
    leave(tree.path);
    await workspace.close(tree);
    const again = await workspace.open(base);
    expect(again.path).toBe(tree.path);
    expect(snapshot(again.path)).toEqual(before);
    expect(git(again.path, "status", "--porcelain", "--ignored")).toBe("");
    expect(git(again.path, "rev-parse", "HEAD", "--show-toplevel")).toBe(`${base}\n${again.path}`);
    expect(lstatSync(join(again.path, "a.txt")).mode & 0o111).toBe(0);
    expect(readdirSync(treesRoot)).toEqual(["1"]);
  });

  it("loses what lay behind a link without touching where the link led", async () => {
    const repo = makeRepo(FILES);
    const { workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const outside = tempFolder();
    writeFiles(outside, { "one.ts": "mine\n", "precious.txt": "mine\n" });
    const tree = await workspace.open(base);
    rmSync(join(tree.path, "src"), { recursive: true });
    symlinkSync(outside, join(tree.path, "src"));
    await workspace.commit(tree, commitSpec(base, { onForbidden: "strip" }));
    await workspace.close(tree);
    const again = await workspace.open(base);
    expect(lstatSync(join(again.path, "src")).isDirectory()).toBe(true);
    expect(snapshot(outside)).toEqual({ "one.ts": "mine\n", "precious.txt": "mine\n" });
  });

  it("makes read-only folders writable again, tracked and untracked ones", async () => {
    const repo = makeRepo(FILES);
    const { workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    writeFiles(tree.path, { "locked/x/y": "y" });
    chmodSync(join(tree.path, "locked/x"), 0o555);
    chmodSync(join(tree.path, "locked"), 0o500);
    chmodSync(join(tree.path, "src"), 0o555);
    await workspace.close(tree);
    const again = await workspace.open(base);
    expect(existsSync(join(again.path, "locked"))).toBe(false);
    expect(lstatSync(join(again.path, "src")).mode & 0o700).toBe(0o700);
  });

  it("keeps the folder of a submodule empty", async () => {
    const repo = makeRepo(FILES);
    repo.git("update-index", "--add", "--cacheinfo", `160000,${repo.sha("HEAD")},vendor/sub`);
    repo.git("commit", "-qm", "submodule");
    const base = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    const tree = await workspace.open(base);
    expect(readdirSync(join(tree.path, "vendor/sub"))).toEqual([]);
    writeFiles(tree.path, { "vendor/sub/x": "x", "a.txt": "b\n" });
    const outcome = await workspace.commit(tree, commitSpec(base));
    expect(outcome).toMatchObject({ kind: "committed", files: ["a.txt"] });
    await workspace.close(tree);
    const again = await workspace.open(base);
    expect(readdirSync(join(again.path, "vendor/sub"))).toEqual([]);
  });

  it("empties no folder outside when an agent links the way to a submodule elsewhere", async () => {
    const repo = makeRepo(FILES);
    repo.git("update-index", "--add", "--cacheinfo", `160000,${repo.sha("HEAD")},vendor/sub`);
    repo.git("commit", "-qm", "submodule");
    const base = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    const outside = tempFolder();
    writeFiles(outside, { "sub/precious": "mine\n" });
    const tree = await workspace.open(base);
    rmSync(join(tree.path, "vendor"), { recursive: true });
    symlinkSync(outside, join(tree.path, "vendor"));
    await workspace.commit(tree, commitSpec(base));
    await workspace.close(tree);
    await workspace.open(base);
    expect(snapshot(outside)).toEqual({ "sub/": "", "sub/precious": "mine\n" });
  });
});

describe("an edit that keeps size and time of a file", () => {
  it("is committed", async () => {
    const repo = makeRepo(FILES);
    const base = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    const tree = await workspace.open(base);
    const file = join(tree.path, "a.txt");
    const { atime, mtime } = lstatSync(file);
    writeFileSync(file, "b\n");
    utimesSync(file, atime, mtime);
    const commit = await commitTree(workspace, tree, base);
    expect(await workspace.readFile(commit, "a.txt", 100)).toBe("b\n");
  });

  it("is undone when the slot is lent again, also when the file was replaced", async () => {
    const repo = makeRepo(FILES);
    const base = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    for (let round = 0; round < 5; round += 1) {
      const tree = await workspace.open(base);
      const file = join(tree.path, "a.txt");
      expect(readFileSync(file, "utf8")).toBe("a\n");
      const { atime, mtime } = lstatSync(file);
      if (round % 2 === 0) writeFileSync(file, "b\n");
      else {
        writeFileSync(`${file}.new`, "c\n");
        renameSync(`${file}.new`, file);
      }
      utimesSync(file, atime, mtime);
      await workspace.close(tree);
    }
  });
});

describe("after a restart", () => {
  it("a tree that was lent can be claimed with all that was in it", async () => {
    const repo = makeRepo(FILES);
    const base = repo.sha("HEAD");
    const bench = await makeBench(repo);
    const tree = await bench.workspace.open(base);
    writeFiles(tree.path, { "a.txt": "half done\n", "new.txt": "n\n", "x.log": "log\n" });
    const next = await bench.restart();
    const claimed = await next.reclaim(tree.path);
    expect(claimed).toEqual({ path: tree.path });
    expect(await next.reclaim(tree.path)).toBeNull();
    const commit = await commitTree(next, { path: tree.path }, base);
    expect(await next.changedFiles(base, commit)).toEqual(["a.txt", "new.txt"]);
    expect((await next.open(base)).path).not.toBe(tree.path);
  });

  it("tracked files that are ignored by now do not vanish from a tree whose index is torn", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "kept.log": "x\n" });
    repo.write({ ".gitignore": "*.log\n" });
    const base = repo.commit();
    const bench = await makeBench(repo);
    const tree = await bench.workspace.open(base);
    writeFiles(tree.path, { "a.txt": "b\n" });
    const indexes = indexesOf(repo);
    expect(indexes).toHaveLength(1);
    for (const index of indexes) writeFileSync(index, "torn");
    const next = await bench.restart();
    await next.reclaim(tree.path);
    const commit = await commitTree(next, tree, base);
    expect(await next.changedFiles(base, commit)).toEqual(["a.txt"]);
  });

  it("slots that nobody claims are lent again or removed", async () => {
    const repo = makeRepo(FILES);
    const base = repo.sha("HEAD");
    const bench = await makeBench(repo);
    const tree = await bench.workspace.open(base);
    writeFiles(tree.path, { "left.txt": "x" });
    const next = await bench.restart();
    const again = await next.open(base);
    expect(again.path).toBe(tree.path);
    expect(existsSync(join(again.path, "left.txt"))).toBe(false);
    await next.dispose();
    expect(existsSync(bench.treesRoot)).toBe(false);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("a tree that is no longer there, or never was one, can't be claimed", async () => {
    const bench = await makeBench(makeRepo(FILES));
    const tree = await bench.workspace.open(bench.repo.sha("HEAD"));
    rmSync(tree.path, { recursive: true });
    const next = await bench.restart();
    expect(await next.reclaim(tree.path)).toBeNull();
    expect(await next.reclaim(bench.repo.root)).toBeNull();
    expect(existsSync(join(bench.repo.root, ".git/worktrees/1"))).toBe(false);
    expect(indexesOf(bench.repo)).toEqual([]);
  });

  it("work trees of the person's own stay, also one whose folder is not there now", async () => {
    const bench = await makeBench(makeRepo(FILES));
    const theirs = join(tempFolder(), "theirs");
    bench.repo.git("worktree", "add", "-q", "--detach", theirs);
    renameSync(theirs, `${theirs}-unmounted`);
    await bench.workspace.open(bench.repo.sha("HEAD"));
    await bench.workspace.dispose();
    expect(readdirSync(join(bench.repo.root, ".git/worktrees"))).toEqual(["theirs"]);
  });
});

describe("fill", () => {
  it("lays other content over the base while the agent's git still compares with the base", async () => {
    const repo = makeRepo(FILES);
    const base = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    const first = await workspace.open(base);
    writeFiles(first.path, { "a.txt": "kept\n", "new.txt": "n\n" });
    rmSync(join(first.path, "src/two.ts"));
    const kept = await commitTree(workspace, first, base);
    await workspace.close(first);

    const tree = await workspace.open(base);
    writeFiles(tree.path, { "stray.txt": "x" });
    await workspace.fill(tree, kept);
    expect(git(tree.path, "rev-parse", "HEAD")).toBe(base);
    expect(
      git(tree.path, "status", "--porcelain")
        .split("\n")
        .map((line) => line.trim())
        .sort(),
    ).toEqual(["?? new.txt", "D src/two.ts", "M a.txt"]);
    expect(existsSync(join(tree.path, "stray.txt"))).toBe(false);
    const outcome = await workspace.commit(tree, commitSpec(base));
    expect(outcome).toMatchObject({ kind: "committed", files: ["a.txt", "new.txt", "src/two.ts"] });
    writeFiles(tree.path, { "a.txt": "a\n", "src/two.ts": "2\n" });
    rmSync(join(tree.path, "new.txt"));
    expect(await workspace.commit(tree, commitSpec(base))).toEqual({ kind: "unchanged" });
  });
});

describe("slots that nobody uses", () => {
  it("are removed after a while, never one that is lent", async () => {
    const repo = makeRepo();
    const { repoGit, treesRoot } = await makeBench(repo);
    let now = 0;
    const workspace = createGitWorkspace({ git: repoGit, treesRoot, now: () => now });
    const head = repo.git("rev-parse", "HEAD");
    const [lent, first, second] = [
      await workspace.open(head),
      await workspace.open(head),
      await workspace.open(head),
    ];
    await workspace.close(first);
    now = 1_000;
    await workspace.close(second);
    await workspace.removeUnused(1_000);
    expect([lent, first, second].map(({ path }) => existsSync(path))).toEqual([true, false, true]);
    expect(indexesOf(repo)).toHaveLength(2);
    // At once with somebody who borrows it.
    const [again] = await Promise.all([workspace.open(head), workspace.removeUnused(0)]);
    expect(existsSync(again.path)).toBe(true);
    expect(existsSync(lent.path)).toBe(true);
    await workspace.close(again);
    await workspace.close(lent);
    await workspace.removeUnused(0);
    expect(existsSync(treesRoot)).toBe(false);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
    const anew = await workspace.open(head);
    expect(git(anew.path, "status", "--porcelain")).toBe("");
  });

  it("are sought in Loom's own folder, not in one that a link in its place leads to", async () => {
    const repo = makeRepo();
    const { treesRoot, restart } = await makeBench(repo);
    const head = repo.git("rev-parse", "HEAD");
    const outside = tempFolder();
    writeFiles(outside, { "1/letter.txt": "Dear Ada\n" });
    for (const clear of [
      async (workspace: Workspace) => workspace.removeUnused(0),
      async (workspace: Workspace) => workspace.dispose(),
      async (workspace: Workspace) => {
        const tree = await workspace.open(head);
        expect(dirname(tree.path)).toBe(realpathSync(treesRoot));
        await workspace.dispose();
      },
    ]) {
      mkdirSync(dirname(treesRoot), { recursive: true });
      symlinkSync(outside, treesRoot);
      await clear(await restart());
      expect(lstatSync(treesRoot, { throwIfNoEntry: false })).toBeUndefined();
      expect(readFileSync(join(outside, "1", "letter.txt"), "utf8")).toBe("Dear Ada\n");
    }
  });

  it("of a process that was killed are found, and count from then on", async () => {
    const repo = makeRepo();
    const { repoGit, treesRoot, workspace: killed } = await makeBench(repo);
    const { path } = await killed.open(repo.git("rev-parse", "HEAD"));
    let now = 5_000;
    const workspace = createGitWorkspace({ git: repoGit, treesRoot, now: () => now });
    await workspace.removeUnused(1_000);
    expect(existsSync(path)).toBe(true);
    now = 6_000;
    await workspace.removeUnused(1_000);
    expect(existsSync(path)).toBe(false);
  });
});
