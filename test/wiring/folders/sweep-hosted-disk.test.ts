import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createEmbeddedRunStore } from "../../../src/adapters/embedded/run-store.ts";
import { createEmbeddedTaskStore } from "../../../src/adapters/embedded/task-store.ts";
import { openMirrorDirectory } from "../../../src/adapters/git/mirror/mirror-directory.ts";
import { markMirrorOpened } from "../../../src/adapters/git/mirror/mirror-upkeep.ts";
import { createGit } from "../../../src/adapters/git/run/git.ts";
import { createRepositoryGit } from "../../../src/adapters/git/run/repository-git.ts";
import { createGitWorkspace } from "../../../src/adapters/git/workspace.ts";
import { createRunFiles } from "../../../src/adapters/local/run-files.ts";
import { tryLock } from "../../../src/adapters/os/file-lock.ts";
import type { RepoEngine } from "../../../src/engine/github/host.ts";
import type { Workspace } from "../../../src/ports/workspace.ts";
import { type RepositoryDisk, sweepHostedDisk } from "../../../src/wiring/folders/sweep-hosted-disk.ts";
import { aRun, START } from "../../support/a-run.ts";
import { git, makeRepo, tempFolder } from "../../support/git-repo.ts";

const DAY = 24 * 3_600_000;
const HOUR = DAY / 24;
const REPO = "r7";

/** The disk of a worker with one repository: real mirror, trees, ledgers and files; a clock of its own. */
async function aDisk(runs: Readonly<Record<string, "running" | "cancelled">>) {
  const data = tempFolder();
  const folder = join(data, "repositories", REPO);
  const mirror = join(folder, "mirror.git");
  const program = createGit();
  const repository = await openMirrorDirectory(program, mirror);
  const person = makeRepo();
  git(mirror, "fetch", "--quiet", person.root, "HEAD");
  const base = person.git("rev-parse", "HEAD");
  const repoGit = createRepositoryGit(program, repository);
  const clock = { now: Date.now() };
  const made = new Map<string, Workspace>();
  const workspaceFor = ({ id }: { readonly id: string }): Workspace => {
    const treesRoot = join(data, "workers", "me", REPO, id);
    const workspace = made.get(id) ?? createGitWorkspace({ git: repoGit, treesRoot, now: () => clock.now });
    made.set(id, workspace);
    return workspace;
  };
  const store = createEmbeddedRunStore({ root: join(folder, "runs") });
  const files = createRunFiles({ root: join(folder, "files") });
  const taskFiles = createRunFiles({ root: join(folder, "task-files") });
  const taskStore = createEmbeddedTaskStore({ root: join(folder, "tasks") });
  for (const [id, end] of Object.entries(runs)) {
    const story = aRun([{ id: "build" }], { run: id });
    if (end === "cancelled") story.finishes("cancelled");
    await store.append(id, 0, story.events);
    await files.writeReport(id, "crash", "It crashed.");
  }
  /** Happens while the sweep looks for live runs, long after it has looked at the mirror. */
  const meanwhile: { happens: () => Promise<unknown> } = { happens: async () => {} };
  const judged = {
    ...store,
    async list() {
      await meanwhile.happens();
      return store.list();
    },
  };
  const engine = { workspaceFor, store: judged, files, taskFiles, taskStore } as unknown as RepoEngine;
  const disk: RepositoryDisk = {
    engine,
    git: repoGit,
    workspaceIn: (treesRoot) => createGitWorkspace({ git: repoGit, treesRoot }),
  };
  const warnings: string[] = [];
  const sweep = async (known = true): Promise<void> => {
    await sweepHostedDisk({
      ...{ data, worker: "me", now: () => clock.now },
      repository: async (repo) => (known && repo === REPO ? disk : null),
      limits: { ms: 90 * DAY, bytes: 1_000_000 },
      warn: (message, error) => warnings.push(`${message}: ${error}`),
    });
    expect(warnings).toEqual([]);
  };
  const trees = (id: string, worker = "me"): string[] => {
    const root = join(data, "workers", worker, REPO, id);
    return existsSync(root) ? readdirSync(root) : [];
  };
  return {
    data,
    folder,
    mirror,
    base,
    person,
    clock,
    meanwhile,
    workspaceFor,
    files,
    taskFiles,
    disk,
    sweep,
    trees,
  };
}

