import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createGit } from "../../../../src/adapters/git/run/git.ts";
import { createRepositoryGit } from "../../../../src/adapters/git/run/repository-git.ts";
import { openRepository } from "../../../../src/adapters/local/open-repository.ts";
import type { RefMove, RepositoryGit } from "../../../../src/ports/git.ts";
import { makeRepo, type TestRepo } from "../../../support/git-repo.ts";

const BY = { name: "Ada <x>\n", email: "ada@localhost", date: "@1700000000 +0130" };
const MESSAGE = "loom:  merge\nbuild ";

async function gitOf(repo: TestRepo, cwd = repo.root): Promise<RepositoryGit> {
  const git = createGit({ cwd });
  return createRepositoryGit(git, await openRepository(git, cwd));
}

/** As Loom has git do it. */
async function moveByGit(git: RepositoryGit, moves: readonly RefMove[]): Promise<boolean> {
  const input = moves.map(({ ref, to, from }) => {
    const old = from === undefined ? "" : (from ?? "0".repeat(to.length));
    return `update ${ref}\0${to}\0${old}\0`;
  });
  const { code } = await git.refs({
    command: "update-ref",
    options: [["-m", MESSAGE], "-z", "--stdin"],
    input: input.join(""),
    answers: [1, 128],
    committer: BY,
  });
  return code === 0;
}

/** All refs, and all that their logs say. */
function stateOf(repo: TestRepo): string {
  const refs = repo.git("for-each-ref", "--format=%(refname) %(objectname)");
  const names = ["HEAD", ...refs.split("\n").map((line) => line.split(" ")[0] ?? "")];
  const logs = names.map((name) => {
    const file = join(repo.root, ".git/logs", name);
    return existsSync(file) ? `${name}:\n${readFileSync(file, "utf8")}` : `${name}: no log`;
  });
  return [refs, ...logs].join("\n");
}

type Scene = {
  readonly before?: (repo: TestRepo, second: string) => void;
  readonly moves: (first: string, second: string) => readonly RefMove[];
};

function makeScene({ before }: Scene): { repo: TestRepo; first: string; second: string } {
  const repo = makeRepo();
  const first = repo.sha("main");
  const tree = repo.git("rev-parse", `${first}^{tree}`);
  const second = repo.git("commit-tree", tree, "-p", first, "-m", "second");
  before?.(repo, second);
  return { repo, first, second };
}

const MAKE = (_first: string, second: string): RefMove[] => [
  { ref: "refs/heads/loom/run/build", to: second, from: null },
  { ref: "refs/loom-published/run/build", to: second },
];

const DONE: Record<string, Scene> = {
  "a new branch with its marker": { moves: MAKE },
  "the branch that is checked out": {
    moves: (first, to) => [{ ref: "refs/heads/main", from: first, to }],
  },
  "a branch that is checked out nowhere": {
    before: (repo) => repo.git("branch", "other"),
    moves: (first, to) => [{ ref: "refs/heads/other", from: first, to }],
  },
  "a branch beside packed ones": {
    before: (repo) => {
      repo.git("branch", "other");
      repo.git("pack-refs", "--all");
    },
    moves: MAKE,
  },
  "a branch where logs are off": {
    before: (repo) => repo.git("config", "core.logAllRefUpdates", "No"),
    moves: MAKE,
  },
  "a branch that has a log, where logs are off by now": {
    before: (repo) => {
      repo.git("branch", "other");
      repo.git("config", "core.logAllRefUpdates", "false");
    },
    moves: (first, to) => [{ ref: "refs/heads/other", from: first, to }],
  },
  "the branch that is checked out, to where it is": {
    moves: (first) => [{ ref: "refs/heads/main", from: first, to: first }],
  },
  "a branch while no branch is checked out": {
    before: (repo) => repo.git("checkout", "--quiet", "--detach"),
    moves: (first, to) => [{ ref: "refs/heads/main", from: first, to }],
  },
};

const LEFT_TO_GIT: Record<string, Scene> = {
  "a packed branch": {
    before: (repo) => repo.git("pack-refs", "--all"),
    moves: (first, to) => [{ ref: "refs/heads/main", from: first, to }],
  },
  "a branch that stands for another": {
    before: (repo) => repo.git("symbolic-ref", "refs/heads/alias", "refs/heads/main"),
    moves: (first, to) => [{ ref: "refs/heads/alias", from: first, to }],
  },
  "a name below which others were": {
    before: (repo) => mkdirSync(join(repo.root, ".git/refs/heads/loom/run/build/x"), { recursive: true }),
    moves: MAKE,
  },
  "a repository that several people write to": {
    before: (repo) => repo.git("config", "core.sharedRepository", "group"),
    moves: MAKE,
  },
  "a name that is a link to nowhere": {
    before: (repo) => symlinkSync("refs/heads/elsewhere", join(repo.root, ".git/refs/heads/alias")),
    moves: (_first, to) => [{ ref: "refs/heads/alias", to }],
  },
  "a branch where every ref has a log": {
    before: (repo) => repo.git("config", "core.logAllRefUpdates", "always"),
    moves: MAKE,
  },
};

