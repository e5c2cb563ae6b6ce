import { chmodSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Sha } from "../../../../src/core/ids.ts";
import type { TransplantOutcome } from "../../../../src/ports/workspace.ts";
import { commitFiles, commitTree, makeBench, makeRepo } from "../../../support/git-repo.ts";

const LINES = "1\n2\n3\n4\n5\n6\n7\n8\n";
const FILES = { "a.txt": LINES, "b.txt": "b\n", "dir/c.txt": LINES };

function cleanCommit(outcome: TransplantOutcome): Sha {
  if (outcome.kind !== "clean") throw new Error(`a conflict in ${outcome.files.join(", ")}`);
  return outcome.commit;
}

afterEach(() => {
  vi.useRealTimers();
});

describe("a transplant", () => {
  it("is the commit itself when it already stands where it should", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const base = repo.sha("HEAD");
    const commit = await commitFiles(workspace, base, { "a.txt": "x\n" });
    expect(await workspace.transplant(commit, base)).toEqual({ kind: "clean", commit });
  });

  it("joins changes of both sides and keeps message, author and time", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const base = repo.sha("HEAD");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2020, 1, 2, 3, 4, 5) });
    const commit = await commitFiles(
      workspace,
      base,
      { "a.txt": `zero\n${LINES}`, "mine.txt": "m\n" },
      { message: "Mine\n\nBody\n" },
    );
    repo.write({ "a.txt": `${LINES}nine\n`, "theirs.txt": "t\n" });
    const onto = repo.commit();
    const moved = cleanCommit(await workspace.transplant(commit, onto));
    expect(repo.sha(`${moved}^`)).toBe(onto);
    expect(await workspace.readFile(moved, "a.txt", 100)).toBe(`zero\n${LINES}nine\n`);
    expect(await workspace.changedFiles(onto, moved)).toEqual(["a.txt", "mine.txt"]);
    const format = "--format=%an %ae %ad%n%B";
    expect(repo.git("log", "-1", format, moved)).toBe(repo.git("log", "-1", format, commit));
    expect(repo.git("log", "-1", "--format=%at", moved)).toBe(String(Date.UTC(2020, 1, 2, 3, 4, 5) / 1000));
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(repo.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  it("gives the new commit a tree that can be opened", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const base = repo.sha("HEAD");
    const one = await commitFiles(workspace, base, { "new/one.txt": "1\n" });
    const two = await commitFiles(workspace, base, { "new/two.txt": "2\n", "b.txt": "B\n" });
    const moved = cleanCommit(await workspace.transplant(two, one));
    const tree = await workspace.open(moved);
    expect(repo.git("-C", tree.path, "status", "--porcelain")).toBe("");
    expect((await workspace.listFiles(moved)).sort()).toEqual(
      repo.git("ls-tree", "-r", "--name-only", moved).split("\n"),
    );
  });

  it("follows a renamed file and keeps a changed mode", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    renameSync(join(tree.path, "a.txt"), join(tree.path, "renamed.txt"));
    chmodSync(join(tree.path, "b.txt"), 0o755);
    const commit = await commitTree(workspace, tree, base);
    repo.write({ "a.txt": `${LINES}nine\n` });
    const onto = repo.commit();
    const moved = cleanCommit(await workspace.transplant(commit, onto));
    expect(await workspace.readFile(moved, "renamed.txt", 100)).toBe(`${LINES}nine\n`);
    expect(await workspace.readFile(moved, "a.txt", 100)).toBeNull();
    expect(repo.git("ls-tree", moved, "b.txt")).toMatch(/^100755 /);
  });

  it("shows a conflict as content on the new base, with both sides in the file", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const base = repo.sha("HEAD");
    const commit = await commitFiles(workspace, base, {
      "a.txt": LINES.replace("4", "mine"),
      "new.txt": "n\n",
    });
    repo.write({ "a.txt": LINES.replace("4", "theirs") });
    const onto = repo.commit();
    const outcome = await workspace.transplant(commit, onto);
    expect(outcome).toEqual({ kind: "conflict", files: ["a.txt"], content: expect.any(String) });
    if (outcome.kind !== "conflict") return;
    expect(repo.sha(`${outcome.content}^`)).toBe(onto);
    expect(await workspace.readFile(outcome.content, "new.txt", 100)).toBe("n\n");
    const tree = await workspace.open(onto);
    await workspace.fill(tree, outcome.content);
    const unresolved = await workspace.commit(tree, {
      base: onto,
      message: "m",
      protect: [],
      onForbidden: "refuse",
      allowEmpty: false,
      resolving: outcome.files,
    });
    expect(unresolved).toMatchObject({
      kind: "refused",
      findings: [{ rule: "conflict-markers", path: "a.txt" }],
    });
    const text = await workspace.readFile(outcome.content, "a.txt", 1000);
    expect(text).toMatch(/<<<<<<< [\s\S]*theirs[\s\S]*=======[\s\S]*mine[\s\S]*>>>>>>> /);
  });

  it("calls it a conflict when one side removed what the other changed", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    rmSync(join(tree.path, "dir/c.txt"));
    const commit = await commitTree(workspace, tree, base);
    repo.write({ "dir/c.txt": "other\n" });
    const onto = repo.commit();
    expect(await workspace.transplant(commit, onto)).toMatchObject({
      kind: "conflict",
      files: ["dir/c.txt"],
    });
  });

  it("is an empty commit when the target has the change already", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const base = repo.sha("HEAD");
    const commit = await commitFiles(workspace, base, { "a.txt": "x\n" });
    repo.write({ "a.txt": "x\n" });
    const same = repo.commit();
    const onSame = cleanCommit(await workspace.transplant(commit, same));
    expect(await workspace.changedFiles(same, onSame)).toEqual([]);

    // The commit itself is in the history, and later work went on from it.
    repo.git("reset", "-q", "--hard", commit);
    repo.write({ "a.txt": "y\n" });
    const later = repo.commit();
    const onLater = cleanCommit(await workspace.transplant(commit, later));
    expect(await workspace.readFile(onLater, "a.txt", 100)).toBe("y\n");
  });

  it("takes over only the commit's own change when the target was rewound past its parent", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const start = repo.sha("HEAD");
    const parent = await commitFiles(workspace, start, { "parent.txt": "p\n", "b.txt": "parent\n" });
    const commit = await commitFiles(workspace, parent, { "child.txt": "c\n" });
    const moved = cleanCommit(await workspace.transplant(commit, start));
    expect(await workspace.changedFiles(start, moved)).toEqual(["child.txt"]);
    expect(repo.sha(`${moved}^`)).toBe(start);
  });

  it("does not repeat its parent's change when the parent was squashed into the target", async () => {
    const { repo, workspace } = await makeBench(makeRepo(FILES));
    const start = repo.sha("HEAD");
    const parent = await commitFiles(workspace, start, { "a.txt": LINES.replace("1", "one") });
    const commit = await commitFiles(workspace, parent, {
      "a.txt": LINES.replace("1", "one").replace("2", "two"),
    });
    repo.write({ "a.txt": LINES.replace("1", "one").replace("8", "eight") });
    const squashed = repo.commit("squash");
    const moved = cleanCommit(await workspace.transplant(commit, squashed));
    expect(await workspace.readFile(moved, "a.txt", 100)).toBe(
      LINES.replace("1", "one").replace("2", "two").replace("8", "eight"),
    );
  });

  it("does not let a rename on the target carry a change to a protected path", async () => {
    const repo = makeRepo({ "ci/build.yml": LINES, "ci/other.yml": LINES.repeat(2) });
    const { workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const changed = await commitFiles(workspace, base, { "ci/build.yml": `${LINES}evil\n` });
    const added = await commitFiles(workspace, base, { "ci/new.yml": "evil\n" });
    repo.git("mv", "ci", ".github");
    const onto = repo.commit();
    expect(await workspace.transplant(changed, onto)).toMatchObject({
      kind: "conflict",
      files: [".github/build.yml"],
    });
    const moved = cleanCommit(await workspace.transplant(added, onto));
    expect(await workspace.changedFiles(onto, moved)).toEqual(["ci/new.yml"]);
  });

  it("works on a shallow clone and with SHA-256", async () => {
    const origin = makeRepo(FILES);
    origin.write({ "b.txt": "2\n" });
    origin.commit();
    const shallow = makeRepo({});
    shallow.git("fetch", "-q", "--depth=1", `file://${origin.root}`, "main:copy");
    shallow.git("checkout", "-q", "copy");
    const one = await makeBench(shallow);
    expect(one.repoGit.repository.shallow).toBe(true);
    const base = shallow.sha("HEAD");
    const first = await commitFiles(one.workspace, base, { "x.txt": "x\n" });
    const second = await commitFiles(one.workspace, base, { "y.txt": "y\n" });
    expect((await one.workspace.transplant(second, first)).kind).toBe("clean");

    const modern = makeRepo({});
    rmSync(join(modern.root, ".git"), { recursive: true });
    modern.git("init", "-q", "-b", "main", "--object-format=sha256");
    modern.git("config", "user.name", "p");
    modern.git("config", "user.email", "p@example.com");
    modern.write(FILES);
    const start = modern.commit();
    const two = await makeBench(modern);
    const third = await commitFiles(two.workspace, start, { "x.txt": "x\n" });
    const fourth = await commitFiles(
      two.workspace,
      start,
      { "y.txt": "y\n", "CLAUDE.md": "no\n" },
      { onForbidden: "strip" },
    );
    const moved = cleanCommit(await two.workspace.transplant(fourth, third));
    expect(moved).toHaveLength(64);
    expect(await two.workspace.changedFiles(start, moved)).toEqual(["x.txt", "y.txt"]);
  });
});
