import { chmodSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGit } from "../../../src/adapters/git/run/git.ts";
import { assertCheckoutClean } from "../../../src/adapters/local/checkout-state.ts";
import { createLocalForge } from "../../../src/adapters/local/forge.ts";
import { openRepository } from "../../../src/adapters/local/open-repository.ts";
import { findUnsavedWork } from "../../../src/adapters/local/unsaved-work.ts";
import {
  commitFiles,
  commitTree,
  makeBench,
  makeRepo,
  makeTrap,
  type TestRepo,
  tempFolder,
  writeFiles,
} from "../../support/git-repo.ts";

const FILTERED = { "a.nb": "a\n", "b.nb": "b\n", "a.txt": "a\n", ".gitattributes": "*.nb filter=nb\n" };

/** A person's filter that the repository has a script of, which an agent has replaced by now. */
function makeFiltered(): { repo: TestRepo; sprung: () => boolean } {
  const repo = makeRepo(FILTERED);
  const trap = makeTrap();
  // As old as they would be: git looks again into files that are as new as its index.
  for (const file of Object.keys(FILTERED)) age(repo, file);
  repo.git("status");
  repo.write({ "clean.sh": readFileSync(trap.command, "utf8") });
  chmodSync(join(repo.root, "clean.sh"), 0o755);
  for (const kind of ["clean", "smudge"]) repo.git("config", `filter.nb.${kind}`, "./clean.sh");
  return { repo, sprung: trap.sprung };
}

function age(repo: TestRepo, file: string): void {
  utimesSync(join(repo.root, file), 1_700_000_000, 1_700_000_000);
}

async function merge(repo: TestRepo, files: Readonly<Record<string, string>>) {
  const { workspace, repoGit } = await makeBench(repo);
  const onto = repo.sha("main");
  const commit = await commitFiles(workspace, onto, files);
  const forge = await createLocalForge({ git: repoGit, target: "main" });
  return { commit, outcome: await forge.merge({ run: "r", stage: "s", commit, onto }) };
}

