import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { git, makeBench, makeRepo, tempFolder } from "../../support/git-repo.ts";

const KEPT = new Set(["deps", "vendor"]);

/** A tree of the first commit, with leftovers in it, and a second commit to change to. */
async function aTree(next: Readonly<Record<string, string>>) {
  const repo = makeRepo({ "a.txt": "a\n", "lib/b.txt": "b\n", "old/c.txt": "c\n" });
  const { workspace } = await makeBench(repo);
  const first = repo.sha("HEAD");
  repo.git("rm", "-q", "-r", "old");
  repo.write(next);
  const second = repo.commit();
  const tree = await workspace.open(first);
  return {
    workspace,
    tree,
    first,
    second,
    path: (path: string) => join(tree.path, path),
    leave(path: string, text: string): void {
      mkdirSync(dirname(join(tree.path, path)), { recursive: true });
      writeFileSync(join(tree.path, path), text);
    },
    read: (path: string) => readFileSync(join(tree.path, path), "utf8"),
  };
}

describe("a tree that is opened anew", () => {
  it("holds the other commit, the folders that are kept, and nothing else", async () => {
    const { workspace, tree, second, leave, read, path } = await aTree({
      "a.txt": "A\n",
      "new/d.txt": "d\n",
    });
    for (const file of ["deps/x", "lib/deps/y/z", "dist/x", "lib/x", "old/x", "vendor/x"])
      leave(file, "left\n");
    leave("lib/b.txt", "changed by a build\n");
    await workspace.reopen(tree, second, KEPT);
    expect([read("a.txt"), read("lib/b.txt"), read("new/d.txt")]).toEqual(["A\n", "b\n", "d\n"]);
    expect([read("deps/x"), read("lib/deps/y/z"), read("vendor/x")]).toEqual(["left\n", "left\n", "left\n"]);
    expect(["dist", "lib/x", "old"].filter((one) => existsSync(path(one)))).toEqual([]);
    expect(git(tree.path, "rev-parse", "HEAD")).toBe(second);
  });

  it("keeps nothing unless it is told to", async () => {
    const { workspace, tree, second, leave, path } = await aTree({});
    leave("deps/x", "left\n");
    await workspace.reopen(tree, second);
    expect(existsSync(path("deps"))).toBe(false);
  });

  it("gives the commit's files the place of what was kept, and writes through no link", async () => {
    const files = ["deps/folder", "deps/file/x", "deps/link/x", "deps/dead", "vendor/in/link/x", "linked/x"];
    const { workspace, tree, second, leave, read, path } = await aTree(
      Object.fromEntries(files.map((file) => [file, "ours\n"])),
    );
    const outside = tempFolder();
    writeFileSync(join(outside, "x"), "theirs\n");
    leave("deps/folder/x", "left\n");
    leave("deps/file", "left\n");
    symlinkSync(outside, path("deps/link"));
    symlinkSync(join(outside, "dead"), path("deps/dead"));
    mkdirSync(path("vendor/in"), { recursive: true });
    symlinkSync(outside, path("vendor/in/link"));
    symlinkSync(outside, path("linked"));
    leave("deps/stays", "left\n");
    await workspace.reopen(tree, second, KEPT);
    expect(files.map(read)).toEqual(files.map(() => "ours\n"));
    expect(read("deps/stays")).toBe("left\n");
    expect(readFileSync(join(outside, "x"), "utf8")).toBe("theirs\n");
    expect(existsSync(join(outside, "dead"))).toBe(false);
    expect(lstatSync(path("deps/dead")).isSymbolicLink()).toBe(false);
  });

  it("does not keep a link by the name of a kept folder", async () => {
    const { workspace, tree, second, path } = await aTree({});
    symlinkSync(tempFolder(), path("deps"));
    await workspace.reopen(tree, second, KEPT);
    expect(lstatSync(path("deps"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("can be marked and set back with what was kept", async () => {
    const { workspace, tree, second, leave, read } = await aTree({});
    leave("deps/x", "left\n");
    await workspace.reopen(tree, second, KEPT);
    const mark = workspace.mark(tree, new Set());
    if (mark === null) throw new Error("the tree can't be looked at");
    leave("a.txt", "changed\n");
    expect(await workspace.setBack(tree, mark)).toBe("set-back");
    expect(read("a.txt")).toBe("a\n");
    leave("deps/x", "changed\n");
    expect(await workspace.setBack(tree, mark)).toBe("lost");
  });
});
