import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createBareRepository } from "../../playground/git/bare-repository.ts";
import { createModelGit } from "../../playground/git/model-git.ts";
import { commitFiles } from "../../playground/git/objects/commit-files.ts";

const git = createModelGit();
const ANN = { name: "Ann", email: "ann@example.com" };
const LOOM = { name: "Loom", email: "loom@example.com", at: Date.UTC(2026, 0, 2) };
const NOTES = "one\ntwo\nthree\nfour\nfive\n";

let root: string;
let repo: string;
let main: string;
let count = 0;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "playground-git-"));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));
beforeEach(async () => {
  count += 1;
  repo = join(root, `r${count}.git`);
  main = await createBareRepository(repo, { "notes.txt": NOTES, "src/a.ts": "a\n" });
});

const on = (
  branch: string,
  files: Record<string, string | null>,
  from = "main",
  message = `Change ${branch}`,
) => commitFiles(repo, branch, files, { author: ANN, message, from, at: Date.UTC(2026, 0, 1) });
const show = async (sha: string, path: string): Promise<string | null> => {
  const entry = await git.entry(repo, sha, path);
  if (entry?.kind !== "file") return null;
  return Buffer.from((await git.blob(repo, entry.sha)) ?? []).toString();
};

describe("a bare repository", () => {
  it("starts with one commit and is sound", async () => {
    expect(await git.tip(repo, "main")).toBe(main);
    expect((await git.commit(repo, main))?.message).toBe("Initial commit");
    expect(execFileSync("git", ["--git-dir", repo, "fsck", "--strict"], { encoding: "utf8" })).toBe("");
  });

  it("is left alone when it is made twice", async () => {
    await git.createBare(repo, "other");
    expect(await git.tip(repo, "main")).toBe(main);
  });

  it("leaves no ref behind when files are committed without a branch", async () => {
    const sha = await git.commitFiles(repo, {
      parent: main,
      files: { "notes.txt": null, 'odd "name"\\': "x" },
      message: "M",
      author: LOOM,
    });
    expect((await git.refs(repo, "refs/")).map(({ ref }) => ref)).toEqual(["refs/heads/main"]);
    expect((await git.changedFiles(repo, main, sha)).map(({ path, status }) => `${status} ${path}`)).toEqual([
      "removed notes.txt",
      'added odd "name"\\',
    ]);
    expect(await git.commit(repo, sha)).toMatchObject({ parents: [main], author: LOOM, message: "M" });
  });
});

describe("names", () => {
  it("find branches first, then tags, then commits, also by a short id", async () => {
    const topic = await on("topic", { "b.txt": "b" });
    await git.updateRef(repo, "refs/tags/topic", main);
    expect(await git.resolve(repo, "topic")).toBe(topic);
    expect(await git.resolve(repo, "refs/tags/topic")).toBe(main);
    expect(await git.resolve(repo, topic.slice(0, 9))).toBe(topic);
    expect(await git.resolve(repo, "HEAD")).toBe(main);
  });

  it.each(["--all", "-x", "", "main~1", "a..b", "nothing", "a\nmain", "main:notes.txt"])(
    "do not find %j",
    async (name) => {
      expect(await git.resolve(repo, name)).toBeNull();
      expect(await git.entry(repo, name, "")).toBeNull();
    },
  );

  it("are never read as options by other commands", async () => {
    await expect(git.diff(repo, null, "--output=/dev/null")).rejects.toThrow("as a revision");
    await expect(git.mergeBase(repo, "--all", main)).rejects.toThrow("as a revision");
  });
});

