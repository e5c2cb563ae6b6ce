import { afterEach, describe, expect, it } from "vitest";
import type { PullIssue } from "../../../playground/model/find.ts";
import { deleteBranch } from "../../../playground/model/pulls/delete-branch.ts";
import { editPull } from "../../../playground/model/pulls/edit-pull.ts";
import { pullSimpleShape } from "../../../playground/rest/shape/pulls/pull-simple.ts";
import { observeRun } from "../../../src/engine/github/observe/observe-run.ts";
import type { Pulls } from "../../../src/ports/github/pulls.ts";
import { ask, check, panel, settled } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  AUTO,
  branches,
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

const reopenings = async (of: GitHubWorld, run: string): Promise<string[]> => {
  const { events } = await (await of.engine()).store.load(run);
  return events.flatMap((event) => (event.type === "stage-reopened" ? [event.by] : []));
};
const proved = (id: string) => waiting(world, id, "waits to be merged");

describe("a person pushes to a stage's branch (F19)", () => {
  it("is never overwritten: the stage is held, and `/loom take` goes on with what they pushed", async () => {
    world = await aGitHubWorld({ script: script("one", "two") });
    const { issue } = await start(world, [stage("one"), stage("two", ["one"])]);
    await proved("two");
    const one = await world.stagePull("one");
    const branch = one.pull?.headRef ?? "";
    const pushed = await world.push(branch, { "more.txt": "more\n" }, "wes", branch);
    await stageState(world, "one", "blocked");
    expect(await panel(world, issue, "Somebody pushed")).toContain("/loom take one");
    expect(
      (await check(world, "loom / one", (one) => one.conclusion === "action_required")).summary,
    ).toContain("/loom take one");
    expect(await ask(world, issue, "/loom take one")).toContain("one");
    await world.run((run) => run.stages.get("one")?.branch?.tip === pushed, "the push to be adopted");
    await proved("one");
    expect(world.get(one.number).pull?.headSha).toBe(pushed);
    await proved("two");
    await world.until(
      async () => (await world.file("more.txt", "loom/".concat(branch.slice(5)))) !== null,
      "more",
    );
    await world.merge(one.number);
    const two = await world.stagePull("two");
    await world.until(() => world.get(two.number).pull?.baseRef === "main", "two on main");
    await world.run(
      (run) => run.stages.get("two")?.stack.length === 0 && run.stages.get("two")?.waiting !== null,
      "two at rest",
    );
    await world.merge(two.number);
    await ended(world);
    expect(await world.file("more.txt")).toBe("more\n");
    await expectAllMerged(world, ["one", "two"], { review: true });
  });

  it("can do a stage before any agent has: bad work is told, good work goes on", async () => {
    world = await aGitHubWorld({
      config: AUTO,
      script: { one: [{ fail: 3 }], ...script("two") },
      env: { LOOM_RETRIES: "0" },
    });
    const { issue } = await start(world, [stage("one"), stage("two", ["one"])]);
    const run = await stageState(world, "one", "blocked");
    const branch = `loom/${run.id}/one`;
    await ask(world, issue, "/loom take one");
    await world.push(branch, { "wrong.txt": "wrong\n" }, "wes");
    const told = await world.run(({ stages }) => {
      const { state } = stages.get("one") ?? {};
      return state?.kind === "waiting-for-input" && state.question.includes("did not pass");
    }, "to be told what failed");
    expect(told.stages.get("one")?.takenBy).toBe("wes");
    expect(await panel(world, issue, "did not pass")).toContain("one.txt");
    expect(stagePulls(world, "one")).toEqual([]);
    await world.push(branch, { "one.txt": "by hand\n" }, "wes", branch);
    await ended(world);
    expect(await world.file("one.txt")).toBe("by hand\n");
    expect(await world.file("wrong.txt")).toBe("wrong\n");
    await expectAllMerged(world, ["one", "two"]);
  });
});