function age(mirror: string, ms: number): void {
  const objects = join(mirror, "objects");
  const then = Date.now() / 1000 - ms / 1000;
  for (const path of [...readdirSync(objects).map((name) => join(objects, name)), objects])
    utimesSync(path, then, then);
}

function bear(mirror: string, ms: number): void {
  utimesSync(join(mirror, "HEAD"), Date.now() / 1000 - ms / 1000, Date.now() / 1000 - ms / 1000);
}

const isEmpty = (mirror: string): boolean => git(mirror, "count-objects") === "0 objects, 0 kilobytes";

describe("work trees of a worker", () => {
  it("go with the end of their run, and after a day from one that waits, never while lent", async () => {
    const { base, clock, workspaceFor, sweep, trees } = await aDisk({
      over: "cancelled",
      waits: "running",
      busy: "running",
    });
    for (const id of ["over", "waits", ".shared"]) {
      const workspace = workspaceFor({ id });
      await workspace.close(await workspace.open(base));
    }
    await workspaceFor({ id: "busy" }).open(base);
    const dying = await workspaceFor({ id: "over" }).open(base);
    await sweep();
    expect(["over", "waits", "busy", ".shared"].map((id) => trees(id).length)).toEqual([1, 1, 1, 1]);
    await workspaceFor({ id: "over" }).close(dying);
    await sweep();
    expect(["over", "waits", "busy", ".shared"].map((id) => trees(id).length)).toEqual([0, 1, 1, 1]);
    clock.now += DAY;
    await sweep();
    expect(["over", "waits", "busy", ".shared"].map((id) => trees(id).length)).toEqual([0, 0, 1, 0]);
  });

  it("are never sought behind a link: what that leads to stays, whoever made it", async () => {
    const { data, base, clock, disk, sweep } = await aDisk({ over: "cancelled" });
    const outside = tempFolder();
    const file = join(outside, "gone", REPO, "over", "1", "letter.txt");
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, "Dear Ada");
    mkdirSync(join(outside, "empty"));
    const links = [
      [join(outside, "gone"), join(data, "workers", "gone")],
      [join(outside, "gone", REPO), join(data, "workers", "left", REPO)],
      [join(outside, "gone", REPO, "over"), join(data, "workers", "late", REPO, "over")],
      [join(outside, "gone", REPO, "over"), join(data, "workers", "me", REPO, "over")],
      [join(outside, "empty"), join(data, "workers", "me", REPO, "waits")],
      [join(outside, "empty"), join(data, "workers", "late", REPO, "waits")],
    ] as const;
    for (const [target, link] of links) {
      mkdirSync(join(link, ".."), { recursive: true });
      symlinkSync(target, link);
    }
    await disk.workspaceIn(join(data, "workers", "late", REPO, "real")).open(base);
    clock.now += 2 * DAY;
    await sweep();
    expect(readFileSync(file, "utf8")).toBe("Dear Ada");
    expect(readdirSync(outside).sort()).toEqual(["empty", "gone"]);
    expect(existsSync(join(data, "workers", "late", REPO, "real"))).toBe(false);
  });

  it("of a worker that is gone go after a day, those of one that lives stay", async () => {
    const { data, base, clock, disk, sweep, trees } = await aDisk({ waits: "running" });
    for (const worker of ["gone", "alive"])
      await disk.workspaceIn(join(data, "workers", worker, REPO, "waits")).open(base);
    const alive = await tryLock(join(data, "workers", "alive.lock"));
    await sweep();
    expect([trees("waits", "gone").length, trees("waits", "alive").length]).toEqual([1, 1]);
    clock.now += DAY + HOUR;
    await sweep();
    expect([trees("waits", "gone").length, trees("waits", "alive").length]).toEqual([0, 1]);
    expect(existsSync(join(data, "workers", "gone"))).toBe(false);
    expect(alive.kind).toBe("acquired");
  });
});

