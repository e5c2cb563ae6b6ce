import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findUnsavedWork } from "../../../src/adapters/local/unsaved-work.ts";
import { makeBench, makeRepo } from "../../support/git-repo.ts";

describe("what is not committed yet", () => {
  it("is nothing in a fresh checkout", async () => {
    const { repoGit } = await makeBench();
    expect(await findUnsavedWork(repoGit)).toEqual({ commit: null, untracked: 0 });
  });

  it("is all that is changed in files that git knows, and touches neither them nor the index", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n", ".gitignore": "ignored\n" });
    repo.write({ "a.txt": "a2\n", "new.txt": "new\n", "meant.txt": "meant\n", ignored: "x\n" });
    repo.git("rm", "-q", "--cached", "b.txt");
    repo.git("add", "new.txt");
    repo.write({ "new.txt": "newer\n" });
    repo.git("add", "-N", "meant.txt");
    mkdirSync(join(repo.root, "folder"));
    repo.write({ "folder/one.txt": "1\n", "folder/two.txt": "2\n" });
    const { repoGit } = await makeBench(repo);
    const before = [repo.git("status", "--porcelain"), repo.git("diff"), repo.git("diff", "--cached")];
    const { commit, untracked } = await findUnsavedWork(repoGit);
    // `b.txt`, which git was told to forget, and the folder.
    expect(untracked).toBe(2);
    expect(repo.git("diff", "--name-status", "HEAD", commit ?? "")).toBe(
      "M\ta.txt\nD\tb.txt\nA\tmeant.txt\nA\tnew.txt",
    );
    expect(repo.git("show", `${commit}:new.txt`)).toBe("newer");
    expect(repo.sha(`${commit}^`)).toBe(repo.sha("HEAD"));
    expect([repo.git("status", "--porcelain"), repo.git("diff"), repo.git("diff", "--cached")]).toEqual(
      before,
    );
    expect(await findUnsavedWork(repoGit)).toEqual({ commit, untracked });
    expect(repo.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  it("holds a change that is as old as the index", async () => {
    const repo = makeRepo({ "a.txt": "one\n" });
    repo.write({ "a.txt": "two\n" });
    const { repoGit } = await makeBench(repo);
    const { commit } = await findUnsavedWork(repoGit);
    expect(repo.git("show", `${commit}:a.txt`)).toBe("two");
  });

  it("holds the markers of a merge that stopped half-way", async () => {
    const repo = makeRepo({ "a.txt": "base\n" });
    repo.git("checkout", "-q", "-b", "other");
    repo.write({ "a.txt": "theirs\n" });
    repo.commit("theirs");
    repo.git("checkout", "-q", "main");
    repo.write({ "a.txt": "ours\n" });
    repo.commit("ours");
    expect(() => repo.git("merge", "-q", "other")).toThrow();
    const { repoGit } = await makeBench(repo);
    const { commit } = await findUnsavedWork(repoGit);
    expect(repo.git("show", `${commit}:a.txt`)).toContain("<<<<<<<");
    expect(repo.git("status", "--porcelain")).toBe("UU a.txt");
  });
});
