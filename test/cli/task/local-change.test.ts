import { describe, expect, it } from "vitest";
import { findLocalChange, findLocalState } from "../../../src/cli/task/local-change.ts";
import type { LookedAt } from "../../../src/core/report/commands/local-task-texts.ts";
import { openLocal } from "../../../src/wiring/local.ts";
import { makeRepo, type TestRepo } from "../../support/git-repo.ts";

async function looking<T>(
  repo: TestRepo,
  look: (local: Awaited<ReturnType<typeof openLocal>>) => Promise<T>,
): Promise<T> {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, LOOM_SANDBOX: "off" };
  const local = await openLocal({ cwd: repo.root, env, feed: () => {}, runsAgents: false });
  try {
    return await look(local);
  } finally {
    await local.close();
  }
}

const change = (repo: TestRepo, base: string | null = null): Promise<LookedAt> =>
  looking(repo, (local) => findLocalChange(local, base));

/** A branch with one commit beyond `main`. */
function onBranch(repo: TestRepo): { readonly from: string; readonly head: string } {
  const from = repo.sha("HEAD");
  repo.git("switch", "-q", "-c", "work");
  repo.write({ "b.txt": "b\n" });
  return { from, head: repo.commit() };
}

describe("what is looked at in a person's repository", () => {
  it("is what their branch has beyond the one it will go to", async () => {
    const repo = makeRepo();
    const { from, head } = onBranch(repo);
    expect(await change(repo)).toEqual({ commit: head, from, unsaved: false, untracked: 0 });
  });

  it("begins where the branch left, not where the other one is by now", async () => {
    const repo = makeRepo();
    const { from, head } = onBranch(repo);
    repo.git("switch", "-q", "main");
    repo.write({ "c.txt": "c\n" });
    repo.commit();
    repo.git("switch", "-q", "work");
    expect(await change(repo)).toMatchObject({ commit: head, from });
  });

  it("is all that is there when nothing was changed", async () => {
    const repo = makeRepo();
    expect(await change(repo)).toEqual({
      commit: repo.sha("HEAD"),
      from: null,
      unsaved: false,
      untracked: 0,
    });
  });

  it("holds what is not committed yet, and leaves the checkout, its index and its stashes alone", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "b.txt": "b\n" });
    const head = repo.sha("HEAD");
    repo.write({ "a.txt": "other\n", "b.txt": "staged\n", "new.txt": "unknown to git\n" });
    repo.git("add", "b.txt");
    const before = repo.git("status", "--porcelain");
    const { commit, ...found } = await change(repo);
    expect(found).toEqual({ from: head, unsaved: true, untracked: 1 });
    expect(repo.git("diff", "--name-only", head, commit).split("\n")).toEqual(["a.txt", "b.txt"]);
    expect(repo.git("show", `${commit}:a.txt`)).toBe("other");
    expect(repo.git("status", "--porcelain")).toBe(before);
    expect(repo.git("stash", "list")).toBe("");
    expect(repo.git("branch", "--all", "--contains", commit)).toBe("");
  });

  it("holds both, what the branch has and what is not committed yet", async () => {
    const repo = makeRepo();
    const { from } = onBranch(repo);
    repo.write({ "b.txt": "better\n" });
    const found = await change(repo);
    expect(found).toMatchObject({ from, unsaved: true });
    expect(repo.git("show", `${found.commit}:b.txt`)).toBe("better");
  });

  it("begins at what the person names", async () => {
    const repo = makeRepo();
    const { from, head } = onBranch(repo);
    repo.write({ "c.txt": "c\n" });
    const tip = repo.commit();
    expect(await change(repo, "HEAD~1")).toEqual({ commit: tip, from: head, unsaved: false, untracked: 0 });
    expect(await change(repo, "main")).toMatchObject({ from });
    expect(await change(repo, from.slice(0, 12))).toMatchObject({ from });
  });

  it("goes by what others have seen before it goes by the person's own main", async () => {
    const repo = makeRepo();
    const seen = repo.sha("HEAD");
    repo.git("update-ref", "refs/remotes/origin/main", seen);
    repo.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main");
    repo.write({ "c.txt": "c\n" });
    const tip = repo.commit();
    expect(await change(repo)).toEqual({ commit: tip, from: seen, unsaved: false, untracked: 0 });
  });

  it("knows a branch that is called master, and a repository that has neither", async () => {
    const repo = makeRepo();
    const { from, head } = onBranch(repo);
    repo.git("branch", "-m", "main", "master");
    expect(await change(repo)).toMatchObject({ commit: head, from });
    repo.git("branch", "-m", "master", "trunk");
    expect(await change(repo)).toMatchObject({ commit: head, from: null });
  });

  it("refuses a beginning that is no commit", async () => {
    const repo = makeRepo();
    onBranch(repo);
    const told: unknown[] = [];
    for (const base of ["nowhere", "--all", "", "main..HEAD", "HEAD:README.md", "a\nb"])
      told.push(
        await change(repo, base).catch(({ message, next, exitCode }) => `${exitCode}: ${message} ${next}`),
      );
    expect(told).toMatchInlineSnapshot(`
      [
        "2: There is no commit nowhere here. Name a branch or a commit of this repository with --base.",
        "2: There is no commit --all here. Name a branch or a commit of this repository with --base.",
        "2: There is no commit '' here. Name a branch or a commit of this repository with --base.",
        "2: There is no commit main..HEAD here. Name a branch or a commit of this repository with --base.",
        "2: There is no commit HEAD:README.md here. Name a branch or a commit of this repository with --base.",
        "2: There is no commit 'a b' here. Name a branch or a commit of this repository with --base.",
      ]
    `);
  });

  it("refuses a beginning that has nothing to do with the branch, or nothing behind it", async () => {
    const repo = makeRepo();
    await expect(change(repo, "main")).rejects.toThrowErrorMatchingInlineSnapshot(
      `[UserError: There is nothing to look at: all that is here is in main already.]`,
    );
    repo.git("switch", "-q", "--orphan", "other");
    repo.commit("another start");
    await expect(change(repo, "main")).rejects.toThrowErrorMatchingInlineSnapshot(
      `[UserError: main and this branch have no commit in common.]`,
    );
  });

  it("says what to do in a repository without a commit", async () => {
    const repo = makeRepo();
    repo.git("switch", "-q", "--orphan", "empty");
    await expect(change(repo)).rejects.toThrowErrorMatchingInlineSnapshot(
      `[UserError: This repository has no commit yet.]`,
    );
  });

  it("shows files as they are in the middle of a merge with conflicts, and leaves the merge as it is", async () => {
    const repo = makeRepo({ "a.txt": "a\n" });
    repo.git("switch", "-q", "-c", "work");
    repo.write({ "a.txt": "mine\n" });
    repo.commit();
    repo.git("switch", "-q", "main");
    repo.write({ "a.txt": "theirs\n" });
    repo.commit();
    repo.git("switch", "-q", "work");
    expect(() => repo.git("merge", "main")).toThrow();
    const { commit } = await change(repo);
    expect(repo.git("show", `${commit}:a.txt`)).toContain("<<<<<<<");
    expect(repo.git("status", "--porcelain")).toBe("UU a.txt");
  });

  it("is all that is there, unsaved work included, where no change is asked for", async () => {
    const repo = makeRepo();
    onBranch(repo);
    repo.write({ "b.txt": "better\n" });
    const { commit, ...found } = await looking(repo, findLocalState);
    expect(found).toEqual({ from: null, unsaved: true, untracked: 0 });
    expect(repo.git("show", `${commit}:b.txt`)).toBe("better");
  });
});
