import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import type { Sha } from "../../../src/core/ids.ts";
import type { JoinOutcome } from "../../../src/ports/workspace.ts";
import { commitFiles, makeBench, makeRepo } from "../../support/git-repo.ts";

const LINES = "1\n2\n3\n4\n5\n6\n7\n8\n";

function joinedCommit(outcome: JoinOutcome): Sha {
  if (outcome.kind !== "joined") throw new Error(`a conflict in ${outcome.files.join(", ")}`);
  return outcome.commit;
}

describe("a join", () => {
  it("is one merge of all commits, the first one its first parent", async () => {
    const { repo, workspace } = await makeBench(makeRepo({ "a.txt": LINES }));
    const base = repo.sha("HEAD");
    const commits = [
      await commitFiles(workspace, base, { "a.txt": LINES.replace("1", "one") }),
      await commitFiles(workspace, base, { "a.txt": LINES.replace("8", "eight") }),
      await commitFiles(workspace, base, { "b.txt": "b\n" }),
    ];
    const joined = joinedCommit(await workspace.join(commits));
    expect(repo.git("log", "-1", "--format=%P", joined)).toBe(commits.join(" "));
    expect(await workspace.readFile(joined, "a.txt", 100)).toBe(
      LINES.replace("1", "one").replace("8", "eight"),
    );
    expect((await workspace.listFiles(joined)).sort()).toEqual(["a.txt", "b.txt"]);
    expect(repo.git("for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
    expect(
      repo.git("log", "-1", "--format=%B", joined).replaceAll(/[0-9a-f]{40}/g, "<commit>"),
    ).toMatchInlineSnapshot(`
      "Join 3 commits that later work builds on

      - <commit>
      - <commit>
      - <commit>"
    `);
  });

  it("is the same wherever and whenever it is made", async () => {
    const bench = await makeBench(makeRepo({ "a.txt": LINES }));
    const { repo, workspace } = bench;
    const base = repo.sha("HEAD");
    const late = repo.git("commit-tree", "-p", base, "-m", "late", `${base}^{tree}`);
    const early = await commitFiles(workspace, base, { "b.txt": "b\n" });
    const future = futureCommit(repo.root, base);
    const first = joinedCommit(await workspace.join([early, future, late]));
    const again = joinedCommit(await (await bench.restart()).join([early, future, late]));
    expect(again).toBe(first);
    expect(repo.git("log", "-1", "--format=%ct %at", first)).toBe("4000000000 4000000000");
    expect(joinedCommit(await workspace.join([future, early, late]))).not.toBe(first);
  });

  it("is the commit that contains all others, and leaves out what others contain", async () => {
    const { repo, workspace } = await makeBench();
    const base = repo.sha("HEAD");
    const one = await commitFiles(workspace, base, { "1.txt": "1\n" });
    const two = await commitFiles(workspace, one, { "2.txt": "2\n" });
    const side = await commitFiles(workspace, base, { "3.txt": "3\n" });
    expect(await workspace.join([one])).toEqual({ kind: "joined", commit: one });
    expect(await workspace.join([one, two, base, two])).toEqual({ kind: "joined", commit: two });
    const joined = joinedCommit(await workspace.join([one, two, side, base]));
    expect(repo.git("log", "-1", "--format=%P", joined)).toBe(`${two} ${side}`);
    expect(await workspace.join([two, joined])).toEqual({ kind: "joined", commit: joined });
    await expect(workspace.join([])).rejects.toThrow("there are no commits to join");
  });

  it("names the files in conflict", async () => {
    const { repo, workspace } = await makeBench(makeRepo({ "a.txt": LINES, "b.txt": LINES }));
    const base = repo.sha("HEAD");
    const clean = await commitFiles(workspace, base, { "c.txt": "c\n" });
    const one = await commitFiles(workspace, base, { "a.txt": "one\n", "b.txt": "one\n" });
    const two = await commitFiles(workspace, base, { "a.txt": "two\n", "b.txt": "two\n" });
    expect(await workspace.join([clean, one, two])).toEqual({ kind: "conflict", files: ["a.txt", "b.txt"] });
  });

  it("does not let a rename carry a change to a protected path", async () => {
    const repo = makeRepo({ "ci/build.yml": LINES });
    const { workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const changed = await commitFiles(workspace, base, { "ci/build.yml": `${LINES}evil\n` });
    repo.git("mv", "ci", ".github");
    const renamed = repo.commit();
    expect(await workspace.join([renamed, changed])).toEqual({
      kind: "conflict",
      files: [".github/build.yml"],
    });
    const harmless = await commitFiles(workspace, base, { "x.txt": "x\n" });
    expect((await workspace.join([renamed, harmless])).kind).toBe("joined");
  });
});

/** As of a machine whose clock is far ahead. */
function futureCommit(root: string, base: Sha): Sha {
  const date = "4000000000 +0200";
  return execFileSync("git", ["commit-tree", "-p", base, "-m", "future", `${base}^{tree}`], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
  }).trim();
}

describe("a commit of files", () => {
  it("stands on its base with the files put in place", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "run.sh": "1\n", "old/x.txt": "x\n", spot: "a file\n" });
    repo.git("update-index", "--chmod=+x", "run.sh");
    repo.git("commit", "-q", "-m", "executable");
    const { workspace } = await makeBench(repo);
    const base = repo.sha("HEAD");
    const commit = await workspace.commitFiles({
      base,
      files: {
        ".loom/r/plan.yml": "stages: []\n",
        "run.sh": "2\n",
        "spot/now a folder.md": "Ü\n",
        empty: "",
      },
      remove: ["old/x.txt", "never/there.txt"],
      message: "Record\n\nLoom-Run: r\n",
    });
    expect(repo.sha(`${commit}^`)).toBe(base);
    expect(
      repo.git("ls-tree", "-r", "-z", "--format=%(objectmode) %(path)", commit).split("\0").filter(Boolean),
    ).toEqual([
      "100644 .loom/r/plan.yml",
      "100644 a.txt",
      "100644 empty",
      "100755 run.sh",
      "100644 spot/now a folder.md",
    ]);
    expect(await workspace.readFile(commit, "spot/now a folder.md", 10)).toBe("Ü\n");
    expect(repo.git("log", "-1", "--format=%an %B", commit)).toBe("Pat Person Record\n\nLoom-Run: r");
  });

  it.each(["../x", "/x", "a//b", ".git/config", "a/.GIT/hooks", "", "a\nb", "a\\b"])(
    "refuses the path %j",
    async (path) => {
      const { repo, workspace } = await makeBench();
      const base = repo.sha("HEAD");
      const spec = { base, message: "m", files: {} };
      await expect(workspace.commitFiles({ ...spec, files: { [path]: "x" } })).rejects.toThrow(
        /is not the path/,
      );
      await expect(workspace.commitFiles({ ...spec, remove: [path] })).rejects.toThrow(/is not the path/);
    },
  );
});

describe("a question about history", () => {
  it("tells whether a commit is here and what two of them share", async () => {
    const { repo, workspace } = await makeBench();
    const base = repo.sha("HEAD");
    const one = await commitFiles(workspace, base, { "1.txt": "1\n" });
    const two = await commitFiles(workspace, base, { "2.txt": "2\n" });
    const stranger = repo.git("commit-tree", "-m", "alone", `${base}^{tree}`);
    expect(await workspace.mergeBase(one, two)).toBe(base);
    expect(await workspace.mergeBase(one, stranger)).toBeNull();
    expect(await workspace.has(one)).toBe(true);
    expect(await workspace.has("1".repeat(40))).toBe(false);
    expect(await workspace.has(repo.sha(`${one}^{tree}`))).toBe(false);
  });
});
