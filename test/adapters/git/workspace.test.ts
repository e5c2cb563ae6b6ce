import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitFiles, commitSpec, git, makeBench, makeRepo, writeFiles } from "../../support/git-repo.ts";

describe("a work tree", () => {
  it("holds exactly the commit it was opened at, and the agent's git finds it clean", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "dir/b.txt": "b\n" });
    const { workspace } = await makeBench(repo);
    const tree = await workspace.open(repo.sha("HEAD"));
    expect(readdirSync(tree.path).sort()).toEqual([".git", "a.txt", "dir"]);
    expect(readFileSync(join(tree.path, "dir/b.txt"), "utf8")).toBe("b\n");
    expect(git(tree.path, "status", "--porcelain")).toBe("");
    expect(git(tree.path, "rev-parse", "HEAD")).toBe(repo.sha("HEAD"));
    expect(git(tree.path, "log", "--format=%s")).toBe("start");
  });

  it("is lent again and shows nothing of its last use", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "b.txt": "b\n", ".gitignore": "*.log\n" });
    const first = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    const tree = await workspace.open(first);
    writeFiles(tree.path, { "a.txt": "other\n", "new.txt": "n\n", "x.log": "log\n", "deep/er/file": "x" });
    await workspace.close(tree);
    repo.write({ "b.txt": "b2\n", "c.txt": "c\n" });
    const second = repo.commit();
    const again = await workspace.open(second);
    expect(again.path).toBe(tree.path);
    expect(readdirSync(again.path).sort()).toEqual([".git", ".gitignore", "a.txt", "b.txt", "c.txt"]);
    expect(readFileSync(join(again.path, "a.txt"), "utf8")).toBe("a\n");
    expect(readFileSync(join(again.path, "b.txt"), "utf8")).toBe("b2\n");
    expect(git(again.path, "status", "--porcelain", "--ignored")).toBe("");
  });

  it("becomes a commit with the files the agent left, whatever it did with git itself", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "gone.txt": "x\n" });
    const base = repo.sha("HEAD");
    const { workspace } = await makeBench(repo);
    const tree = await workspace.open(base);
    writeFiles(tree.path, { "a.txt": "changed\n", "sub/new.txt": "new\n" });
    git(tree.path, "rm", "-q", "gone.txt");
    git(tree.path, "-c", "user.name=x", "-c", "user.email=y", "commit", "-qam", "mine");
    const outcome = await workspace.commit(tree, commitSpec(base, { message: "Do it\n\nLoom-Run: r\n" }));
    expect(outcome).toEqual({
      kind: "committed",
      commit: expect.any(String),
      files: ["a.txt", "gone.txt", "sub/new.txt"],
    });
    if (outcome.kind !== "committed") return;
    expect(repo.git("rev-parse", `${outcome.commit}^`)).toBe(base);
    expect(repo.git("show", "-s", "--format=%an <%ae> %cn%n%B", outcome.commit)).toBe(
      "Pat Person <pat@example.com> Pat Person\nDo it\n\nLoom-Run: r",
    );
    expect(await workspace.listFiles(outcome.commit)).toEqual(["a.txt", "sub/new.txt"]);
  });

  it("says that nothing changed, or commits that when asked to", async () => {
    const { repo, workspace } = await makeBench();
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    expect(await workspace.commit(tree, commitSpec(base))).toEqual({ kind: "unchanged" });
    const empty = await workspace.commit(tree, commitSpec(base, { allowEmpty: true }));
    expect(empty).toMatchObject({ kind: "committed", files: [] });
  });

  it("disappears with everything about it when the workspace is disposed of", async () => {
    const { repo, workspace, treesRoot } = await makeBench();
    const base = repo.sha("HEAD");
    await Promise.all([workspace.open(base), workspace.open(base)]);
    await workspace.dispose();
    expect(existsSync(treesRoot)).toBe(false);
    expect(existsSync(join(repo.root, ".git/worktrees"))).toBe(false);
    expect(readdirSync(join(repo.root, ".git/loom"))).toEqual(["git"]);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
  });

  it("serves eight at the same time", async () => {
    const { repo, workspace } = await makeBench();
    const base = repo.sha("HEAD");
    const commits = await Promise.all(
      Array.from({ length: 8 }, (_, n) => commitFiles(workspace, base, { [`f${n}.txt`]: `${n}\n` })),
    );
    expect(new Set(commits).size).toBe(8);
    for (const [n, commit] of commits.entries()) {
      expect(await workspace.changedFiles(base, commit)).toEqual([`f${n}.txt`]);
    }
  });
});
