import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commitSpec, makeBench, makeRepo, type TestRepo, writeFiles } from "../../support/git-repo.ts";

const LINES = "a=1\nb=2\nc=3\nd=4\ne=5\nf=6\n";
const EVIL = "script-shell=./evil.sh\n";

async function judge(repo: TestRepo, work: (root: string) => void) {
  const { workspace } = await makeBench(repo);
  const base = repo.sha("HEAD");
  const tree = await workspace.open(base);
  work(tree.path);
  const outcome = await workspace.commit(tree, commitSpec(base));
  const stripped = await workspace.commit(tree, commitSpec(base, { onForbidden: "strip" }));
  const findings = outcome.kind === "refused" ? outcome.findings : [];
  return {
    found: findings.map(({ rule, path }) => `${rule} ${path}`),
    kept: stripped.kind === "committed" ? stripped.files : [],
  };
}

describe("settings of package managers", () => {
  it("are refused where they come to name a program, and taken where they don't", async () => {
    const repo = makeRepo({ "sub/.npmrc": EVIL });
    const { found, kept } = await judge(repo, (root) =>
      writeFiles(root, {
        ".npmrc": EVIL,
        "app/.NPMRC": EVIL,
        "lib/.npmrc": "registry=https://x.example\n",
        "sub/.npmrc": `${EVIL}save-exact=true\n`,
        ".yarnrc.yml": "yarnPath: ./evil.cjs\n",
        ".pnpmfile.cjs": "",
      }),
    );
    expect(found).toEqual([
      "protected-path .npmrc",
      "protected-path .pnpmfile.cjs",
      "protected-path .yarnrc.yml",
      "protected-path app/.NPMRC",
    ]);
    expect(kept).toEqual(["lib/.npmrc", "sub/.npmrc"]);
  });

  it("are not taken from where a link leads, neither a new one nor one that was there", async () => {
    const added = await judge(makeRepo({ "conf/npmrc": LINES }), (root) =>
      symlinkSync("conf/npmrc", join(root, ".npmrc")),
    );
    expect(added.found).toEqual(["protected-path .npmrc"]);

    const repo = makeRepo({ "conf/npmrc": LINES, "other/x": "" });
    symlinkSync("conf/npmrc", join(repo.root, ".npmrc"));
    repo.commit();
    const through = await judge(repo, (root) => writeFiles(root, { "conf/npmrc": EVIL }));
    expect(through.found).toEqual(["protected-path conf/npmrc"]);
    const fine = await judge(repo, (root) => writeFiles(root, { "conf/npmrc": `${LINES}g=7\n` }));
    expect(fine).toEqual({ found: [], kept: ["conf/npmrc"] });
    const turned = await judge(repo, (root) => {
      rmSync(join(root, "conf"), { recursive: true });
      symlinkSync("other", join(root, "conf"));
      writeFiles(root, { "other/npmrc": EVIL });
    });
    expect(turned.found).toEqual(["protected-path other/npmrc"]);
  });

  it("get no program from a change that a rename carries to them", async () => {
    const { repo, workspace } = await makeBench(makeRepo({ "sample.npmrc": LINES, a: "" }));
    const base = repo.sha("HEAD");
    const tree = await workspace.open(base);
    writeFiles(tree.path, { "sample.npmrc": `${LINES}${EVIL}` });
    const made = await workspace.commit(tree, commitSpec(base));
    const commit = made.kind === "committed" ? made.commit : "";
    repo.git("mv", "sample.npmrc", ".npmrc");
    const renamed = repo.commit();
    expect(await workspace.transplant(commit, renamed)).toMatchObject({
      kind: "conflict",
      files: [".npmrc"],
    });
    expect(await workspace.join([renamed, commit])).toEqual({ kind: "conflict", files: [".npmrc"] });
  });
});