describe("refs", () => {
  it("change only from what was expected", async () => {
    const next = await git.commitFiles(repo, { parent: main, files: { x: "1" }, message: "x", author: LOOM });
    expect(await git.updateRef(repo, "refs/heads/new", main, null)).toBe(true);
    expect(await git.updateRef(repo, "refs/heads/new", next, null)).toBe(false);
    expect(await git.updateRef(repo, "refs/heads/new", next, next)).toBe(false);
    expect(await git.updateRef(repo, "refs/heads/new/below", next, null)).toBe(false);
    expect(await git.updateRef(repo, "refs/heads/new", next, main)).toBe(true);
    expect(await git.updateRef(repo, "refs/heads/new", null, main)).toBe(false);
    expect(await git.updateRef(repo, "refs/heads/new", null, next)).toBe(true);
    expect(await git.updateRef(repo, "refs/heads/new", null, null)).toBe(true);
    expect(await git.tip(repo, "new")).toBeNull();
  });

  it("are listed by a prefix that may end inside a name", async () => {
    for (const ref of ["loom/a/1", "loom/ab/2", "lo"])
      await git.updateRef(repo, `refs/heads/${ref}`, main, null);
    expect((await git.refs(repo, "refs/heads/loom/a")).map(({ ref }) => ref)).toEqual([
      "refs/heads/loom/a/1",
      "refs/heads/loom/ab/2",
    ]);
  });

  it("have one winner when twenty move the same branch", async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        git.commitFiles(repo, { parent: main, files: { x: `${n}` }, message: "x", author: LOOM }),
      ),
    );
    const won = await Promise.all(made.map((sha) => git.updateRef(repo, "refs/heads/main", sha, main)));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect(await git.tip(repo, "main")).toBe(made[won.indexOf(true)]);
  });
});

describe("merging", () => {
  it("makes a commit with two parents even where it could fast-forward", async () => {
    const head = await on("topic", { "b.txt": "b" });
    const merged = await git.merge(repo, {
      method: "merge",
      base: main,
      head,
      message: "Merge it",
      author: LOOM,
    });
    if (merged.kind !== "merged") throw new Error("conflict");
    expect(await git.commit(repo, merged.sha)).toMatchObject({
      parents: [main, head],
      message: "Merge it",
      author: LOOM,
    });
    expect(await show(merged.sha, "b.txt")).toBe("b");
    expect(await git.tip(repo, "main")).toBe(main);
  });

  it("squashes both sides' changes into one commit on the base", async () => {
    await on("topic", { "notes.txt": NOTES.replace("five", "FIVE") });
    const head = await on("topic", { "b.txt": "b" });
    const base = await on("main", { "notes.txt": NOTES.replace("one", "ONE") });
    const merged = await git.merge(repo, { method: "squash", base, head, message: "All", author: LOOM });
    if (merged.kind !== "merged") throw new Error("conflict");
    expect((await git.commit(repo, merged.sha))?.parents).toEqual([base]);
    expect(await show(merged.sha, "notes.txt")).toBe("ONE\ntwo\nthree\nfour\nFIVE\n");
    expect(await show(merged.sha, "b.txt")).toBe("b");
  });

  it("replays commits with their authors and messages, without merges and without what is in the base already", async () => {
    await on("topic", { "b.txt": "b" }, "main", "Add b\n\nWith a reason");
    const first = await on("topic", { "c.txt": "c" }, "main", "Add c");
    const base = await on("main", { "c.txt": "c" }, "main", "Add c, too");
    const merge = await git.merge(repo, {
      method: "merge",
      base: first,
      head: base,
      message: "Update",
      author: LOOM,
    });
    if (merge.kind !== "merged") throw new Error("conflict");
    await git.updateRef(repo, "refs/heads/topic", merge.sha);
    const head = await on("topic", { "notes.txt": "new\n" }, "main", "Rewrite notes");
    const merged = await git.merge(repo, { method: "rebase", base, head, message: "", author: LOOM });
    if (merged.kind !== "merged") throw new Error("conflict");
    const replayed = await git.commits(repo, { from: base, to: merged.sha });
    expect(replayed.map(({ message }) => message)).toEqual(["Rewrite notes", "Add b\n\nWith a reason"]);
    expect(replayed[0]).toMatchObject({ author: ANN, committer: LOOM });
    expect((await git.commit(repo, merged.sha))?.tree).toBe((await git.commit(repo, head))?.tree);
  });

  it("gives new commits when it rebases what could fast-forward", async () => {
    const head = await on("topic", { "b.txt": "b" });
    const merged = await git.merge(repo, { method: "rebase", base: main, head, message: "", author: LOOM });
    expect(merged).toMatchObject({ kind: "merged" });
    expect(merged).not.toMatchObject({ sha: head });
  });

  it.each(["merge", "squash", "rebase"] as const)("reports a conflict (%s)", async (method) => {
    const head = await on("topic", { "notes.txt": "theirs\n" });
    const base = await on("main", { "notes.txt": "ours\n" });
    expect(await git.conflicts(repo, base, head)).toBe(true);
    expect(await git.merge(repo, { method, base, head, message: "m", author: LOOM })).toEqual({
      kind: "conflict",
    });
  });

  it("takes histories without a common commit as a conflict, and can still replay them", async () => {
    const head = await git.commitFiles(repo, {
      parent: null,
      files: { "z.txt": "z" },
      message: "Root",
      author: LOOM,
    });
    expect(await git.conflicts(repo, main, head)).toBe(true);
    const merged = await git.merge(repo, { method: "rebase", base: main, head, message: "", author: LOOM });
    if (merged.kind !== "merged") throw new Error("conflict");
    expect(await show(merged.sha, "z.txt")).toBe("z");
    expect(await show(merged.sha, "notes.txt")).toBe(NOTES);
  });
});

