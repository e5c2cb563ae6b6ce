import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeCommit } from "../../../../src/adapters/git/objects/commit-facts.ts";
import { readLog } from "../../../../src/adapters/git/objects/read-log.ts";
import type { Sha } from "../../../../src/core/ids.ts";
import type { RepositoryGit } from "../../../../src/ports/git.ts";
import { type Bench, makeBench } from "../../../support/git-repo.ts";

const WHO = { name: "Pat", email: "pat@example.com" };

/** The same numbers in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Made = { readonly names: readonly Sha[]; readonly parents: ReadonlyMap<Sha, readonly Sha[]> };

/** Commits with up to two parents each; some were made by clocks that are wrong. */
function makeHistory(git: RepositoryGit, size: number, seed: number): Made {
  const pick = numbers(seed);
  const names: Sha[] = [];
  const parents = new Map<Sha, readonly Sha[]>();
  const tree = git.store("tree", Buffer.alloc(0));
  for (let n = 0; n < size; n += 1) {
    const above = pick(12) === 0 ? [] : [names.at(-1 - pick(Math.min(4, n)))];
    if (pick(3) === 0) above.push(names.at(-1 - pick(Math.min(9, n))));
    const of = [...new Set(above.filter((name) => name !== undefined))];
    const at = 1_700_000_000 + n * 60 - (pick(6) === 0 ? pick(20_000) : 0);
    const by = { ...WHO, date: `@${at} +0000` };
    const name = writeCommit(git, { tree, parents: of, author: by, message: `Commit ${n}` }, by);
    names.push(name);
    parents.set(name, of);
  }
  return { names, parents };
}

function reached({ parents }: Made, from: Sha): Set<Sha> {
  const found = new Set<Sha>();
  const next = [from];
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    next.push(...(parents.get(name) ?? []));
  }
  return found;
}

const asked = ({ calls }: Bench): number =>
  calls.filter(({ args }) => args.includes("log") || args.includes("merge-base")).length;

