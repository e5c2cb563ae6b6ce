import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { findTrees, treesName } from "../../../src/adapters/git/trees/sweep-trees.ts";
import { createGitWorkspace } from "../../../src/adapters/git/workspace.ts";
import { noteOwner } from "../../../src/adapters/sandbox/provider/leftovers.ts";
import { sweepLocalDisk, UNUSED_TREES_MS } from "../../../src/wiring/folders/sweep-local-disk.ts";
import { type Local, openLocal } from "../../../src/wiring/local.ts";
import { aRun } from "../../support/a-run.ts";
import { makeBench, makeRepo, type TestRepo, tempFolder } from "../../support/git-repo.ts";

const DAY_SECS = 24 * 3_600;
const UNUSED_SECS = UNUSED_TREES_MS / 1000;

async function opened(repo: TestRepo, home: string): Promise<Local> {
  const env = { HOME: home, XDG_CACHE_HOME: join(home, "cache"), LOOM_SANDBOX: "off" };
  return openLocal({ cwd: repo.root, env, feed: () => {}, runsAgents: false });
}

/** Sweeps as a process of its own would, once. */
async function sweepFrom(repo: TestRepo, home: string): Promise<void> {
  const local = await opened(repo, home);
  await local.disk.sweep();
  await local.close();
}

/** A tree that a killed process left. */
async function leaveTree(repo: TestRepo, home: string, run: string): Promise<string> {
  const { repoGit } = await makeBench(repo);
  const root = join(home, "cache", "loom", "trees", treesName(repoGit.repository.commonDir), run);
  const workspace = createGitWorkspace({ git: repoGit, treesRoot: root });
  await workspace.open(repo.git("rev-parse", "HEAD"));
  return root;
}

function age(folder: string, secs: number): void {
  const then = Date.now() / 1000 - secs;
  for (const path of [...readdirSync(folder).map((name) => join(folder, name)), folder])
    utimesSync(path, then, then);
}

function makeDue(repo: TestRepo): void {
  rmSync(join(repo.root, ".git/loom/swept"), { force: true });
}

