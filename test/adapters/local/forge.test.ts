import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createLocalForge } from "../../../src/adapters/local/forge.ts";
import { commitMessage } from "../../../src/core/merge/trailers.ts";
import { type Bench, commitFiles, makeBench, makeRepo, type TestRepo } from "../../support/git-repo.ts";

async function makeForge(repo: TestRepo = makeRepo(), target = "main") {
  const bench = await makeBench(repo);
  return { ...bench, forge: await createLocalForge({ git: bench.repoGit, target }) };
}

/** As after a kill, some time ago. */
function leaveLock(repo: TestRepo, ref: string, text: string): void {
  const lock = join(repo.root, ".git", `${ref}.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, text);
  utimesSync(lock, 1_700_000_000, 1_700_000_000);
}

function stageCommit(
  { repo, workspace }: Bench,
  stage: string,
  files: Record<string, string>,
  base = repo.sha("main"),
) {
  const message = commitMessage({ subject: stage, body: "", run: "run-1", stage, attempt: 1 });
  return commitFiles(workspace, base, files, { message });
}

describe("publishing", () => {
  it("makes the stage's branch, and finds it when asked again", async () => {
    const world = await makeForge();
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    const spec = { run: "run-1", stage: "build", commit, previous: null };
    const published = { kind: "published", branch: "loom/run-1/build", pr: null };
    expect(await world.forge.publish(spec)).toEqual(published);
    expect(await world.forge.publish(spec)).toEqual(published);
    expect(world.repo.sha("loom/run-1/build")).toBe(commit);
  });

  it("moves the branch on from where Loom had put it", async () => {
    const world = await makeForge();
    const first = await stageCommit(world, "build", { "x.txt": "x\n" });
    const second = await stageCommit(world, "build", { "x.txt": "y\n" });
    await world.forge.publish({ run: "run-1", stage: "build", commit: first, previous: null });
    const outcome = await world.forge.publish({
      run: "run-1",
      stage: "build",
      commit: second,
      previous: first,
    });
    expect(outcome.kind).toBe("published");
    expect(world.repo.sha("loom/run-1/build")).toBe(second);
  });

  it("leaves a branch alone that a person moved, and makes one again that they deleted", async () => {
    const world = await makeForge();
    const { repo, forge } = world;
    const first = await stageCommit(world, "build", { "x.txt": "x\n" });
    const second = await stageCommit(world, "build", { "x.txt": "y\n" });
    await forge.publish({ run: "run-1", stage: "build", commit: first, previous: null });
    repo.git("branch", "-f", "loom/run-1/build", "main");
    expect(await forge.publish({ run: "run-1", stage: "build", commit: second, previous: first })).toEqual({
      kind: "taken",
      branch: "loom/run-1/build",
      tip: repo.sha("main"),
    });
    expect(repo.sha("loom/run-1/build")).toBe(repo.sha("main"));
    repo.git("branch", "-D", "loom/run-1/build");
    const again = await forge.publish({ run: "run-1", stage: "build", commit: second, previous: first });
    expect(again.kind).toBe("published");
  });

  it("goes on where a Loom that was killed has left its locks", async () => {
    const world = await makeForge();
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    leaveLock(world.repo, "refs/heads/loom/run-1/build", `${commit}\n`);
    leaveLock(world.repo, "refs/loom-published/run-1/build", "");
    const outcome = await world.forge.publish({ run: "run-1", stage: "build", commit, previous: null });
    expect(outcome.kind).toBe("published");
    expect(world.repo.sha("loom/run-1/build")).toBe(commit);
    expect(world.repo.sha("refs/loom-published/run-1/build")).toBe(commit);
  });

  it("makes up for a marker that was left to do", async () => {
    const world = await makeForge();
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    world.repo.git("branch", "loom/run-1/build", commit);
    const outcome = await world.forge.publish({ run: "run-1", stage: "build", commit, previous: null });
    expect(outcome.kind).toBe("published");
    expect(world.repo.sha("refs/loom-published/run-1/build")).toBe(commit);
  });

  it("says which branch is in the way", async () => {
    const world = await makeForge();
    world.repo.git("branch", "loom");
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    await expect(
      world.forge.publish({ run: "run-1", stage: "build", commit, previous: null }),
    ).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining("'refs/heads/loom' exists"),
    });
  });

  it.each(["../../x", "x.lock", "--upload-pack=x", "$(id)", "a b", "x\0delete refs/heads/main"])(
    "refuses %j as the name of a run or a stage",
    async (name) => {
      const { forge, repo } = await makeForge();
      const commit = repo.sha("main");
      await expect(forge.publish({ run: name, stage: "s", commit, previous: null })).rejects.toThrow(
        "is not an id",
      );
      await expect(forge.publish({ run: "r", stage: name, commit, previous: null })).rejects.toThrow(
        "is not an id",
      );
      await expect(forge.cleanUp(name, [])).rejects.toThrow("is not an id");
      await expect(forge.forget(name)).rejects.toThrow("is not an id");
      await expect(forge.record({ run: name, files: {}, message: "m" })).rejects.toThrow("is not an id");
    },
  );

  it("is undone by the clean-up, but for stages to keep and branches a person moved or works on", async () => {
    const world = await makeForge();
    const { repo, forge } = world;
    for (const stage of ["merged", "kept", "moved", "open"]) {
      const commit = await stageCommit(world, stage, { [stage]: "x\n" });
      await forge.publish({ run: "run-1", stage, commit, previous: null });
      await forge.publish({ run: "run-2", stage, commit, previous: null });
    }
    repo.git("branch", "-f", "loom/run-1/moved", "main");
    repo.git("worktree", "add", "-q", `${repo.root}-open`, "loom/run-1/open");
    // By another process: what it knows, it knows from git.
    await (await createLocalForge({ git: world.repoGit, target: "main" })).cleanUp("run-1", ["kept"]);
    const left = repo.git("for-each-ref", "--format=%(refname)").split("\n");
    expect(left.filter((name) => name.includes("run-1"))).toEqual([
      "refs/heads/loom/run-1/kept",
      "refs/heads/loom/run-1/moved",
      "refs/heads/loom/run-1/open",
      "refs/loom-published/run-1/kept",
    ]);
    expect(left.filter((name) => name.includes("run-2"))).toHaveLength(8);
    await forge.cleanUp("run-3", []);
  });
});

describe("merging", () => {
  it("goes on where a Loom that was killed has locked the target", async () => {
    const world = await makeForge();
    const onto = await world.forge.targetTip();
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    leaveLock(world.repo, "refs/heads/main", `${commit}\n`);
    const outcome = await world.forge.merge({ run: "run-1", stage: "build", commit, onto });
    expect(outcome).toEqual({ kind: "merged", as: commit });
  });

  it("moves the target and writes why into its log", async () => {
    const world = await makeForge();
    const { repo, forge } = world;
    const onto = await forge.targetTip();
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    expect(await forge.merge({ run: "run-1", stage: "build", commit, onto })).toEqual({
      kind: "merged",
      as: commit,
    });
    expect(await forge.targetTip()).toBe(commit);
    expect(repo.git("reflog", "-1", "--format=%gs", "main")).toBe("loom: merge build");
    expect(repo.git("reflog", "-1", "--format=%gs", "HEAD")).toBe("loom: merge build");
  });

  it("lets one of two win, and the other one learns where the target is now", async () => {
    const world = await makeForge();
    const { forge } = world;
    const onto = await forge.targetTip();
    const commits = [
      await stageCommit(world, "one", { "one.txt": "1\n" }),
      await stageCommit(world, "two", { "two.txt": "2\n" }),
    ];
    const outcomes = await Promise.all(
      commits.map((commit, n) => forge.merge({ run: "run-1", stage: `s${n}`, commit, onto })),
    );
    const winner = commits[outcomes.findIndex(({ kind }) => kind === "merged")];
    expect(outcomes).toContainEqual({ kind: "merged", as: winner });
    expect(outcomes).toContainEqual({ kind: "moved", tip: winner });
    expect(await forge.targetTip()).toBe(winner);
    expect(world.repo.git("status", "--porcelain")).toBe("");
  });

  it("is done already when the target is at the commit", async () => {
    const world = await makeForge();
    const onto = world.repo.sha("main");
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    await world.forge.merge({ run: "run-1", stage: "build", commit, onto });
    expect(await world.forge.merge({ run: "run-1", stage: "build", commit, onto })).toEqual({
      kind: "merged",
      as: commit,
    });
  });

  it("says so when the branch is gone", async () => {
    const world = await makeForge(makeRepo(), "other");
    await expect(world.forge.targetTip()).rejects.toMatchObject({
      name: "UserError",
      message: "The branch `other` is gone.",
    });
  });
});

describe("finding a merged stage", () => {
  it("goes by both trailers, exactly, and only after the given commit", async () => {
    const world = await makeForge();
    const { forge } = world;
    const start = await forge.targetTip();
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    expect(await forge.findMerged("run-1", "build", start)).toBeNull();
    await forge.merge({ run: "run-1", stage: "build", commit, onto: start });
    expect(await forge.findMerged("run-1", "build", start)).toBe(commit);
    expect(await forge.findMerged("run-1", "buil", start)).toBeNull();
    expect(await forge.findMerged("run", "build", start)).toBeNull();
    expect(await forge.findMerged("run-1", "build", commit)).toBeNull();
  });

  it("finds a stage that a person picked or merged by hand", async () => {
    const world = await makeForge();
    const { repo, forge } = world;
    const start = repo.sha("main");
    const commit = await stageCommit(world, "build", { "x.txt": "x\n" });
    repo.write({ "other.txt": "o\n" });
    repo.commit();
    repo.git("merge", "-q", "-m", "by hand", commit);
    expect(await forge.findMerged("run-1", "build", start)).toBe(commit);
    const another = await stageCommit(world, "test", { "y.txt": "y\n" }, start);
    repo.git("cherry-pick", another);
    expect(await forge.findMerged("run-1", "test", start)).toBe(repo.sha("HEAD"));
  });

  it("is not fooled by a message that quotes the trailers", async () => {
    const world = await makeForge();
    const { repo, forge, workspace } = world;
    const start = repo.sha("main");
    const message = commitMessage({
      subject: "Loom-Stage: other",
      body: "Text\n\nLoom-Run: run-1\nLoom-Stage: other\n\nLoom-Run: run-1\nLoom-Stage: other",
      run: "run-1",
      stage: "build",
      attempt: 1,
    });
    const commit = await commitFiles(workspace, start, { "x.txt": "x\n" }, { message });
    await forge.merge({ run: "run-1", stage: "build", commit, onto: start });
    expect(await forge.findMerged("run-1", "other", start)).toBeNull();
    expect(await forge.findMerged("run-1", "build", start)).toBe(commit);
  });
});
