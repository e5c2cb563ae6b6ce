import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createModelGit } from "../../playground/git/model-git.ts";
import { closeObjects } from "../../playground/git/objects/object-reader.ts";
import { mergeBases, readLine } from "../../playground/git/objects/read-history.ts";

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "loom-history-"));
});
afterAll(async () => {
  closeObjects(root);
  await rm(root, { recursive: true, force: true });
});

/** For each commit, which ones before it are its parents. */
const histories = fc
  .array(fc.uniqueArray(fc.nat({ max: 30 }), { maxLength: 3 }), { minLength: 2, maxLength: 14 })
  .map((all) => all.map((parents, n) => [...new Set(n === 0 ? [] : parents.map((one) => one % n))]));

describe("history as it is read here", () => {
  it("says what git says", async () => {
    let made = 0;
    await fc.assert(
      fc.asyncProperty(histories, async (history) => {
        made += 1;
        const gitDir = join(root, `${made}.git`);
        const shas = makeHistory(gitDir, history);
        const model = createModelGit();
        for (const one of shas.slice(-4)) {
          for (const other of shas) {
            const bases = gitLines(gitDir, "merge-base", "--all", one, other);
            expect((await mergeBases(gitDir, one, other)).sort()).toEqual(bases.sort());
            expect(await model.isAncestor(gitDir, other, one)).toBe(bases.includes(other));
            const line = await readLine(gitDir, { from: other, to: one });
            const between = gitLines(gitDir, "rev-list", one, `^${other}`);
            if (line !== null) expect(line.map(({ sha }) => sha)).toEqual(between);
          }
        }
      }),
      { numRuns: 4, seed: 7 },
    );
  });

  it("says that a commit which is not there is nobody's ancestor, until it is there", async () => {
    const gitDir = join(root, "later.git");
    const [start = ""] = makeHistory(gitDir, [[]]);
    const tree = gitLines(gitDir, "rev-parse", `${start}^{tree}`)[0] ?? "";
    const env = { ...DATES, GIT_AUTHOR_DATE: "1700000100 +0000", GIT_COMMITTER_DATE: "1700000100 +0000" };
    const other = join(root, "elsewhere.git");
    makeHistory(other, [[]]);
    const later = execFileSync("git", ["-C", other, "commit-tree", tree, "-p", start, "-m", "later"], { env })
      .toString()
      .trim();
    const model = createModelGit();
    expect(await model.isAncestor(gitDir, start, later)).toBe(false);
    expect(await model.isAncestor(gitDir, later, start)).toBe(false);
    execFileSync("git", ["-C", gitDir, "commit-tree", tree, "-p", start, "-m", "later"], { env });
    expect(await model.isAncestor(gitDir, start, later)).toBe(true);
    expect(await model.isAncestor(gitDir, later, start)).toBe(false);
  });
});

describe("refs as they are listed here", () => {
  it("are those that git has moved, made, deleted and packed meanwhile", async () => {
    const gitDir = join(root, "refs.git");
    const [first = "", second = ""] = makeHistory(gitDir, [[], [0]]);
    const git = (...args: string[]): void => void execFileSync("git", ["-C", gitDir, ...args]);
    const model = createModelGit();
    const assertSame = async (): Promise<void> => {
      const told = gitLines(gitDir, "for-each-ref", "--format=%(refname) %(objectname)");
      expect((await model.refs(gitDir, "refs/")).map(({ ref, sha }) => `${ref} ${sha}`)).toEqual(told);
    };
    for (const [ref, sha] of [
      ["refs/heads/loom/a/1", first],
      ["refs/heads/loom/a/2", first],
      ["refs/heads/loom/a/1", second],
      ["refs/pull/7/head", second],
    ] as const) {
      git("update-ref", ref, sha);
      await assertSame();
      await assertSame();
    }
    git("update-ref", "-d", "refs/heads/loom/a/2");
    await assertSame();
    git("pack-refs", "--all");
    await assertSame();
    git("update-ref", "refs/heads/loom/a/1", first);
    await assertSame();
    git("update-ref", "-d", "refs/heads/loom/a/1");
    await assertSame();
  });
});

const DATES = {
  PATH: process.env.PATH ?? "",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@localhost",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@localhost",
  GIT_AUTHOR_DATE: "1700000000 +0000",
  GIT_COMMITTER_DATE: "1700000000 +0000",
};

/** A new repository; of commits without a parent there can be several. */
function makeHistory(gitDir: string, history: readonly (readonly number[])[]): string[] {
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", gitDir]);
  const stream = history.map((parents, n) => {
    const [first, ...more] = parents;
    // All have the same date: their order can't be read from that.
    return [
      `reset refs/heads/c${n}`,
      `commit refs/heads/c${n}`,
      `mark :${n + 1}`,
      "committer Ada <ada@localhost> 1700000000 +0000",
      `data ${`${n}`.length}`,
      `${n}`,
      ...(first === undefined ? [] : [`from :${first + 1}`]),
      ...more.map((parent) => `merge :${parent + 1}`),
      "",
    ].join("\n");
  });
  execFileSync("git", ["-C", gitDir, "fast-import", "--quiet"], { input: stream.join("\n") });
  const refs = new Map(
    gitLines(gitDir, "for-each-ref", "--format=%(refname) %(objectname)").map(
      (line) => line.split(" ") as [string, string],
    ),
  );
  for (const ref of refs.keys()) execFileSync("git", ["-C", gitDir, "update-ref", "-d", ref]);
  return history.map((_, n) => refs.get(`refs/heads/c${n}`) ?? "");
}

function gitLines(gitDir: string, ...args: string[]): string[] {
  try {
    return execFileSync("git", ["-C", gitDir, ...args], { encoding: "utf8" })
      .split("\n")
      .filter(Boolean);
  } catch (error) {
    // There is no common commit.
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}
