import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CallTimes } from "../../../../src/adapters/git/run/call-limits.ts";
import { compileSources } from "../../../support/compile-sources.ts";
import { commitSpec, makeBench, makeRepo, tempFolder } from "../../../support/git-repo.ts";
import { isAlive, livingWith, until } from "../../../support/living-processes.ts";

const NEVER_MS = 600_000;

/** A tree that git does not come back from: it leads to a pipe that lies elsewhere, where Loom has nothing to remove. */
async function endless(limits: CallTimes, stop?: AbortSignal) {
  const repo = makeRepo();
  const times = { callMs: NEVER_MS, stoppingMs: NEVER_MS };
  const { workspace } = await makeBench(repo, { times, ...(stop ? { stop } : {}) });
  const base = repo.sha("HEAD");
  const tree = await workspace.open(base);
  const trap = tempFolder();
  const script = `mkdir -p sub $TRAP/refs $TRAP/objects; mkfifo $TRAP/HEAD; echo "gitdir: $TRAP" > sub/.git; echo x > sub/x`;
  execFileSync("sh", ["-ec", script], { cwd: tree.path, env: { PATH: process.env.PATH, TRAP: trap } });
  Object.assign(times, limits);
  const gits = (): number[] => livingWith(`GIT_WORK_TREE=${tree.path}`);
  return { path: tree.path, gits, commit: () => workspace.commit(tree, commitSpec(base)) };
}

const REFUSED = {
  kind: "refused",
  findings: [
    {
      path: ".",
      rule: "change-too-large",
      message:
        "Git could not look through the work tree in time. Remove deep folders, repositories in the repository, and slow patterns in `.gitignore` and `.gitattributes`.",
    },
  ],
};

describe("git on an agent's tree", () => {
  it("is ended when it takes too long, and the tree is refused", async () => {
    const { gits, commit } = await endless({ callMs: 500, stoppingMs: NEVER_MS });
    expect(await commit()).toEqual(REFUSED);
    expect(gits()).toEqual([]);
  });

  it("is ended soon after Loom is to stop, and so is one that is begun then", async () => {
    const stop = new AbortController();
    const { gits, commit } = await endless({ callMs: NEVER_MS, stoppingMs: 500 }, stop.signal);
    const outcome = commit();
    await until(() => gits().length > 0, "git looks at the tree");
    stop.abort();
    expect(await outcome).toEqual(REFUSED);
    expect(await commit()).toEqual(REFUSED);
    expect(gits()).toEqual([]);
  });

  it("does not outlive a Loom that ends at once", async () => {
    const { path, gits } = await endless({ callMs: NEVER_MS, stoppingMs: NEVER_MS });
    const { root, dispose } = await compileSources(["src/adapters/git"]);
    onTestFinished(dispose);
    const program = join(root, "src/adapters/git/run/git.js");
    const repository = tempFolder();
    execFileSync("git", ["init", "-q", repository]);
    const script = `
      import { createGit } from ${JSON.stringify(program)};
      process.on("SIGTERM", () => process.exit(1));
      const place = { cwd: "/", settings: "own", gitDir: process.argv[1], workTree: process.argv[2] };
      await createGit().run(place, { command: "ls-files", options: ["-o"] });
    `;
    const args = ["--input-type=module", "-e", script, join(repository, ".git"), path];
    const loom = spawn(process.execPath, args, { stdio: "ignore" });
    await until(() => gits().length > 0, "git looks at the tree");
    loom.kill("SIGTERM");
    await until(() => !isAlive(loom.pid ?? 0), "the process is gone");
    await until(() => gits().length === 0, "its git is gone");
  });
});