describe("a filter that agents could have a hand in", () => {
  it.each<[string, Readonly<Record<string, string>>]>([
    ["a changed file", { "a.nb": "changed\n" }],
    ["a new file", { "new.nb": "new\n" }],
    [
      "a file that the same change makes it apply to",
      { ".gitattributes": "* filter=nb\n", "new.txt": "x\n" },
    ],
  ])("holds a merge that would write through it: %s", async (_what, files) => {
    const { repo, sprung } = makeFiltered();
    const onto = repo.sha("main");
    const { outcome } = await merge(repo, files);
    const name = Object.keys(files).find((file) => file !== ".gitattributes");
    expect(outcome.kind === "held" && outcome.reason.replace(repo.root, "<repo>")).toContain(
      `The checkout in <repo> can't follow the merge, which writes `,
    );
    expect(outcome.kind === "held" && outcome.reason).toContain(`\`${name}\``);
    expect(outcome).toMatchObject({
      reason: expect.stringContaining("the git filter `nb` runs `./clean.sh`"),
      next: "Check out another branch there, run `loom resume`, look at the change and merge or check out the branch yourself.",
    });
    expect(sprung()).toBe(false);
    expect(repo.sha("main")).toBe(onto);
    expect(readFileSync(join(repo.root, "a.nb"), "utf8")).toBe("a\n");
  });

  it("is in the way of no merge that does not need it", async () => {
    const { repo, sprung } = makeFiltered();
    const { commit, outcome } = await merge(repo, { "a.txt": "A\n" });
    expect(outcome).toEqual({ kind: "merged", as: commit });
    expect(readFileSync(join(repo.root, "a.txt"), "utf8")).toBe("A\n");
    expect(sprung()).toBe(false);
  });

  it("holds a merge that removes a file which may have been changed", async () => {
    const { repo, sprung } = makeFiltered();
    utimesSync(join(repo.root, "a.nb"), 1_700_000_005, 1_700_000_005);
    const { workspace, repoGit } = await makeBench(repo);
    const onto = repo.sha("main");
    const tree = await workspace.open(onto);
    rmSync(join(tree.path, "a.nb"));
    const commit = await commitTree(workspace, tree, onto);
    const forge = await createLocalForge({ git: repoGit, target: "main" });
    expect(await forge.merge({ run: "r", stage: "s", commit, onto })).toMatchObject({
      kind: "held",
      reason: expect.stringMatching(/^Loom can't compare `a\.nb`/),
    });
    expect(sprung()).toBe(false);
    expect(repo.sha("main")).toBe(onto);
  });

  it("is not run to see whether a checkout is clean, nor for what is not committed yet", async () => {
    const { repo, sprung } = makeFiltered();
    writeFileSync(join(repo.root, "a.nb"), "c\n");
    const { repoGit } = await makeBench(repo);
    for (const look of [() => assertCheckoutClean(repoGit, "main"), () => findUnsavedWork(repoGit)]) {
      await expect(look()).rejects.toMatchObject({
        name: "UserError",
        message: `Loom can't compare \`a.nb\` in ${repo.root}: the git filter \`nb\` runs \`./clean.sh\`, which could be an agent's code there, and Loom only runs git-lfs and git-crypt.`,
        next: "Commit or stash what you changed there, and run `git status` once.",
      });
    }
    expect(sprung()).toBe(false);
  });

  it("is in nobody's way as long as its files are unchanged", async () => {
    const { repo } = makeFiltered();
    writeFileSync(join(repo.root, "a.txt"), "mine\n");
    const { repoGit } = await makeBench(repo);
    const { commit } = await findUnsavedWork(repoGit);
    expect(repo.git("diff", "--name-only", "HEAD", commit ?? "")).toBe("a.txt");
  });
});

describe("git-lfs", () => {
  it("is run, whatever other filters there are", async () => {
    const folder = tempFolder();
    writeFileSync(
      join(folder, "git-lfs"),
      "#!/bin/sh\ncase $1 in clean) tr A-Z a-z ;; smudge) tr a-z A-Z ;; esac\n",
    );
    chmodSync(join(folder, "git-lfs"), 0o755);
    const path = process.env.PATH;
    process.env.PATH = `${folder}:${path}`;
    onTestFinished(() => {
      process.env.PATH = path;
    });
    const repo = makeRepo({ ".gitattributes": "*.big filter=lfs\n", "old.txt": "x\n" });
    repo.git("config", "filter.lfs.clean", "git-lfs clean -- %f");
    repo.git("config", "filter.lfs.smudge", "git-lfs smudge -- %f");
    repo.git("config", "filter.lfs.required", "true");
    repo.git("config", "filter.other.clean", "./clean.sh");
    const { commit, outcome } = await merge(repo, { "x.big": "quiet\n" });
    expect(outcome).toEqual({ kind: "merged", as: commit });
    expect(readFileSync(join(repo.root, "x.big"), "utf8")).toBe("QUIET\n");
    expect(repo.git("status", "--porcelain")).toBe("");
    writeFileSync(join(repo.root, "x.big"), "LOUD\n");
    const { repoGit } = await makeBench(repo);
    const unsaved = await findUnsavedWork(repoGit);
    expect(repo.git("cat-file", "-p", `${unsaved.commit}:x.big`)).toBe("loud");
  });
});

describe("settings in a file of the repository", () => {
  const ways: [string, (repo: TestRepo) => void][] = [
    ["one that is included", (repo) => repo.git("config", "include.path", "../dev/gitconfig")],
    [
      "one that the home folder's file is a link to",
      (repo) => symlinkSync(join(repo.root, "dev/gitconfig"), join(process.env.HOME ?? "", ".gitconfig")),
    ],
  ];

  it.each(ways)("are not obeyed: %s", async (_what, include) => {
    const trap = makeTrap();
    const repo = makeRepo({
      "a.txt": "a\n",
      ".gitattributes": "* filter=evil\n",
      "dev/gitconfig": `[filter "evil"]\n\tclean = ${trap.command}\n[core]\n\tautocrlf = true\n`,
    });
    include(repo);
    writeFiles(repo.root, { "a.txt": "changed\n" });
    const { repoGit } = await makeBench(repo);
    await expect(assertCheckoutClean(repoGit, "main")).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringMatching(
        /^Your git settings have `filter\.evil\.clean` from .*gitconfig, a file of the repository, which agents can change\.$/,
      ),
      next: "Copy it to a place outside of the repository and name that in your settings, or let Loom merge into another branch with --into.",
    });
    await expect(findUnsavedWork(repoGit)).rejects.toThrow("Your git settings");
    expect(trap.sprung()).toBe(false);
    expect((await openRepository(createGit(), repo.root)).fileSettings).toEqual({ filemode: "true" });
  });

  it("hold a merge", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "dev/gitconfig": "[core]\n\tattributesFile = x\n" });
    repo.git("config", "include.path", "../dev/gitconfig");
    const { outcome } = await merge(repo, { "a.txt": "b\n" });
    expect(outcome).toMatchObject({ kind: "held", next: expect.stringMatching(/Then run `loom resume`\.$/) });
  });

  it("may be there when git does not need them for what Loom asks", async () => {
    const repo = makeRepo({ "a.txt": "a\n", "dev/gitconfig": "[alias]\n\tst = status\n" });
    repo.git("config", "include.path", "../dev/gitconfig");
    const { commit, outcome } = await merge(repo, { "a.txt": "b\n" });
    expect(outcome).toEqual({ kind: "merged", as: commit });
  });
});
