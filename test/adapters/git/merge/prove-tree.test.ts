import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ProvedFiles, proveTree } from "../../../../src/adapters/git/merge/prove-tree.ts";
import { objectName } from "../../../../src/adapters/git/objects/loose-object.ts";
import { createObjectReader } from "../../../../src/adapters/git/objects/object-reader.ts";
import { commitFiles, makeBench, makeRepo } from "../../../support/git-repo.ts";

const NOTHING: ProvedFiles = new Map();

async function aCleanTree() {
  const repo = makeRepo({ "a.txt": "same size\n", "dir/b.txt": "b\n", "run.sh": "#!/bin/sh\n" });
  chmodSync(join(repo.root, "run.sh"), 0o755);
  symlinkSync("a.txt", join(repo.root, "link"));
  const commit = repo.commit();
  const { repoGit, workspace } = await makeBench(repo);
  const tree = await workspace.open(commit);
  const listing = await createObjectReader(repoGit).listing(commit);
  const prove = (proved = NOTHING) => proveTree(tree.path, listing, proved, "sha1");
  return { path: (name: string) => join(tree.path, name), prove };
}

describe("the proof that a tree is clean", () => {
  it("takes files, programs and links as the commit has them", async () => {
    const { prove } = await aCleanTree();
    expect((await prove()).isClean).toBe(true);
  });

  it.each<[string, (path: (name: string) => string) => void]>([
    ["another content", (path) => writeFileSync(path("a.txt"), "other\n")],
    ["another content of the same size", (path) => writeFileSync(path("a.txt"), "sAme size\n")],
    ["a file more", (path) => writeFileSync(path("dir/new"), "")],
    ["a folder more", (path) => mkdirSync(path("dir/more/inside"), { recursive: true })],
    ["a file less", (path) => rmSync(path("dir/b.txt"))],
    ["a folder less", (path) => rmSync(path("dir"), { recursive: true })],
    ["a program less", (path) => chmodSync(path("run.sh"), 0o644)],
    ["a program more", (path) => chmodSync(path("a.txt"), 0o755)],
    [
      "a link elsewhere",
      (path) => {
        rmSync(path("link"));
        symlinkSync("b.txt", path("link"));
      },
    ],
    [
      "a link in the place of a file of that content",
      (path) => {
        rmSync(path("a.txt"));
        writeFileSync(path("../copy"), "same size\n");
        symlinkSync("../copy", path("a.txt"));
      },
    ],
    [
      "a link in the place of a folder",
      (path) => {
        rmSync(path("dir"), { recursive: true });
        mkdirSync(path("../dir"));
        writeFileSync(path("../dir/b.txt"), "b\n");
        symlinkSync("../dir", path("dir"));
      },
    ],
  ])("finds %s", async (_name, change) => {
    const { path, prove } = await aCleanTree();
    const { files } = await prove();
    change(path);
    expect((await prove(files)).isClean).toBe(false);
    expect((await prove()).isClean).toBe(false);
  });

  it("is not taken in by a time of change that a program has set", async () => {
    const { path, prove } = await aCleanTree();
    const { mode, ino, size, mtimeNs, ctimeNs } = lstatSync(path("a.txt"), { bigint: true });
    const sha = objectName("sha1", "blob", Buffer.from("same size\n"));
    // As if it had been proved long ago.
    const proved = new Map([["a.txt", { sha, stamp: `${mode} ${ino} ${size} ${mtimeNs} ${ctimeNs}` }]]);
    expect((await prove(proved)).isClean).toBe(true);
    const { atime, mtime } = lstatSync(path("a.txt"));
    writeFileSync(path("a.txt"), "sAme size\n");
    utimesSync(path("a.txt"), atime, mtime);
    expect((await prove(proved)).isClean).toBe(false);
  });

  it("reads a file again that was changed a moment before", async () => {
    const { path, prove } = await aCleanTree();
    writeFileSync(path("a.txt"), "same size\n");
    const { isClean, files } = await prove();
    expect(isClean).toBe(true);
    expect(files.has("a.txt")).toBe(false);
  });
});

describe("work that is stored without git", () => {
  const made = { "new.txt": "new\n", "dir/b.txt": "changed\n", "dir/Zoë 2": "x\n" };

  it("is what git would have stored", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "dir/b.txt": "b\n" });
    const { workspace, calls } = await makeBench(repo);
    const commit = await commitFiles(workspace, repo.sha("HEAD"), made);
    expect(calls.filter(({ args }) => args[0] === "update-index")).toEqual([]);
    repo.write(made);
    expect(repo.sha(`${commit}^{tree}`)).toBe(repo.sha(`${repo.commit()}^{tree}`));
  });

  it.each([
    ["attributes convert line ends", { ".gitattributes": "*.txt text\n" }, {}],
    ["a setting does", {}, { "core.autocrlf": "input" }],
  ])("is left to git where %s", async (_name, files, settings) => {
    const repo = makeRepo({ "a.txt": "a\n", ...files });
    for (const [key, value] of Object.entries(settings)) repo.git("config", key, value);
    const { workspace, calls } = await makeBench(repo);
    const commit = await commitFiles(workspace, repo.sha("HEAD"), { "new.txt": "one\r\ntwo\r\n" });
    expect(calls.filter(({ args }) => args[0] === "update-index")).toHaveLength(1);
    expect(repo.git("show", `${commit}:new.txt`)).toBe("one\ntwo");
  });

  it("holds all of it again when a second commit is made of the same tree", async () => {
    const repo = makeRepo({ "a.txt": "a\n" });
    const { workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    writeFileSync(join(tree.path, "new.txt"), "new\n");
    writeFileSync(join(tree.path, ".gitattributes"), "*.txt text\n");
    const spec = { base, message: "m\n", protect: [], onForbidden: "strip", allowEmpty: false } as const;
    const first = await workspace.commit(tree, spec);
    rmSync(join(tree.path, ".gitattributes"));
    const second = await workspace.commit(tree, spec);
    expect([first, second]).toMatchObject([
      { kind: "committed", files: [".gitattributes", "new.txt"] },
      { kind: "committed", files: ["new.txt"] },
    ]);
  });
});
