import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compareTrees } from "../../../src/adapters/git/merge/compare-trees.ts";
import { mergeDisjoint } from "../../../src/adapters/git/merge/merge-disjoint.ts";
import { writeCommit } from "../../../src/adapters/git/objects/commit-facts.ts";
import { editTree, removal } from "../../../src/adapters/git/objects/edit-tree.ts";
import { createTreeStore } from "../../../src/adapters/git/objects/tree-store.ts";
import type { FileChange } from "../../../src/ports/git.ts";
import { makeBench, makeRepo, type TestRepo } from "../../support/git-repo.ts";

/** Files whose names git sorts in its own way, folders in each other, a link and a program. */
const FILES = {
  "a/inner": "i\n",
  "a.txt": "a\n",
  "a-b/x": "x\n",
  "dir/one": "1\n",
  "dir/sub/deep/two": "2\n",
  "dir.d/three": "3\n",
  "Zoë/ü.txt": "ü\n",
  "moved.txt": "some lines\n".repeat(20),
};

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const NAMES = ["a", "a.txt", "a-b", "dir", "dir.d", "new", "sub", "Zoë", "one"];

/** Reads `--raw -z --no-renames` of the diff commands: `:100644 100644 <old> <new> M`, then the path. */
function parseRawChanges(output: string): FileChange[] {
  const fields = output.split("\0");
  const changes: FileChange[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = "", mode = "", oldSha = "", sha = ""] = (fields[at] ?? "").split(" ");
    changes.push({
      path: fields[at + 1] ?? "",
      mode: presentMode(mode),
      sha,
      oldMode: presentMode(oldMode.slice(1)),
      oldSha,
    });
  }
  return changes;
}

function presentMode(mode: string): string | null {
  return mode === "000000" ? null : mode;
}

/** Some files are written, removed, made programs or links, in the place of folders too. */
function disturb(repo: TestRepo, random: () => number): string {
  const pick = (): string => NAMES[Math.floor(random() * NAMES.length)] ?? "a";
  for (let step = 0; step < 3; step += 1) {
    const path = random() < 0.4 ? pick() : `${pick()}/${pick()}`;
    const folder = join(repo.root, path.split("/").slice(0, -1).join("/"));
    const file = join(repo.root, path);
    try {
      rmSync(file, { recursive: true, force: true });
      if (random() < 0.3) continue;
      mkdirSync(folder, { recursive: true });
    } catch {
      rmSync(folder, { force: true });
      mkdirSync(folder, { recursive: true });
    }
    if (random() < 0.15) symlinkSync("a.txt", file);
    else writeFileSync(file, `${Math.floor(random() * 5)}\n`, { mode: random() < 0.2 ? 0o755 : 0o644 });
  }
  return repo.commit();
}

function start(format: "sha1" | "sha256" = "sha1"): TestRepo {
  const repo = makeRepo();
  rmSync(join(repo.root, ".git"), { recursive: true });
  repo.git("init", "-q", "-b", "main", `--object-format=${format}`);
  repo.git("config", "user.name", "Pat Person");
  repo.git("config", "user.email", "pat@example.com");
  repo.write(FILES);
  repo.commit("start");
  return repo;
}

describe.each(["sha1", "sha256"] as const)("trees in a repository of %s", (format) => {
  it("differ as git says", async () => {
    const repo = start(format);
    const { repoGit } = await makeBench(repo);
    const store = createTreeStore(repoGit);
    const random = seeded(1);
    const trees = [repo.sha("HEAD^{tree}")];
    for (let round = 0; round < 12; round += 1) trees.push(repo.sha(`${disturb(repo, random)}^{tree}`));
    for (const [at, to] of trees.entries()) {
      const from = trees[Math.max(0, at - 3)] ?? to;
      const printed = repo.git("diff-tree", "-r", "--raw", "-z", "--no-renames", from, to);
      expect(await compareTrees(store, from, to)).toEqual(parseRawChanges(printed));
    }
  });

  it("become each other by what differs, and are the objects that git makes", async () => {
    const repo = start(format);
    const { repoGit } = await makeBench(repo);
    const store = createTreeStore(repoGit);
    const random = seeded(2);
    let from = repo.sha("HEAD^{tree}");
    for (let round = 0; round < 12; round += 1) {
      const to = repo.sha(`${disturb(repo, random)}^{tree}`);
      expect(await editTree(store, from, await compareTrees(store, from, to))).toBe(to);
      from = to;
    }
  });

  it("are written as objects that git finds no fault with", async () => {
    const repo = start(format);
    const { repoGit } = await makeBench(repo);
    const sha = repoGit.store("blob", Buffer.from("new\n"));
    const base = repo.sha("HEAD^{tree}");
    const tree = await editTree(createTreeStore(repoGit), base, [
      { path: "some/where/new", mode: "100644", sha },
    ]);
    const author = { name: " Zoë <O'Neil>,\n", email: "zoe@example.com", date: "@1700000000 +0130" };
    const facts = { tree, parents: [repo.sha("HEAD")], author, message: "Subject\n\nBody ü" };
    const commit = writeCommit(repoGit, facts, author);
    const env = {
      ...process.env,
      GIT_AUTHOR_NAME: author.name,
      GIT_COMMITTER_NAME: author.name,
      GIT_AUTHOR_EMAIL: author.email,
      GIT_COMMITTER_EMAIL: author.email,
      GIT_AUTHOR_DATE: author.date,
      GIT_COMMITTER_DATE: author.date,
    };
    const byGit = execFileSync("git", ["commit-tree", tree, "-p", "HEAD"], {
      cwd: repo.root,
      env,
      input: "Subject\n\nBody ü\n",
      encoding: "utf8",
    });
    expect(commit).toBe(byGit.trim());
    expect(repo.git("fsck", "--strict", "--no-dangling", commit)).toBe("");
    expect(repo.git("show", `${commit}:some/where/new`)).toBe("new");
  });
});

