import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGit } from "../../../src/adapters/git/run/git.ts";
import { createRepositoryGit } from "../../../src/adapters/git/run/repository-git.ts";
import { assertCheckoutClean } from "../../../src/adapters/local/checkout-state.ts";
import { openRepository } from "../../../src/adapters/local/open-repository.ts";
import { findTarget, resolveTarget } from "../../../src/adapters/local/resolve-target.ts";
import type { UserError } from "../../../src/core/errors.ts";
import type { RepositoryGit } from "../../../src/ports/git.ts";
import { git, makeRepo, tempFolder, useEmptyHome, writeFiles } from "../../support/git-repo.ts";

const program = createGit();
const open = (cwd: string) => openRepository(program, cwd);
const openGit = async (cwd: string): Promise<RepositoryGit> => createRepositoryGit(program, await open(cwd));

/** What a person reads when it can't be done. */
async function complaint(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (reason: UserError) => reason,
  );
  if (error?.name !== "UserError") throw error ?? new Error("no complaint");
  return error.next === null ? error.message : `${error.message} ${error.next}`;
}

describe("opening a repository", () => {
  it("finds it from any folder inside", async () => {
    const repo = makeRepo({ "src/deep/x": "x\n" });
    expect(await open(join(repo.root, "src/deep"))).toEqual({
      root: repo.root,
      gitDir: join(repo.root, ".git"),
      commonDir: join(repo.root, ".git"),
      objectsDir: join(repo.root, ".git/objects"),
      currentBranch: "main",
      headSha: repo.sha("HEAD"),
      objectFormat: "sha1",
      refFormat: "files",
      refLog: "branches",
      shared: false,
      shallow: false,
      identity: { name: "Pat Person", email: "pat@example.com" },
      fileSettings: { filemode: "true" },
      ignoreFiles: [join(process.env.HOME ?? "", ".config/git/ignore"), join(repo.root, ".git/info/exclude")],
    });
  });

  it("tells apart the git directory of a linked work tree and the common one", async () => {
    const repo = makeRepo();
    const linked = join(tempFolder(), "linked");
    repo.git("worktree", "add", "-q", "-b", "side", linked);
    expect(await open(linked)).toMatchObject({
      root: linked,
      gitDir: join(repo.root, ".git/worktrees/linked"),
      commonDir: join(repo.root, ".git"),
      currentBranch: "side",
    });
  });

  it("takes a bare one", async () => {
    const repo = makeRepo();
    const bare = join(tempFolder(), "bare.git");
    git(repo.root, "clone", "-q", "--bare", repo.root, bare);
    expect(await open(bare)).toMatchObject({ root: null, commonDir: bare, currentBranch: "main" });
  });

  it("sees a detached HEAD and a repository without a commit", async () => {
    const repo = makeRepo();
    repo.git("checkout", "-q", "--detach");
    expect(await open(repo.root)).toMatchObject({ currentBranch: null, headSha: repo.sha("HEAD") });
    const fresh = tempFolder();
    git(fresh, "init", "-q", "-b", "trunk");
    expect(await open(fresh)).toMatchObject({ currentBranch: "trunk", headSha: null, identity: null });
  });

  it("reads name, ignore file and line endings from the person's settings, and nothing odd", async () => {
    const repo = makeRepo();
    repo.git("config", "--unset", "user.name");
    repo.git("config", "core.eol", "lf\n[filter]");
    writeFiles(process.env.HOME ?? "", {
      ".gitconfig": "[user]\n\tname = Global\n[core]\n\tautocrlf = input\n\texcludesFile = ~/never\n",
    });
    expect(await open(repo.root)).toMatchObject({
      identity: { name: "Global", email: "pat@example.com" },
      fileSettings: { filemode: "true", autocrlf: "input" },
      ignoreFiles: [join(process.env.HOME ?? "", "never"), expect.any(String)],
    });
  });

  it("explains what is missing", async () => {
    useEmptyHome();
    const folder = tempFolder();
    expect(await complaint(open(folder))).toBe(
      `${folder} is not in a git repository. Change to your repository, or make one with \`git init\` and a first commit.`,
    );
    expect(await complaint(open(join(folder, "none")))).toBe(`There is no folder ${join(folder, "none")}.`);
    const repo = makeRepo();
    expect(await complaint(open(join(repo.root, ".git")))).toContain("is inside a git directory");
    repo.git("config", "remote.origin.promisor", "true");
    expect(await complaint(open(repo.root))).toContain("is a partial clone");
  });

  it("asks for a newer git", async () => {
    const repo = makeRepo();
    const bin = join(tempFolder(), "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.37.9\n");
    chmodSync(join(bin, "git"), 0o755);
    const old = createGit({ env: { PATH: bin } });
    expect(await complaint(openRepository(old, repo.root))).toBe(
      "Loom needs git 2.38 or newer; this is git version 2.37.9. Install a newer git (https://git-scm.com) and try again.",
    );
  });

  it("follows links to where the repository really is", async () => {
    const repo = makeRepo();
    expect((await open(realpathSync(repo.root))).commonDir).toBe(join(repo.root, ".git"));
  });
});