describe("history and differences", () => {
  it("tell ancestors and merge bases", async () => {
    const head = await on("topic", { "b.txt": "b" });
    const base = await on("main", { "c.txt": "c" });
    expect(await git.isAncestor(repo, main, head)).toBe(true);
    expect(await git.isAncestor(repo, base, head)).toBe(false);
    expect(await git.isAncestor(repo, "0".repeat(40), head)).toBe(false);
    expect(await git.mergeBase(repo, base, head)).toBe(main);
  });

  it("list commits newest first, by range, path and number", async () => {
    const b = await on("topic", { "b.txt": "b" });
    const c = await on("topic", { "src/a.ts": "c" });
    const shas = async (range: Parameters<typeof git.commits>[1]) =>
      (await git.commits(repo, range)).map(({ sha }) => sha);
    expect(await shas({ to: "topic" })).toEqual([c, b, main]);
    expect(await shas({ from: main, to: c })).toEqual([c, b]);
    expect(await shas({ to: c, path: "src" })).toEqual([c, main]);
    expect(await shas({ to: c, limit: 1 })).toEqual([c]);
    expect(await git.commit(repo, "f".repeat(40))).toBeNull();
  });

  it("count lines, find renames and give the hunks", async () => {
    const long = "a\nb\nc\nd\ne\nf\ng\nh\n";
    const before = await on("topic", { "long.txt": long, "bin.dat": "a\0b", link: "plain" });
    const after = await commitFiles(
      repo,
      "topic",
      {
        "long.txt": null,
        "moved.txt": `${long}i\n`,
        "bin.dat": "a\0c",
        "notes.txt": "diff --git a/x b/x\n",
        link: { mode: "120000", text: "notes.txt" },
      },
      { author: ANN, message: "Move" },
    );
    const files = await git.changedFiles(repo, before, after);
    expect(
      files.map(({ path, previousPath, status, additions, deletions }) => [
        status,
        previousPath,
        path,
        additions,
        deletions,
      ]),
    ).toEqual([
      ["modified", null, "bin.dat", 0, 0],
      ["modified", null, "link", 1, 1],
      ["renamed", "long.txt", "moved.txt", 1, 0],
      ["modified", null, "notes.txt", 1, 5],
    ]);
    expect(files.map(({ patch }) => patch)).toMatchInlineSnapshot(`
      [
        null,
        "@@ -1 +0,0 @@
      -plain
      \\ No newline at end of file
      @@ -0,0 +1 @@
      +notes.txt
      \\ No newline at end of file",
        "@@ -6,3 +6,4 @@ e
       f
       g
       h
      +i",
        "@@ -1,5 +1 @@
      -one
      -two
      -three
      -four
      -five
      +diff --git a/x b/x",
      ]
    `);
    expect(await git.diff(repo, before, after)).toContain("rename from long.txt\nrename to moved.txt");
    expect((await git.changedFiles(repo, null, main)).map(({ status, path }) => `${status} ${path}`)).toEqual(
      ["added notes.txt", "added src/a.ts"],
    );
  });
});

