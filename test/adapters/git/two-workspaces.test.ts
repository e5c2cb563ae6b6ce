import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGitWorkspace } from "../../../src/adapters/git/workspace.ts";
import type { RepositoryGit } from "../../../src/ports/git.ts";
import { indexesOf, makeBench, makeRepo } from "../../support/git-repo.ts";

describe("one of two workspaces on the same repository", () => {
  it("can go at any moment of the other's, also just before its first files are laid out", async () => {
    const repo = makeRepo({ "a.txt": "a\n" });
    const base = repo.sha("HEAD");
    const { workspace: ending, repoGit, treesRoot } = await makeBench(repo);
    await ending.close(await ending.open(base));
    const git: RepositoryGit = {
      ...repoGit,
      async trusted(call, on) {
        if (call.command === "read-tree") await ending.dispose();
        return repoGit.trusted(call, on);
      },
    };
    const starting = createGitWorkspace({ git, treesRoot: join(dirname(treesRoot), "other") });
    const tree = await starting.open(base);
    expect(readdirSync(tree.path).sort()).toEqual([".git", "a.txt"]);
    expect(existsSync(treesRoot)).toBe(false);
    await starting.dispose();
    expect(readdirSync(join(repo.root, ".git/loom"))).toEqual(["git"]);
    expect(existsSync(dirname(treesRoot))).toBe(false);
  });

  it("takes its index along before git gives the number of its tree to the other", async () => {
    const repo = makeRepo();
    const { repoGit, treesRoot } = await makeBench(repo);
    const left: string[][] = [];
    const git: RepositoryGit = {
      ...repoGit,
      async refs(call, gitDir) {
        if (call.command === "worktree remove") left.push(indexesOf(repo));
        return repoGit.refs(call, gitDir);
      },
    };
    const workspace = createGitWorkspace({ git, treesRoot });
    await workspace.open(repo.sha("HEAD"));
    expect(indexesOf(repo)).toHaveLength(1);
    await workspace.dispose();
    expect(left).toEqual([[]]);
  });
});

it("a workspace that no tree was asked of can go where no tree can stand", async () => {
  const { repo, repoGit } = await makeBench();
  const workspace = createGitWorkspace({ git: repoGit, treesRoot: join(repo.root, "README.md", "trees") });
  expect(await workspace.listFiles(repo.sha("HEAD"))).toEqual(["README.md"]);
  await workspace.dispose();
});