describe("a merge of two trees", () => {
  it("is git's wherever it is made without git", async () => {
    const repo = start();
    const { repoGit } = await makeBench(repo);
    const store = createTreeStore(repoGit);
    const base = repo.sha("HEAD");
    const random = seeded(3);
    const made = { apart: 0, left: 0 };
    for (let round = 0; round < 40; round += 1) {
      const sides = [0, 1].map(() => {
        repo.git("checkout", "-q", "--detach", base);
        return disturb(repo, random);
      });
      const [ours = "", theirs = ""] = sides;
      const [one, two, three] = [base, ours, theirs].map((commit) => repo.sha(`${commit}^{tree}`));
      const tree = await mergeDisjoint(store, one ?? "", two ?? "", three ?? "");
      made[tree === null ? "left" : "apart"] += 1;
      if (tree !== null)
        expect(
          repo.git("-c", "merge.directoryRenames=false", "merge-tree", "--write-tree", ours, theirs),
        ).toBe(tree);
    }
    expect(made.apart).toBeGreaterThan(5);
    expect(made.left).toBeGreaterThan(5);
  });

  it("is left to git where both renamed one file, or both emptied one", async () => {
    const repo = start();
    const { repoGit } = await makeBench(repo);
    const store = createTreeStore(repoGit);
    const base = repo.sha("HEAD^{tree}");
    const first = repo.sha("HEAD");
    const moved = (to: string) => {
      repo.git("checkout", "-q", "--detach", first);
      repo.git("mv", "moved.txt", to);
      return repo.sha(`${repo.commit()}^{tree}`);
    };
    expect(await mergeDisjoint(store, base, moved("one.txt"), moved("other.txt"))).toBe(null);
  });

  it("takes a folder away when the sides emptied it together", async () => {
    const repo = makeRepo({ "d/a": "a\n", "d/b": "b\n", c: "c\n" });
    const { repoGit } = await makeBench(repo);
    const store = createTreeStore(repoGit);
    const base = repo.sha("HEAD^{tree}");
    const without = (path: string) => editTree(store, base, [removal(path)]);
    const merged = await mergeDisjoint(store, base, await without("d/a"), await without("d/b"));
    expect(repo.git("ls-tree", "-r", "--name-only", merged ?? "")).toBe("c");
  });
});

describe("a tree that is edited", () => {
  it("keeps names that are no text", async () => {
    const repo = makeRepo({ "d/a": "a\n" });
    const { repoGit } = await makeBench(repo);
    writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/d/`), Buffer.from([0xff, 0x41])]), "odd\n");
    repo.commit();
    const store = createTreeStore(repoGit);
    const sha = repoGit.store("blob", Buffer.from("b\n"));
    const tree = await editTree(store, repo.sha("HEAD^{tree}"), [{ path: "d/b", mode: "100644", sha }]);
    expect(repo.git("ls-tree", "-r", "--name-only", tree)).toBe('d/a\nd/b\n"d/\\377A"');
  });

  it.each(["", "a//b", "../a", "a/.GIT/config", "a\0b"])("takes no path such as %j", async (path) => {
    const { repoGit } = await makeBench(makeRepo({ a: "a\n" }));
    const sha = repoGit.store("blob", Buffer.from("b\n"));
    await expect(editTree(createTreeStore(repoGit), null, [{ path, mode: "100644", sha }])).rejects.toThrow(
      "is no path that git stores",
    );
  });
});