describe("a person closes or deletes (F19, F20)", () => {
  it("holds the stage of a closed pull request, and goes on when it is reopened", async () => {
    world = await aGitHubWorld({ script: script("one") });
    const { issue } = await start(world, [stage("one")]);
    await proved("one");
    const one = await world.stagePull("one");
    world.close(one.number);
    await stageState(world, "one", "blocked");
    expect(await panel(world, issue, "Somebody closed")).toContain("Reopen it to go on");
    await editPull(world.world, world.repository, one as PullIssue, { by: "wes", state: "open" });
    await proved("one");
    await world.merge(one.number);
    await ended(world);
    await expectAllMerged(world, ["one"], { review: true });
  });

  it("takes no older list of GitHub's for a reopening", async () => {
    const ids = ["one", "two", "three"];
    world = await aGitHubWorld({ config: AUTO, script: script(...ids) });
    world.repository.protection.set("main", protection({ requiredApprovals: 1 }));
    await start(
      world,
      ids.map((id) => stage(id)),
    );
    for (const id of ids) await waiting(world, id, "needs a review");
    const older = ids
      .flatMap((id) => stagePulls(world, id))
      .map((pull) => pullSimpleShape(world.world, world.repository, pull as PullIssue));
    const one = await world.stagePull("one");
    world.close(one.number);
    const { id } = await stageState(world, "one", "blocked");
    await settled(world);
    const list = world.github.faults.inject({
      on: "request",
      match: { method: "GET", route: "/repos/{owner}/{repo}/pulls" },
      times: Number.POSITIVE_INFINITY,
      effect: { kind: "fail", status: 200, body: older },
    });
    const engine = await world.engine();
    await observeRun(engine, world.loom.hosted.host, id);
    expect(list.fired).toBeGreaterThan(0);
    expect(await reopenings(world, id)).toEqual([]);
    await editPull(world.world, world.repository, one as PullIssue, { by: "wes", state: "open" });
    await waiting(world, "one", "needs a review");
    expect(await reopenings(world, id)).toEqual([`reopening #${one.number}`]);
  });

  it("heeds no look that was taken before it was closed once more", async () => {
    world = await aGitHubWorld({ script: script("one") });
    await start(world, [stage("one")]);
    await proved("one");
    const one = (await world.stagePull("one")) as PullIssue;
    const turn = (state: "open" | "closed") =>
      world.world.silently(() => editPull(world.world, world.repository, one, { by: "wes", state }));
    world.close(one.number);
    const { id } = await stageState(world, "one", "blocked");
    await settled(world);
    await turn("open");
    const engine = await world.engine();
    const pulls: Pulls = {
      ...engine.pulls,
      async observe(spec) {
        const seen = await engine.pulls.observe(spec);
        await turn("closed");
        return seen;
      },
    };
    await observeRun({ ...engine, pulls }, world.loom.hosted.host, id);
    expect(await reopenings(world, id)).toEqual([]);
  });

  it("opens a new pull request when the stage is retried", async () => {
    world = await aGitHubWorld({ script: script("one") });
    const { issue } = await start(world, [stage("one")]);
    await proved("one");
    const first = await world.stagePull("one");
    world.close(first.number);
    await stageState(world, "one", "blocked");
    await ask(world, issue, "/loom retry one");
    const run = await proved("one");
    const second = run.stages.get("one")?.pr ?? 0;
    expect(second).not.toBe(first.number);
    expect(world.get(first.number).state).toBe("closed");
    await world.merge(second);
    await ended(world);
    await expectAllMerged(world, ["one"], { pulls: 2, review: true });
  });

  it("asks when a branch is deleted, and does the stage again when told to", async () => {
    world = await aGitHubWorld({ script: script("one") });
    const { issue } = await start(world, [stage("one")]);
    await proved("one");
    const one = await world.stagePull("one");
    await deleteBranch(world.world, world.repository, { by: "wes", branch: one.pull?.headRef ?? "" });
    await stageState(world, "one", "blocked");
    expect(await panel(world, issue, "deleted the branch")).toContain("/loom retry one");
    expect(await branches(world)).not.toContain(one.pull?.headRef);
    await ask(world, issue, "/loom retry one");
    const run = await proved("one");
    await world.merge(run.stages.get("one")?.pr ?? 0);
    await ended(world);
    await expectAllMerged(world, ["one"], { pulls: 2, review: true });
  });
});

describe("a person merges", () => {
  it("early and in their own way where Loom merges, and the run takes it as it is", async () => {
    world = await aGitHubWorld({ config: AUTO, script: script("one", "two") });
    world.repository.protection.set("main", {
      requiredChecks: ["never"],
      strict: false,
      requiredApprovals: 0,
      dismissStaleReviews: false,
      codeOwnerReviews: false,
      mergeQueue: false,
      linearHistory: false,
    });
    await start(world, [stage("one"), stage("two", ["one"])]);
    await waiting(world, "one", "never");
    world.repository.protection.delete("main");
    await world.merge((await world.stagePull("one")).number, "ada", "rebase");
    const run = await ended(world);
    expect(run.stages.get("one")?.attempts).toBe(1);
    await expectAllMerged(world, ["one", "two"]);
  });

  it("a stacked pull request into the one below it: both are proved together and land together", async () => {
    world = await aGitHubWorld({ script: script("one", "two", "three") });
    const { issue } = await start(world, [stage("one"), stage("two", ["one"]), stage("three", ["two"])]);
    await proved("three");
    const one = await world.stagePull("one");
    const two = await world.stagePull("two");
    await world.merge(two.number, "wes", "squash");
    await waiting(world, "two", "comes in with");
    await proved("one");
    expect(await world.file("two.txt", one.pull?.headRef)).toBe("two\n");
    const text = await panel(world, issue, new RegExp(`Review and merge #${one.number}\\b[^]*comes in with`));
    expect(text).not.toContain(`Review and merge #${two.number}`);
    await world.merge(one.number, "wes", "squash");
    await stageState(world, "two", "completed");
    const three = await world.stagePull("three");
    await world.until(() => world.get(three.number).pull?.baseRef === "main", "three on main");
    await world.run(
      (run) => run.stages.get("three")?.stack.length === 0 && run.stages.get("three")?.waiting !== null,
      "three at rest",
    );
    await world.merge(three.number);
    await ended(world);
    await expectAllMerged(world, ["one", "two", "three"], { review: true });
  });
});

describe("what a person wrote on a pull request", () => {
  it("stays, while Loom goes on with the rest", async () => {
    world = await aGitHubWorld({ script: script("one", "two") });
    await start(world, [stage("one"), stage("two", ["one"])]);
    await proved("two");
    const one = await world.stagePull("one");
    const two = await world.stagePull("two");
    const edit = { by: "wes", title: "feat: the second file", body: "My own words." };
    await editPull(world.world, world.repository, two as PullIssue, edit);
    await world.merge(one.number);
    await world.until(() => world.get(two.number).pull?.baseRef === "main", "two on main");
    await world.run(
      (run) => run.stages.get("two")?.stack.length === 0 && run.stages.get("two")?.waiting !== null,
      "two at rest",
    );
    expect(world.get(two.number)).toMatchObject({ title: edit.title, body: edit.body });
    await world.merge(two.number);
    await ended(world);
    await expectAllMerged(world, ["one", "two"], { review: true });
  });
});
