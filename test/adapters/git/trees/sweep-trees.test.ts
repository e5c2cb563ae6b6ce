import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findTrees, removeTrees, treesName } from "../../../../src/adapters/git/trees/sweep-trees.ts";
import { createGitWorkspace } from "../../../../src/adapters/git/workspace.ts";
import { indexesOf, makeBench, makeRepo, tempFolder } from "../../../support/git-repo.ts";

/** A repository with one tree of one run in a cache, as a process leaves it that is killed. */
async function leftTree(root: string) {
  const repo = makeRepo();
  const { repoGit } = await makeBench(repo);
  const { commonDir } = repoGit.repository;
  const treesRoot = join(root, treesName(commonDir), "run-1");
  const workspace = createGitWorkspace({ git: repoGit, treesRoot });
  const tree = await workspace.open(repo.git("rev-parse", "HEAD"));
  return { repo, commonDir, tree, treesRoot };
}

describe("trees of other repositories", () => {
  it("are found with the repository that they belong to, and removed with what it knows of them", async () => {
    const root = join(tempFolder(), "trees");
    const { repo, commonDir, treesRoot } = await leftTree(root);
    expect(indexesOf(repo)).toHaveLength(1);
    const [found, ...others] = findTrees(root, "none");
    expect(others).toEqual([]);
    expect(found).toMatchObject({ path: treesRoot, name: "run-1", commonDir });
    expect(found?.usedAt).toBeGreaterThan(Date.now() - 60_000);
    if (found) await removeTrees(found);
    expect(readdirSync(root)).toEqual([]);
    expect(repo.git("worktree", "list").split("\n")).toHaveLength(1);
    expect(indexesOf(repo)).toEqual([]);
    expect(existsSync(join(commonDir, "HEAD"))).toBe(true);
  });

  it("of a repository that is gone belong to nobody", async () => {
    const root = join(tempFolder(), "trees");
    const { repo } = await leftTree(root);
    rmSync(repo.root, { recursive: true });
    const [found] = findTrees(root, "none");
    expect(found?.commonDir).toBeNull();
    if (found) await removeTrees(found);
    expect(readdirSync(root)).toEqual([]);
  });

  it("belong to no repository that an agent names", async () => {
    const root = join(tempFolder(), "trees");
    const { tree, commonDir } = await leftTree(root);
    const other = makeRepo();
    for (const pointer of [`${other.root}/.git/worktrees/1`, "/", `${commonDir}/worktrees/..`]) {
      writeFileSync(join(tree.path, ".git"), `gitdir: ${pointer}\n`);
      const [found] = findTrees(root, "none");
      expect(found?.commonDir ?? commonDir).toBe(commonDir);
    }
    const [found] = findTrees(root, "none");
    if (found) await removeTrees({ ...found, commonDir });
    expect(existsSync(join(commonDir, "config"))).toBe(true);
    expect(existsSync(join(other.root, ".git", "config"))).toBe(true);
  });

  it("are not what else people keep there", async () => {
    const root = join(tempFolder(), "trees");
    const { tree, treesRoot } = await leftTree(root);
    mkdirSync(join(root, "photos", "1"), { recursive: true });
    mkdirSync(join(root, "0123456789abcdef", "run-1", "notes"), { recursive: true });
    expect(findTrees(root, "none").map(({ path }) => path)).toEqual([treesRoot]);
    const [own = ""] = readdirSync(root).filter((name) => treesRoot.includes(name));
    expect(findTrees(root, own)).toEqual([]);
    renameSync(tree.path, join(treesRoot, "mine"));
    expect(findTrees(root, "none")).toEqual([]);
  });
});