const REFUSED: Record<string, Scene> = {
  "a branch that is not where it should be": {
    before: (repo, second) => repo.git("branch", "other", second),
    moves: (from, to) => [{ ref: "refs/heads/other", from, to }],
  },
  "one that is there, as new": {
    before: (repo) => repo.git("branch", "loom/run/build"),
    moves: MAKE,
  },
  "one that is gone": { moves: (from, to) => [{ ref: "refs/heads/gone", from, to }] },
  "one above which a branch stands": {
    before: (repo) => repo.git("branch", "loom"),
    moves: MAKE,
  },
  "one above which a packed branch stands": {
    before: (repo) => {
      repo.git("branch", "loom/run");
      repo.git("pack-refs", "--all");
    },
    moves: MAKE,
  },
  "one below which a packed branch stands": {
    before: (repo) => {
      repo.git("branch", "loom/run/build/x");
      repo.git("pack-refs", "--all");
    },
    moves: MAKE,
  },
  "two, of which the second is not where it should be": {
    before: (repo) => repo.git("branch", "other"),
    moves: (from, to) => [
      { ref: "refs/heads/other", from, to },
      { ref: "refs/heads/main", from: to, to: from },
    ],
  },
  "no commit at all": { moves: (from) => [{ ref: "refs/heads/main", from, to: "0123" }] },
  "a branch that somebody has locked": {
    before: (repo) => writeFileSync(join(repo.root, ".git/refs/heads/main.lock"), ""),
    moves: (from, to) => [{ ref: "refs/heads/main", from, to }],
  },
  "the branch of a head that somebody has locked": {
    before: (repo) => writeFileSync(join(repo.root, ".git/HEAD.lock"), ""),
    moves: (from, to) => [{ ref: "refs/heads/main", from, to }],
  },
};

describe("refs that are moved without a process", () => {
  it.each(Object.keys(DONE))("end as with git: %s", async (name) => {
    const scene = DONE[name] ?? expect.unreachable();
    const [ours, theirs] = [makeScene(scene), makeScene(scene)];
    const moves = scene.moves(ours.first, ours.second);
    const { repo } = ours;
    expect((await gitOf(repo)).moveRefs(moves, { message: MESSAGE, by: BY })).toBe(true);
    expect(await moveByGit(await gitOf(theirs.repo), scene.moves(theirs.first, theirs.second))).toBe(true);
    const plain = (text: string, { first, second }: typeof ours): string =>
      // What stands there before was made a moment earlier or later.
      text
        .replaceAll(first, "first")
        .replaceAll(second, "second")
        .replace(/> \d{10} \+0000/g, "> then");
    expect(plain(stateOf(repo), ours)).toBe(plain(stateOf(theirs.repo), theirs));
    expect(repo.git("fsck", "--strict", "--no-dangling")).toBe("");
    for (const { ref } of moves) expect(existsSync(join(repo.root, ".git", `${ref}.lock`))).toBe(false);
  });

  it.each(Object.keys(LEFT_TO_GIT))("are left to git: %s", async (name) => {
    const scene = LEFT_TO_GIT[name] ?? expect.unreachable();
    const { repo, first, second } = makeScene(scene);
    const git = await gitOf(repo);
    const before = stateOf(repo);
    expect(git.moveRefs(scene.moves(first, second), { message: MESSAGE, by: BY })).toBe(false);
    expect(stateOf(repo)).toBe(before);
    expect(await moveByGit(git, scene.moves(first, second))).toBe(true);
  });

  it.each(Object.keys(REFUSED))("stay where git would not move them: %s", async (name) => {
    const scene = REFUSED[name] ?? expect.unreachable();
    const { repo, first, second } = makeScene(scene);
    const git = await gitOf(repo);
    const before = stateOf(repo);
    expect(git.moveRefs(scene.moves(first, second), { message: MESSAGE, by: BY })).toBe(false);
    expect(stateOf(repo)).toBe(before);
    // For a lock, git would wait first.
    if (!name.includes("locked")) expect(await moveByGit(git, scene.moves(first, second))).toBe(false);
    expect(stateOf(repo)).toBe(before);
  });

  it("get no log in a bare repository", async () => {
    const { repo, second } = makeScene({ moves: MAKE });
    const bare = join(dirname(repo.root), "bare.git");
    repo.git("clone", "--quiet", "--bare", repo.root, bare);
    const git = await gitOf(repo, bare);
    repo.git("push", "--quiet", bare, `${second}:refs/heads/keep`);
    expect(git.moveRefs(MAKE("", second), { message: MESSAGE, by: BY })).toBe(true);
    expect(repo.git("--git-dir", bare, "rev-parse", "loom/run/build")).toBe(second);
    expect(existsSync(join(bare, "logs"))).toBe(false);
  });

  it("have one winner when a process of git moves the same", async () => {
    const { repo, first, second } = makeScene({ moves: MAKE });
    const git = await gitOf(repo);
    const there = { ref: "refs/heads/main", from: first, to: second };
    const back = { ref: "refs/heads/main", from: second, to: first };
    for (let round = 1; round <= 5; round += 1) {
      const theirs = moveByGit(git, [there]);
      let ours = 0;
      const end = Symbol("end");
      const over = theirs.then(() => end);
      for (;;) {
        if (git.moveRefs([there], { message: MESSAGE, by: BY })) ours += 1;
        if ((await Promise.race([over, new Promise((resolve) => setImmediate(resolve))])) === end) break;
      }
      expect(ours + ((await theirs) ? 1 : 0)).toBe(1);
      expect(git.moveRefs([back], { message: MESSAGE, by: BY })).toBe(true);
    }
    expect(repo.git("reflog", "main").split("\n")).toHaveLength(11);
  });
});
