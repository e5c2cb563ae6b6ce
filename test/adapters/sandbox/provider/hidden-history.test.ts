import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import { createSandboxWorld, finish, type SandboxWorld, start } from "./sandbox-world.ts";

const SECRET = "hunter2-in-the-tree";
const OLD = "hunter2-of-long-ago";
const STASHED = "hunter2-put-aside";

let world: SandboxWorld;
beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
beforeEach(() => {
  world = createSandboxWorld({ LOOM_SANDBOX: "bubblewrap" });
});
afterEach(() => world.dispose());

function git(...args: string[]): string {
  return execFileSync("git", args, {
    cwd: world.repository,
    encoding: "utf8",
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
  });
}

/** A secret in the tree, one that only an old commit has, one in the stash; packed and loose, with logs of refs. */
function makeRepository(): { readonly secret: string } {
  world.makeRepository({ "a.txt": "one\n", "secret/key.txt": `${SECRET}\n` });
  writeFileSync(join(world.repository, "secret/old.txt"), `${OLD}\n`);
  git("add", "-A");
  git("commit", "-qm", "old");
  git("tag", "old");
  git("rm", "-q", "secret/old.txt");
  git("commit", "-qm", "removed");
  git("gc", "-q");
  writeFileSync(join(world.repository, "secret/key.txt"), `${STASHED}\n`);
  git("stash", "-q");
  git("-C", world.tree, "checkout", "-q", "--detach", "main");
  return { secret: git("rev-parse", "HEAD:secret/key.txt").trim() };
}

const ways = (secret: string) => [
  "cat secret/key.txt",
  "cat secret/*",
  "git show HEAD:secret/key.txt",
  "git show old:secret/old.txt",
  `git cat-file -p ${secret}`,
  "git cat-file --batch-all-objects --batch",
  "git log -p --all",
  "git log -p -g",
  "git stash show -p",
  "git archive HEAD",
  "git grep hunter2 old",
  "git checkout -- secret/key.txt && cat secret/key.txt",
  "git restore --worktree --source=old secret",
  "git worktree list; git for-each-ref; git reflog",
  "git diff 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD",
  "git fsck --lost-found",
  "git bundle create - --all",
  `git clone ${world.repository} /tmp/copy`,
  `git --git-dir=${world.repository}/.git log -p --all`,
  `git -c safe.directory='*' -C ${world.repository} show HEAD:secret/key.txt`,
  `cat ${world.repository}/.git/packed-refs; ls ${world.repository}/.git/objects`,
  "cat .git; cd $(sed 's/gitdir: //' .git) && ls",
  `export GIT_DIR=${world.repository}/.git GIT_WORK_TREE=.; git show HEAD:secret/key.txt`,
  `export GIT_ALTERNATE_OBJECT_DIRECTORIES=${world.repository}/.git/objects; git init -q /tmp/x; git --git-dir=/tmp/x/.git cat-file -p ${secret}`,
  `for f in $(find / -xdev \\( -name '*.pack' -o -path '*/objects/*' \\) -type f 2>/dev/null); do echo OBJECTS $f; done`,
  "ln -s secret/key.txt link; cat link; ln secret/key.txt hard; cat hard; mv secret moved; cat moved/key.txt",
];

describe("where rules hide files", () => {
  it("git has nothing to show of them, by no way in", async () => {
    const { secret } = makeRepository();
    const sandbox = await world.open({ hidden: ["secret/**"] });
    const script = ways(secret)
      .map((way) => `( ${way} ) 2>&1`)
      .join("\n");
    const { out } = await finish(start(sandbox, ["/bin/sh", "-c", script], world.tree));
    expect(out).not.toContain("hunter2");
    expect(out).not.toContain("OBJECTS");
  });

  it("git says why", async () => {
    makeRepository();
    const sandbox = await world.open({ hidden: ["secret/**"] });
    const { err } = await finish(start(sandbox, ["git", "status"], world.tree));
    expect(err).toMatchInlineSnapshot(`
      "fatal: not a git repository: /no-history/the-sandbox-rules-hide-files-so-git-can-not-be-used
      "
    `);
  });

  it("the same holds in a checkout of its own, and for what it borrows from another", async () => {
    makeRepository();
    const borrower = join(world.root, "borrower");
    execFileSync("git", ["clone", "-q", "--shared", world.repository, borrower]);
    const sandbox = await world.open({ tree: borrower, hidden: ["secret"] });
    const script = `cat secret/*; git show HEAD:secret/key.txt; git --git-dir=${world.repository}/.git log -p; ls .git ${world.repository}/.git/objects`;
    const { out } = await finish(start(sandbox, ["/bin/sh", "-c", script], borrower));
    expect(out).not.toContain("hunter2");
    expect(out).not.toContain("pack");
  });

  it("a rule that hides all hides all", async () => {
    makeRepository();
    const sandbox = await world.open({ hidden: ["**"] });
    const { out } = await finish(
      start(sandbox, ["/bin/sh", "-c", "cat a.txt secret/key.txt; ls -A"], world.tree),
    );
    expect(out).not.toContain("hunter2");
    expect(out).not.toContain("one");
  });
});

describe("where files are only covered", () => {
  it("git can be asked as ever", async () => {
    makeRepository();
    const sandbox = await world.open({ covered: ["secret/**"] });
    const { out } = await finish(
      start(sandbox, ["/bin/sh", "-c", "cat secret/*; git log --format=%s"], world.tree),
    );
    expect(out).toBe("removed\nold\nBegin\n");
  });
});
