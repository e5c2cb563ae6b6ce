import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  emptyMirrorDirectory,
  openMirrorDirectory,
} from "../../../../src/adapters/git/mirror/mirror-directory.ts";
import {
  clearMirrorLeftovers,
  lookAtMirror,
  markMirrorOpened,
  mirrorIdentity,
  packMirror,
} from "../../../../src/adapters/git/mirror/mirror-upkeep.ts";
import { createGit } from "../../../../src/adapters/git/run/git.ts";
import { createRepositoryGit } from "../../../../src/adapters/git/run/repository-git.ts";
import { createGitWorkspace } from "../../../../src/adapters/git/workspace.ts";
import { commitFiles, git, makeRepo, makeTrap, tempFolder } from "../../../support/git-repo.ts";

const DAY = 24 * 3_600_000;

async function aMirror() {
  const path = join(tempFolder(), "r1", "mirror.git");
  const program = createGit();
  const repository = await openMirrorDirectory(program, path);
  const repoGit = createRepositoryGit(program, repository);
  const person = makeRepo({ "a.txt": "a\n", "dir/b.txt": "b\n" });
  git(path, "fetch", "--quiet", person.root, "HEAD");
  const base = person.git("rev-parse", "HEAD");
  const open = () => createGitWorkspace({ git: repoGit, treesRoot: join(dirname(path), "trees") });
  return { path, program, repoGit, base, open };
}

function loose(path: string): number {
  return Number(/^count: (\d+)/m.exec(git(path, "count-objects", "-v"))?.[1]);
}