describe("contents", () => {
  it("show files, folders, links and nothing", async () => {
    await commitFiles(
      repo,
      "main",
      { "-odd/--x": "y", link: { mode: "120000", text: "src" }, run: { mode: "100755", text: "#!" } },
      { author: ANN, message: "m" },
    );
    expect(await git.entry(repo, "main", "src/a.ts")).toMatchObject({
      kind: "file",
      path: "src/a.ts",
      size: 2,
      mode: "100644",
    });
    expect(await git.entry(repo, "main", "-odd/--x")).toMatchObject({ kind: "file", size: 1 });
    expect(await git.entry(repo, "main", "link")).toMatchObject({ kind: "symlink" });
    expect(await git.entry(repo, "main", "src")).toMatchObject({
      kind: "folder",
      entries: [{ kind: "file", name: "a.ts", path: "src/a.ts" }],
    });
    const top = await git.entry(repo, "main", "");
    expect(top?.kind === "folder" && top.entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      "folder -odd",
      "symlink link",
      "file notes.txt",
      "file run",
      "folder src",
    ]);
    expect(await git.entry(repo, "main", "src/none")).toBeNull();
    expect(await git.entry(repo, "main", "../x")).toBeNull();
  });

  it("come from a fork without making a ref", async () => {
    const fork = join(root, `fork${count}.git`);
    await git.createBare(fork, "main");
    await git.fetchFrom(fork, repo, main);
    await git.updateRef(fork, "refs/heads/main", main, null);
    const theirs = await commitFiles(fork, "main", { "b.txt": "b" }, { author: ANN, message: "b" });
    await git.fetchFrom(repo, fork, theirs);
    expect(await git.isAncestor(repo, main, theirs)).toBe(true);
    expect((await git.refs(repo, "refs/")).map(({ ref }) => ref)).toEqual(["refs/heads/main"]);
  });
});

describe("what was asked before", () => {
  it("is known without git, for commits that have not moved", async () => {
    const head = await on("work", { "notes.txt": "other\n" });
    const ask = () =>
      Promise.all([
        git.commit(repo, head),
        git.commits(repo, { from: main, to: head }),
        git.changedFiles(repo, main, head),
        git.mergeBase(repo, main, head),
        git.isAncestor(repo, main, head),
        git.diff(repo, main, head),
        git.conflicts(repo, main, head),
      ]);
    const first = await ask();
    rmSync(repo, { recursive: true });
    expect(await ask()).toEqual(first);
  });

  it("is asked again where it can become another: of branches, and of commits that come later", async () => {
    const fork = join(root, `f${count}.git`);
    await createBareRepository(fork, { "notes.txt": NOTES });
    const later = await commitFiles(fork, "work", { "a.txt": "a\n" }, { author: ANN, message: "Later" });
    const ask = () =>
      Promise.all([
        git.commit(repo, later),
        git.mergeBase(repo, later, later),
        git.isAncestor(repo, later, later),
        git.commits(repo, { to: "work", limit: 1 }).catch(() => null),
        git.changedFiles(repo, null, later).catch(() => null),
      ]);
    expect(await ask()).toEqual([null, null, false, null, null]);
    await git.fetchFrom(repo, fork, later);
    await git.updateRef(repo, "refs/heads/work", later);
    expect(await ask()).toMatchObject([{ sha: later }, later, true, [{ sha: later }], [{ path: "a.txt" }]]);
    const newest = await on("work", { "b.txt": "b\n" }, "work");
    expect(await git.commits(repo, { to: "work", limit: 1 })).toMatchObject([{ sha: newest }]);
  });
});