describe("the target", () => {
  it("is the current branch unless another one is named", async () => {
    const repo = makeRepo();
    repo.git("branch", "other");
    const opened = await openGit(repo.root);
    const tip = repo.sha("HEAD");
    expect(await resolveTarget(opened, null)).toEqual({ branch: "main", tip, created: false });
    expect(await resolveTarget(opened, "other")).toEqual({ branch: "other", tip, created: false });
  });

  it("is made at HEAD when it does not exist", async () => {
    const repo = makeRepo();
    const opened = await openGit(repo.root);
    expect(await resolveTarget(opened, "new/one")).toEqual({
      branch: "new/one",
      tip: repo.sha("HEAD"),
      created: true,
    });
    expect(repo.sha("new/one")).toBe(repo.sha("HEAD"));
    expect(await complaint(resolveTarget(opened, "new/one/more"))).toContain("can't be made");
  });

  it("can be asked about before it is made", async () => {
    const repo = makeRepo();
    const opened = await openGit(repo.root);
    const tip = repo.sha("HEAD");
    expect(await findTarget(opened, null)).toEqual({ branch: "main", tip, isNew: false });
    expect(await findTarget(opened, "new/one")).toEqual({ branch: "new/one", tip, isNew: true });
    expect(await complaint(findTarget(opened, "main/one"))).toContain(
      "`main/one` can't be made: cannot lock",
    );
    expect(repo.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });

  it("must be known and have a commit", async () => {
    const repo = makeRepo();
    repo.git("checkout", "-q", "--detach");
    expect(await complaint(resolveTarget(await openGit(repo.root), null))).toBe(
      "HEAD is detached, so it is not clear which branch to merge into. Check out a branch, or name one with --into.",
    );
    const fresh = tempFolder();
    git(fresh, "init", "-q", "-b", "trunk");
    expect(await complaint(resolveTarget(await openGit(fresh), null))).toContain("has no commit yet");
  });

  it.each([
    "-x",
    "--all",
    "a..b",
    "x.lock",
    "a b",
    "",
    "HEAD",
    "a\0b",
    "x\ny",
    "../x",
    "@{-1}",
    "ext::sh",
    "loom",
    "loom/x",
  ])("can't be called %j", async (name) => {
    const repo = makeRepo();
    await expect(resolveTarget(await openGit(repo.root), name)).rejects.toMatchObject({
      name: "UserError",
      exitCode: 2,
    });
    expect(repo.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  });
});

describe("a checkout of the target before a run", () => {
  it("may have untracked files and be on another branch", async () => {
    const repo = makeRepo();
    repo.git("branch", "other");
    const opened = await openGit(repo.root);
    repo.write({ "untracked.txt": "u\n" });
    await assertCheckoutClean(opened, "main");
    repo.write({ "README.md": "changed\n" });
    await assertCheckoutClean(opened, "other");
  });

  it("must have no changes, in whichever work tree it is", async () => {
    const repo = makeRepo(Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`f${n}.txt`, "x\n"])));
    const linked = join(tempFolder(), "linked");
    repo.git("worktree", "add", "-q", "-b", "side", linked);
    const opened = await openGit(repo.root);
    for (let n = 0; n < 7; n += 1) writeFiles(linked, { [`f${n}.txt`]: "y\n" });
    git(linked, "add", "f0.txt");
    await assertCheckoutClean(opened, "main");
    expect((await complaint(assertCheckoutClean(opened, "side"))).replace(linked, "<linked>")).toBe(
      "`side` is checked out in <linked> with changes that are not committed: `f0.txt`, `f1.txt`, `f2.txt`, `f3.txt`, `f4.txt` and 2 more. Commit or stash them, or let Loom merge into another branch with --into.",
    );
  });

  it("must not be in the middle of a rebase, though the branch is not checked out then", async () => {
    const repo = makeRepo({ "a.txt": "a\n" });
    repo.git("checkout", "-q", "-b", "side");
    repo.write({ "a.txt": "side\n" });
    repo.commit();
    repo.git("checkout", "-q", "main");
    repo.write({ "a.txt": "main\n" });
    repo.commit();
    expect(() => repo.git("rebase", "side")).toThrow();
    expect(await complaint(assertCheckoutClean(await openGit(repo.root), "main"))).toContain(
      "A rebase is in progress in",
    );
  });
});