describe("the upkeep of a mirror", () => {
  it("packs what is loose and keeps every object, also those that no ref names", async () => {
    const { path, repoGit, base, open } = await aMirror();
    const workspace = open();
    const tree = await workspace.open(base);
    const attempts: string[] = [];
    for (let n = 0; n < 5; n += 1)
      attempts.push(await commitFiles(workspace, base, { "a.txt": `try ${n}\n` }));
    const before = loose(path);
    expect(before).toBeGreaterThan(10);
    expect(await packMirror(repoGit)).toBe("few");
    expect(loose(path)).toBe(before);
    expect(await packMirror(repoGit, { loose: -1, packs: 50 })).toBe("packed");
    expect(loose(path)).toBe(0);
    // Lent meanwhile, and asked by a process that stays.
    expect(git(tree.path, "status", "--porcelain")).toBe("");
    for (const [n, commit] of attempts.entries())
      expect(await workspace.readFile(commit, "a.txt", 100)).toBe(`try ${n}\n`);
    const later = await commitFiles(workspace, attempts[0] ?? "", { "dir/b.txt": "later\n" });
    expect(await packMirror(repoGit, { loose: 100_000, packs: 0 })).toBe("packed");
    expect(await open().readFile(later, "dir/b.txt", 100)).toBe("later\n");
    expect(
      execFileSync("git", ["-C", path, "fsck", "--connectivity-only", later], { stdio: "pipe" }),
    ).toBeDefined();
  });

  it("runs nothing that stands in the mirror's hooks or settings", async () => {
    const { path, repoGit, base, open } = await aMirror();
    await commitFiles(open(), base, { "a.txt": "changed\n" });
    const trap = makeTrap();
    mkdirSync(join(path, "hooks"), { recursive: true });
    for (const hook of ["pre-auto-gc", "post-rewrite", "post-index-change"])
      writeFileSync(join(path, "hooks", hook), `#!/bin/sh\n${trap.command}\n`, { mode: 0o755 });
    writeFileSync(
      join(path, "config"),
      `[core]\n\tfsmonitor = ${trap.command}\n[gc]\n\trecentObjectsHook = ${trap.command}\n`,
    );
    expect(await packMirror(repoGit, { loose: -1, packs: 0 })).toBe("packed");
    expect(trap.sprung()).toBe(false);
  });

  it("clears away what was killed half-way, once it is a day old", async () => {
    const { path } = await aMirror();
    const left = [
      join(path, "objects", "pack", "tmp_pack_abc"),
      join(path, "objects", "pack", ".tmp-123-pack-0.pack"),
      `${path}.0123abcd.old`,
      `${path}.0123abcd.new`,
    ];
    const stays = join(dirname(path), "mirror.git.mine");
    for (const file of [...left, stays]) writeFileSync(file, "half");
    await clearMirrorLeftovers(path, Date.now());
    expect(left.map((file) => existsSync(file))).toEqual([true, true, true, true]);
    for (const file of [...left, stays])
      utimesSync(file, Date.now() / 1000 - 90_000, Date.now() / 1000 - 90_000);
    await clearMirrorLeftovers(path, Date.now());
    expect(left.map((file) => existsSync(file))).toEqual([false, false, false, false]);
    expect(existsSync(stays)).toBe(true);
    expect(lookAtMirror(path)).not.toBeNull();
  });

  it("puts a mirror back that turns out to be in use, with all that is in it", async () => {
    const { path, base, open } = await aMirror();
    const tree = await open().open(base);
    const before = [lookAtMirror(path), mirrorIdentity(path)];
    const seen: unknown[] = [];
    const judge = (place: string): boolean => {
      seen.push(lookAtMirror(path), lookAtMirror(place));
      return place === path;
    };
    expect(await emptyMirrorDirectory(path, judge)).toBe("in use");
    // Once where it is, and once where nobody finds it.
    expect(seen).toEqual([before[0], before[0], null, before[0]]);
    const failing = (place: string): boolean => {
      if (place === path) return true;
      throw new Error("the disk is broken");
    };
    await expect(emptyMirrorDirectory(path, failing)).rejects.toThrow("the disk is broken");
    expect([lookAtMirror(path), mirrorIdentity(path)]).toEqual(before);
    expect(git(tree.path, "status", "--porcelain")).toBe("");
    expect(readdirSync(dirname(path)).sort()).toEqual(["mirror.git", "trees"]);
  });

  it("never looks behind a link", async () => {
    const { path } = await aMirror();
    const link = join(dirname(path), "link.git");
    symlinkSync(path, link);
    const half = join(path, "objects", "pack", "tmp_pack_abc");
    writeFileSync(half, "half");
    utimesSync(half, 0, 0);
    expect(lookAtMirror(link)).toBeNull();
    await clearMirrorLeftovers(link, Date.now());
    expect(existsSync(half)).toBe(true);
    await emptyMirrorDirectory(link, () => true);
    expect(lookAtMirror(link)?.isEmpty).toBe(true);
    expect(lookAtMirror(path)?.isEmpty).toBe(false);
  });

  it("tells a mirror from the one that took its place, how old it is, and whether trees stand on it", async () => {
    const { path, program, base, open } = await aMirror();
    const first = lookAtMirror(path);
    const identity = mirrorIdentity(path);
    expect(first?.hasTrees).toBe(false);
    expect(first?.touchedAt).toBeGreaterThan(Date.now() - DAY);
    const workspace = open();
    await workspace.open(base);
    expect(lookAtMirror(path)).toMatchObject({ hasTrees: true, isEmpty: false });
    expect(mirrorIdentity(path)).toBe(identity);
    await workspace.dispose();
    expect(await emptyMirrorDirectory(path, () => true)).toBe("emptied");
    const second = mirrorIdentity(path);
    expect(second).not.toBe(identity);
    expect(lookAtMirror(path)).toMatchObject({ hasTrees: false, isEmpty: true });
    expect(readdirSync(join(path, "objects", "pack"))).toEqual([]);
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith("mirror.git."))).toEqual([]);
    await openMirrorDirectory(program, path);
    expect(mirrorIdentity(path)).toBe(second);
    const state = lookAtMirror(path);
    markMirrorOpened(path);
    const opened = lookAtMirror(path);
    markMirrorOpened(path);
    expect([opened, lookAtMirror(path)].map((one) => one?.openedAt)).not.toContain(state?.openedAt);
    expect(lookAtMirror(path)?.openedAt).toBeGreaterThan(opened?.openedAt ?? 0);
    expect(mirrorIdentity(path)).toBe(second);
    markMirrorOpened(join(path, "nowhere"));
    expect([lookAtMirror, mirrorIdentity].map((ask) => ask(join(path, "nowhere")))).toEqual([null, null]);
  });
});