describe("files of a worker", () => {
  it("go with the age of their run, and when their task was forgotten elsewhere", async () => {
    const { folder, clock, taskFiles, sweep } = await aDisk({ over: "cancelled", waits: "running" });
    await taskFiles.writeReport("ask-1", "crash", "It crashed.");
    const left = (): string[] => [
      ...readdirSync(join(folder, "files")),
      ...readdirSync(join(folder, "task-files")),
    ];
    clock.now = Date.now() + 29 * DAY;
    await sweep();
    expect(left()).toContain("ask-1");
    clock.now = Math.max(Date.now() + 31 * DAY, START + 91 * DAY);
    await sweep();
    expect(left()).toEqual(["waits"]);
  });
});

describe("the mirror of a worker", () => {
  it("is made anew when nobody has used it for a month, not while a run is under way or trees stand on it", async () => {
    const live = await aDisk({ waits: "running" });
    age(live.mirror, 31 * DAY);
    await live.sweep();
    expect(isEmpty(live.mirror)).toBe(false);

    const { mirror, base, clock, workspaceFor, sweep } = await aDisk({ over: "cancelled" });
    const tasks = workspaceFor({ id: ".tasks" });
    const tree = await tasks.open(base);
    age(mirror, 31 * DAY);
    await sweep();
    expect(isEmpty(mirror)).toBe(false);
    await tasks.close(tree);
    await tasks.removeUnused(0);
    age(mirror, 29 * DAY);
    await sweep();
    expect(isEmpty(mirror)).toBe(false);
    clock.now += 2 * DAY;
    await sweep();
    expect(isEmpty(mirror)).toBe(true);
  });

  it("is made anew once it is old and all is quiet, so that what came to nothing goes some day", async () => {
    const { mirror, sweep } = await aDisk({ over: "cancelled" });
    bear(mirror, 91 * DAY);
    await sweep();
    expect(isEmpty(mirror)).toBe(false);
    age(mirror, 2 * HOUR);
    bear(mirror, 89 * DAY);
    await sweep();
    expect(isEmpty(mirror)).toBe(false);
    bear(mirror, 91 * DAY);
    await sweep();
    expect(isEmpty(mirror)).toBe(true);
  });

  it("stays when somebody opens it, or puts something into it, while it is judged", async () => {
    const { mirror, base, person, meanwhile, workspaceFor, sweep } = await aDisk({ over: "cancelled" });
    const tasks = workspaceFor({ id: ".tasks" });
    const deeds: (() => Promise<unknown>)[] = [
      async () => markMirrorOpened(mirror),
      async () => git(mirror, "fetch", "--quiet", person.root, "HEAD:refs/heads/later"),
      async () => tasks.open(base),
    ];
    person.write({ "later.txt": "later\n" });
    person.commit("later");
    for (const happens of deeds) {
      let times = 0;
      meanwhile.happens = async () => {
        times += 1;
        await happens();
      };
      age(mirror, 31 * DAY);
      await sweep();
      expect(times).toBe(1);
      expect(isEmpty(mirror)).toBe(false);
    }
    const [tree = ""] = git(mirror, "worktree", "list", "--porcelain").match(/\S*\.tasks\/\d+/g) ?? [];
    expect(git(tree, "status", "--porcelain")).toBe("");
    meanwhile.happens = async () => {};
    await tasks.dispose();
    age(mirror, 31 * DAY);
    await sweep();
    expect(isEmpty(mirror)).toBe(true);
  });

  it("of a repository that nobody knows any more is emptied as well", async () => {
    const { mirror, sweep } = await aDisk({});
    await sweep(false);
    expect(isEmpty(mirror)).toBe(false);
    age(mirror, 31 * DAY);
    await sweep(false);
    expect(isEmpty(mirror)).toBe(true);
  });
});

it("one process at a time sweeps a disk, and one that was killed is in nobody's way", async () => {
  const { data, mirror, sweep } = await aDisk({});
  age(mirror, 31 * DAY);
  const other = await tryLock(join(data, "sweeping"));
  await sweep();
  expect(isEmpty(mirror)).toBe(false);
  if (other.kind === "acquired") await other.release();
  const half = `${mirror}.0123abcd.old`;
  mkdirSync(join(half, "objects"), { recursive: true });
  writeFileSync(join(half, "HEAD"), "half");
  utimesSync(half, Date.now() / 1000 - 2 * 24 * 3600, Date.now() / 1000 - 2 * 24 * 3600);
  await Promise.all([sweep(), sweep()]);
  expect(isEmpty(mirror)).toBe(true);
  expect(existsSync(half)).toBe(false);
});