describe("how commits hang together", () => {
  it("is what git says, whatever the history looks like and whatever its clocks said", async () => {
    const bench = await makeBench();
    const { history, trusted } = bench.repoGit;
    const made = makeHistory(bench.repoGit, 60, 7);
    const pick = numbers(3);
    for (const descendant of made.names) {
      const all = reached(made, descendant);
      for (const ancestor of made.names)
        expect(await history.isAncestor(ancestor, descendant)).toBe(all.has(ancestor));
    }
    expect(asked(bench)).toBe(0);
    for (let n = 0; n < 25; n += 1) {
      const [from = "", to = ""] = [made.names[pick(60)], made.names[59 - pick(20)]];
      const how = n % 2 === 0 ? "all" : "first-parent";
      const before = asked(bench);
      const found = await history.notes(from, to, how);
      expect(asked(bench)).toBe(before);
      expect(found).toEqual(await readLog(trusted, `${from}..${to}`, how));
    }
  });

  it("has the trailers that git finds, and asks it only where it alone can tell", async () => {
    const bench = await makeBench();
    const { repoGit } = bench;
    const { history, trusted } = repoGit;
    const tree = repoGit.store("tree", Buffer.alloc(0));
    const noteOf = async (
      message: string | Buffer,
    ): Promise<{ isAsked: boolean; stages: readonly string[] }> => {
      const head = `tree ${tree}\nauthor A <a@b> 1 +0000\ncommitter C D <c@d> 2 +0100\n\n`;
      const name = repoGit.store("commit", Buffer.concat([Buffer.from(head), Buffer.from(message)]));
      const before = asked(bench);
      const note = await history.note(name);
      const isAsked = asked(bench) > before;
      expect([note]).toEqual(await readLog(trusted, name, "only"));
      return { isAsked, stages: note.stages };
    };
    const told = { isAsked: false };
    const block = "Loom-Run: r-1\nLoom-Stage: one\nLoom-Attempt: 1\n";
    expect(await noteOf(`Title\n\nText\n\n${block}`)).toEqual({ ...told, stages: ["one"] });
    expect(await noteOf(`Title\n\n${block}\n\n`)).toEqual({ ...told, stages: ["one"] });
    expect(await noteOf("Title\n\nloom-stage: one\nLoom-Stage: two\nX: y\n")).toMatchObject({
      stages: ["one", "two"],
    });
    expect(await noteOf("No word of it\n\nSigned-off-by: A <a@b>\n")).toEqual({ ...told, stages: [] });
    const odd = [
      block,
      `\n\n${block}`,
      `Title\n${block}`,
      `Title\n\n${block}\nCo-authored-by: B <b@c>\n`,
      `Title\n\nLoom-Stage: one\nsome words\n`,
      `Title\n\nLoom-Stage: one\n more of it\n`,
      `Title\n\nLoom-Stage:one\n`,
      `Title\n\nLoom-Stage : one\n`,
      `Title\n\nLoom-Stage: \n`,
      `Title\n \nLoom-Stage: one\n`,
      `Title\r\n\r\nLoom-Stage: one\r\n`,
      `Title\n\n# Loom-Stage: one\nLoom-Stage: two\n`,
      `Title\n\nLoom-Stage: one\n---\nLoom-Stage: two\n`,
      `Title\n\n(cherry picked from commit 1)\nLoom-Stage: one\n`,
      "",
    ];
    for (const message of odd) await noteOf(message);
    expect((await noteOf(`Title\n\nLoom-Stage: one\nsome words\n`)).isAsked).toBe(true);
  });

  it("asks git once about a range in which some commits are written in ways of their own", async () => {
    const bench = await makeBench();
    const { history, trusted, store } = bench.repoGit;
    const tree = store("tree", Buffer.alloc(0));
    const line: Sha[] = [];
    for (const message of [
      "first",
      "Loom-Run: a\nand more of Loom-Stage",
      "Loom-Stage is a word",
      "x".repeat(20_000),
      "last",
    ]) {
      const about = { tree, parents: line.slice(-1), author: { ...WHO, date: "@1700000000 +0000" }, message };
      line.push(writeCommit(bench.repoGit, about, about.author));
    }
    const [first = "", last = ""] = [line[0], line.at(-1)];
    for (const how of ["all", "first-parent"] as const) {
      const before = asked(bench);
      expect(await history.notes(first, last, how)).toEqual(await readLog(trusted, `${first}..${last}`, how));
      // Once for the answer, and once for this test.
      expect(asked(bench) - before).toBe(2);
    }
  });

  it.each(["nobody", "PARENT"])("takes no parent from behind the committer, such as %s", async (named) => {
    const bench = await makeBench();
    const { history, trusted, store } = bench.repoGit;
    const tree = store("tree", Buffer.alloc(0));
    const who = "Pat <pat@example.com> 1700000000 +0000";
    const text = (more: string) => `tree ${tree}\nauthor ${who}\ncommitter ${who}\n${more}\nText\n`;
    const other = store("commit", Buffer.from(text("")));
    const crafted = store("commit", Buffer.from(text(`parent ${named.replace("PARENT", other)}\n`)));
    const top = store("commit", Buffer.from(text("").replace("author", `parent ${crafted}\nauthor`)));
    expect(await history.isAncestor(other, top)).toBe(false);
    expect(await history.isAncestor(crafted, top)).toBe(true);
    expect(await history.notes(other, top, "all")).toEqual(await readLog(trusted, `${other}..${top}`, "all"));
  });

  it("says of a commit that is not there that it is nobody's ancestor, and nothing else", async () => {
    const bench = await makeBench();
    const { history } = bench.repoGit;
    const head = bench.repo.sha("HEAD");
    const missing = "12".repeat(20);
    expect(await history.isAncestor(missing, head)).toBe(false);
    expect(await history.isAncestor(head, missing)).toBe(false);
    await expect(history.notes(missing, head, "all")).rejects.toThrow(/bad object|unknown revision|Invalid/i);
    await expect(history.note(missing)).rejects.toThrow();
  });

  it("ends where a shallow repository ends, though its commits name more", async () => {
    const bench = await makeBench();
    const first = bench.repo.sha("HEAD");
    const second = bench.repo.commit("second");
    writeFileSync(join(bench.repo.root, ".git/shallow"), `${second}\n`);
    const { repoGit } = await makeBench(bench.repo);
    expect(repoGit.repository.shallow).toBe(true);
    expect(await repoGit.history.isAncestor(first, second)).toBe(false);
  });

  it("is left to git where the answer lies far back", async () => {
    const bench = await makeBench();
    const { names } = makeHistory(bench.repoGit, 1, 1);
    const [root = ""] = names;
    const tree = bench.repoGit.store("tree", Buffer.alloc(0));
    const line = [root];
    for (let n = 1; n <= 80; n += 1) {
      const by = { ...WHO, date: `@${1_600_000_000 + n} +0000` };
      line.push(
        writeCommit(bench.repoGit, { tree, parents: line.slice(-1), author: by, message: `${n}` }, by),
      );
    }
    // Older by its clock than the one that it is looked for in.
    expect(await bench.repoGit.history.isAncestor(root, line.at(-1) ?? "")).toBe(true);
    expect(asked(bench)).toBe(1);
  });
});