describe("the sweep of a disk", () => {
  it("is done once a day", async () => {
    const home = tempFolder();
    const [repo, gone] = [makeRepo(), makeRepo()];
    const left = await leaveTree(gone, home, "run-1");
    rmSync(gone.root, { recursive: true });
    await sweepFrom(repo, home);
    expect(existsSync(left)).toBe(true);
    age(left, UNUSED_SECS + 60);
    await sweepFrom(repo, home);
    expect(existsSync(left)).toBe(true);
    const stamp = join(repo.root, ".git/loom/swept");
    const then = statSync(stamp).mtimeMs / 1000 - DAY_SECS - 1;
    utimesSync(stamp, then, then);
    await sweepFrom(repo, home);
    expect(existsSync(left)).toBe(false);
    expect(Date.now() - statSync(stamp).mtimeMs).toBeLessThan(60_000);
  });

  it("takes trees away that nobody has used for a month, and those of ended runs at once", async () => {
    const home = tempFolder();
    const [repo, other] = [makeRepo(), makeRepo()];
    const store = (await opened(repo, home)).engine.store;
    const ledgers = { over: aRun([{ id: "a" }], { run: "over" }).finishes("cancelled").events };
    await store.append("over", 0, ledgers.over);
    const waits = aRun([{ id: "a" }], { run: "waits" }).events;
    const lately = new Date(Date.now() - UNUSED_TREES_MS + 60_000).toISOString();
    await store.append(
      "waits",
      0,
      waits.map((event) => ({ ...event, at: lately })),
    );
    await store.append("forgotten", 0, aRun([{ id: "a" }], { run: "forgotten" }).events);
    const own = await Promise.all(["over", "waits", "forgotten"].map((run) => leaveTree(repo, home, run)));
    const used = await leaveTree(other, home, "used");
    const unused = await leaveTree(other, home, "unused");
    age(unused, UNUSED_SECS + 60);
    await sweepFrom(repo, home);
    expect(own.map((path) => existsSync(path))).toEqual([false, true, false]);
    expect([used, unused].map((path) => existsSync(path))).toEqual([true, false]);
    expect(other.git("worktree", "list")).not.toContain("unused");
    expect(other.git("worktree", "list")).toContain("used/1");
  });

  it("leaves trees alone that somebody used while it was at others", async () => {
    const home = tempFolder();
    const [repo, gone] = [makeRepo(), makeRepo()];
    for (const run of ["a", "b"]) age(await leaveTree(gone, home, run), UNUSED_SECS + 60);
    rmSync(gone.root, { recursive: true });
    const trees = join(home, "cache", "loom", "trees");
    const [first, second] = findTrees(trees, "none").map(({ path }) => path);
    const local = await opened(repo, home);
    const now = (): number => {
      if (!existsSync(first ?? "")) age(second ?? "", 0);
      return Date.now();
    };
    const folder = join(trees, "0123456789abcdef");
    await sweepLocalDisk({
      engine: { ...local.engine, now },
      env: {},
      tasks: { lease: local.lease, folder, openWorkspace: () => expect.fail("there is none") },
      lease: local.lease,
      trees,
      sandboxes: join(home, "sandboxes"),
    });
    await local.close();
    expect([first, second].map((path) => existsSync(path ?? ""))).toEqual([false, true]);
  });

  it("leaves trees alone whose run somebody drives, here or in another repository", async () => {
    const home = tempFolder();
    const [repo, other] = [makeRepo(), makeRepo()];
    const driven: string[] = [];
    for (const one of [repo, other]) {
      const local = await opened(one, home);
      await local.engine.store.append("driven", 0, aRun([{ id: "a" }], { run: "driven" }).events);
      const held = await local.lease.acquire("driven");
      expect(held.kind).toBe("acquired");
      const root = await leaveTree(one, home, "driven");
      age(root, UNUSED_SECS + 60);
      driven.push(root);
    }
    await sweepFrom(repo, home);
    expect(driven.map((path) => existsSync(path))).toEqual([true, true]);
  });

  it("takes away what dead agents of other repositories left, and not the homes of living ones", async () => {
    const home = tempFolder();
    const repo = makeRepo();
    const sandboxes = join(home, "cache", "loom", "sandboxes");
    for (const name of ["dead", "living"]) {
      mkdirSync(join(sandboxes, "0123456789abcdef", "homes", name), { recursive: true });
      noteOwner(join(sandboxes, "0123456789abcdef", "homes", name), null);
    }
    const dead = join(sandboxes, "0123456789abcdef", "homes", "dead");
    rmSync(join(dead, "owner"));
    utimesSync(dead, Date.now() / 1000 - 3 * DAY_SECS, Date.now() / 1000 - 3 * DAY_SECS);
    const empty = join(sandboxes, "fedcba9876543210");
    mkdirSync(empty);
    utimesSync(empty, Date.now() / 1000 - 2 * DAY_SECS, Date.now() / 1000 - 2 * DAY_SECS);
    await sweepFrom(repo, home);
    expect(readdirSync(join(sandboxes, "0123456789abcdef", "homes"))).toEqual(["living"]);
    expect(existsSync(empty)).toBe(false);
  });

  it("never follows a link, wherever it stands", async () => {
    const home = tempFolder();
    const [repo, gone] = [makeRepo(), makeRepo()];
    const cache = join(home, "cache", "loom");
    const left = await leaveTree(repo, home, "run-1");
    const others = await leaveTree(gone, home, "run-1");
    const outside = tempFolder();
    const old = Date.now() / 1000 - UNUSED_SECS - 60;
    const letters = ["trees/run-2/1", "sandboxes/r0123456789ab", "sandboxes/homes/dead"].map((folder) => {
      const file = join(outside, folder, "letter.txt");
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, "Dear Ada");
      utimesSync(dirname(file), old, old);
      return file;
    });
    const trees = join(outside, "trees");
    for (const [target, link] of [
      [join(trees, "run-2"), join(dirname(left), "run-2")],
      [join(trees, "run-2"), join(dirname(left), ".tasks-e1")],
      [join(trees, "run-2"), join(dirname(others), "run-2")],
      [trees, join(cache, "trees", "0123456789abcdef")],
      [join(outside, "sandboxes"), join(cache, "sandboxes", "0123456789abcdef")],
      [join(outside, "sandboxes", "homes"), join(cache, "sandboxes", "fedcba9876543210", "homes")],
    ] as const) {
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(target, link);
    }
    await sweepFrom(repo, home);
    expect(existsSync(left)).toBe(false);
    expect(letters.map((file) => readFileSync(file, "utf8"))).toEqual(letters.map(() => "Dear Ada"));
  });

  it("may be done by two processes at once, and a second time after one that was killed", async () => {
    const home = tempFolder();
    const [repo, gone] = [makeRepo(), makeRepo()];
    const left = await Promise.all(["a", "b", "c"].map((run) => leaveTree(gone, home, run)));
    rmSync(gone.root, { recursive: true });
    for (const path of left) age(path, UNUSED_SECS + 60);
    // As whoever is killed in the middle leaves it.
    rmSync(join(left[0] ?? "", "1"), { recursive: true });
    age(left[0] ?? "", UNUSED_SECS + 60);
    makeDue(repo);
    await Promise.all([sweepFrom(repo, home), sweepFrom(repo, home)]);
    expect(left.map((path) => existsSync(path))).toEqual([false, false, false]);
  });
});
