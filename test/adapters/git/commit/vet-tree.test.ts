import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { vetTree } from "../../../../src/adapters/git/commit/vet-tree.ts";
import { commitSpec, makeBench, makeRepo, tempFolder, writeFiles } from "../../../support/git-repo.ts";

/** Without the defence git would wait for ever; so the tests fail after this long, and say how. */
const TIMES = { callMs: 30_000, stoppingMs: 30_000 };

const BASE = {
  "a.txt": "a\n",
  "b/c.txt": "c\n",
  "b/.gitattributes": "*.txt text\n",
  "CLAUDE.md": "Be kind.\n",
};

async function bench(files: Record<string, string> = BASE) {
  const repo = makeRepo(files);
  const { workspace } = await makeBench(repo, { times: TIMES });
  const base = repo.sha("HEAD");
  const tree = await workspace.open(base);
  return { repo, workspace, base, tree };
}

function sh(cwd: string, script: string): void {
  execFileSync("sh", ["-ec", script], { cwd });
}

const PIPES = [
  ["as the rules of the whole tree", "mkfifo .gitignore"],
  ["as the rules of a new folder", "mkdir new; mkfifo new/.gitignore; echo x > new/x.txt"],
  ["as attributes", "mkfifo .gitattributes"],
  ["in the place of attributes that the base has", "rm b/.gitattributes; mkfifo b/.gitattributes"],
  ["in a folder whose name is no text", "d=$(printf '\\377'); mkdir $d; mkfifo $d/.gitignore"],
  ["in a repository in the repository", "mkdir -p r/.git/refs r/.git/objects; mkfifo r/.git/HEAD"],
] as const;

describe("a pipe that an agent leaves", () => {
  it.each(PIPES)("%s does not keep Loom waiting", async (_where, script) => {
    const { repo, workspace, base, tree } = await bench();
    sh(tree.path, `${script}; echo y > y.txt`);
    const outcome = await workspace.commit(tree, commitSpec(base));
    expect(outcome).toMatchObject({ kind: "committed" });
    if (outcome.kind === "committed") expect(repo.git("show", `${outcome.commit}:y.txt`)).toBe("y");
  });

  it("does not keep the next session waiting, and neither the next use of the tree", async () => {
    const { workspace, base, tree } = await bench();
    sh(tree.path, "mkfifo .gitattributes; rm b/.gitattributes; mkfifo b/.gitattributes; echo z > CLAUDE.md");
    expect(await workspace.restoreConfig(tree, base)).toEqual(["CLAUDE.md"]);
    expect(existsSync(join(tree.path, ".gitattributes"))).toBe(false);

    sh(tree.path, "rm -f b/.gitattributes; mkfifo b/.gitattributes");
    await workspace.fill(tree, base);
    sh(tree.path, "test -f b/.gitattributes");
  });
});

describe("a tree that git would take too long for", () => {
  it("is refused for rules that are too large", async () => {
    const { workspace, base, tree } = await bench();
    for (const name of [".gitignore", ".gitattributes"]) {
      writeFiles(tree.path, { [name]: "" });
      truncateSync(join(tree.path, name), 300_000_000);
      const spec = commitSpec(base);
      expect(await workspace.commit(tree, spec)).toEqual({
        kind: "refused",
        findings: [
          {
            path: name,
            rule: "oversized",
            message: `The \`.gitignore\` and \`.gitattributes\` files of the work tree may have 10 MB together, and with \`${name}\` they have more. Shorten it.`,
          },
        ],
      });
      expect(await workspace.commit(tree, { ...spec, onForbidden: "strip" })).toEqual({ kind: "unchanged" });
      rmSync(join(tree.path, name));
    }
  });

  it("is refused for a pattern that takes hours, which a remark may look like", async () => {
    const { workspace, base, tree } = await bench();
    const pattern = `**/${"a/**/".repeat(10)}b`;
    writeFiles(tree.path, { "b/.gitignore": `# ${pattern}\n` });
    expect(await workspace.commit(tree, commitSpec(base))).toMatchObject({ kind: "committed" });
    writeFiles(tree.path, { ".gitignore": `x\n${pattern}\n`, [`${"a/".repeat(60)}x.txt`]: "x\n" });
    expect(await workspace.commit(tree, commitSpec(base))).toEqual({
      kind: "refused",
      findings: [
        {
          path: ".gitignore",
          rule: "oversized",
          message:
            "`.gitignore` has a pattern with more than 5 `**`, which git can take hours to match. Use fewer.",
        },
      ],
    });
  });

  it("is refused for folders deeper than Loom can look, and the next session still begins", async () => {
    const { workspace, base, tree } = await bench();
    sh(tree.path, `n=$(printf 'd%.0s' $(seq 200)); for i in $(seq 40); do mkdir $n; cd -P $n; done`);
    expect(await workspace.commit(tree, commitSpec(base))).toEqual({
      kind: "refused",
      findings: [
        {
          path: ".",
          rule: "change-too-large",
          message:
            "The work tree has folders in each other that are too deep to be looked through. Remove them.",
        },
      ],
    });
    expect(await workspace.restoreConfig(tree, base)).toEqual([]);
    await workspace.fill(tree, base);
  });

  it("is refused for more entries than anybody has, ignored ones too", async () => {
    const root = tempFolder();
    mkdirSync(join(root, "out"));
    for (const name of ["one", "two", "three"]) writeFiles(root, { [`out/${name}`]: "" });
    const limits = { entries: 4, ruleBytes: 10, wildcards: 1 };
    expect(await vetTree(root, limits)).toBeNull();
    writeFiles(root, { "out/four": "" });
    expect((await vetTree(root, limits))?.message).toMatchInlineSnapshot(
      `"The work tree holds more than 4 files and folders. Remove what does not belong to the stage."`,
    );
  });
});
