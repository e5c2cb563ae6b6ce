import { afterEach, describe, expect, it } from "vitest";
import { ask, panel, settled } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  AUTO,
  ended,
  expectAllMerged,
  protection,
  script,
  stage,
  stagePulls,
  stageState,
  start,
  waiting,
} from "../../support/merge-story.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const proved = (id: string) => waiting(world, id, "waits to be merged");
const MERGE = { method: "PUT", route: "/repos/{owner}/{repo}/pulls/{pull_number}/merge" };

async function mergeWhenAtRest(id: string): Promise<void> {
  const pull = await world.stagePull(id);
  await world.until(() => pull.pull?.baseRef === "main", `${id} on main`);
  await world.run((run) => {
    const record = run.stages.get(id);
    return record?.stack.length === 0 && record.waiting !== null;
  }, `${id} at rest`);
  await world.merge(pull.number);
}

describe("what a person merges by hand", () => {
  it("lets the run go on that had given up on it, with all that waited for it", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one", "two") });
    world.github.faults.inject({
      on: "request",
      match: MERGE,
      effect: { kind: "fail", status: 405, body: { message: "Merging is frozen until Monday." } },
    });
    const { issue } = await start(world, [stage("one"), stage("two", ["one"])]);
    await world.run(({ status }) => status === "blocked", "the run to be stuck");
    const one = await world.stagePull("one");
    expect(await panel(world, issue, "frozen")).toContain("by hand");
    await world.merge(one.number, "ada");
    await ended(world);
    await expectAllMerged(world, ["one", "two"]);
  });

  it("counts though they had taken the stage and opened a pull request of their own", async () => {
    world = await aGitHubWorld({
      config: AUTO,
      script: { one: [{ fail: 3 }], ...script("two") },
      env: { LOOM_RETRIES: "0" },
    });
    const { issue } = await start(world, [stage("one"), stage("two", ["one"])]);
    const run = await stageState(world, "one", "blocked");
    const branch = `loom/${run.id}/one`;
    world.repository.protection.set("main", protection({ requiredChecks: ["never"] }));
    await ask(world, issue, "/loom take one");
    await world.push(branch, { "one.txt": "by hand\n" }, "wes");
    await waiting(world, "one", "never");
    world.repository.protection.delete("main");
    await ask(world, issue, "/loom take one");
    await stageState(world, "one", "waiting-for-input");
    await world.merge((await world.stagePull("one")).number, "wes", "merge");
    await ended(world);
    await expectAllMerged(world, ["one", "two"]);
  });

  it("into a branch that had been merged before is not in the target, and is said so", async () => {
    world = await aGitHubWorld({ script: script("one", "two") });
    await start(world, [stage("one"), stage("two", ["one"])]);
    await proved("one");
    await proved("two");
    const one = await world.stagePull("one");
    const two = await world.stagePull("two");
    // Both in one breath, before Loom could move the upper one.
    await world.world.silently(async () => {
      await world.merge(one.number);
      await world.merge(two.number);
    });
    const engine = await world.engine();
    const [run] = await world.runs();
    await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: run?.id ?? "" });
    const after = await stageState(world, "two", "blocked");
    expect(after.stages.get("one")?.state.kind).toBe("completed");
    expect(await world.file("two.txt")).toBeNull();
  });

  it("stays merged, whatever GitHub says later", async () => {
    world = await aGitHubWorld({ script: script("one", "two") });
    await start(world, [stage("one"), stage("two", ["one"])]);
    await proved("two");
    await mergeWhenAtRest("one");
    await stageState(world, "one", "completed");
    const one = await world.stagePull("one");
    // As it has happened: a merged pull request that is shown as open.
    Object.assign(one, { state: "open", closedAt: null, closedBy: null });
    Object.assign(one.pull ?? {}, { merged: false, mergedAt: null, mergedBy: null });
    await world.loom.hosted.host.queue.enqueue({ kind: "sweep" });
    world.comment(one.number, "Why is this open?");
    await settled(world);
    Object.assign(one, { state: "closed" });
    Object.assign(one.pull ?? {}, { merged: true });
    await mergeWhenAtRest("two");
    const run = await ended(world);
    expect(run.stages.get("one")?.state.kind).toBe("completed");
    await expectAllMerged(world, ["one", "two"], { review: true });
  });
});

describe("a stage that was left out", () => {
  it("does not take along what its dependents need, and the synthesis comes last", async () => {
    world = await aGitHubWorld({
      script: { ...script("base", "left", "right", "sum"), out: [{ fail: 3 }] },
      env: { LOOM_RETRIES: "0" },
    });
    const { issue } = await start(world, [
      stage("base"),
      stage("out", ["base"]),
      stage("left", ["out"], { acceptance: ["test -f left.txt", "test -f base.txt"] }),
      stage("right", ["out"], { acceptance: ["test -f right.txt", "test -f base.txt"] }),
      stage("sum", [], {
        synthesis: true,
        acceptance: ["test -f sum.txt", "test -f left.txt", "test -f right.txt"],
      }),
    ]);
    await stageState(world, "out", "blocked");
    await ask(world, issue, "/loom skip out");
    const sum = await world.stagePull("sum");
    expect((await world.stagePull("left")).pull?.baseRef).toMatch(/\/base$/);
    for (const id of ["base", "left", "right", "sum"]) {
      const [pull] = stagePulls(world, id);
      expect((await world.runs())[0]?.status).toBe("running");
      expect(pull?.pull?.merged).toBe(false);
      await mergeWhenAtRest(id);
    }
    expect(sum.pull?.merged).toBe(true);
    const run = await ended(world);
    expect(run.stages.get("out")?.state.kind).toBe("skipped");
    await expectAllMerged(world, ["base", "left", "right", "sum"], { review: true });
  });
});
