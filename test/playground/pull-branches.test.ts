import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { setRole } from "../../playground/model/people/set-role.ts";
import { deleteBranch } from "../../playground/model/pulls/delete-branch.ts";
import { actionsOf, aPlayground, openFrom, type Playground, refusalOf } from "./a-playground.ts";

let playground: Playground;
beforeEach(async () => {
  playground = await aPlayground();
});
afterEach(async () => {
  const { problems, world } = playground;
  await playground.close();
  expect(problems).toEqual([]);
  expect(world.unknownPaths).toEqual([]);
});

describe("branches under pull requests", () => {
  it("close the children when the base is deleted through the API, and those do not open again", async () => {
    const bot = playground.asInstallation();
    await playground.push("parent", { "a.txt": "a\n" });
    await playground.push("child", { "b.txt": "b\n" }, { from: "parent" });
    const parent = await openFrom(playground, "parent");
    const child = await openFrom(playground, "child", "parent");
    await bot.pulls.merge(parent);
    await bot.git.deleteRef({ ...playground.at, ref: "heads/parent" });
    expect((await bot.pulls.get(child)).data.state).toBe("closed");
    expect(await refusalOf(bot.pulls.update({ ...child, state: "open" }))).toEqual({
      status: 422,
      message: "Validation Failed: state cannot be changed. The parent branch has been deleted.",
    });
  });

  it("retarget the children first when GitHub deletes the merged branch itself", async () => {
    playground.repository.deleteBranchOnMerge = true;
    const bot = playground.asInstallation();
    await playground.push("parent", { "a.txt": "a\n" });
    await playground.push("child", { "b.txt": "b\n" }, { from: "parent" });
    const parent = await openFrom(playground, "parent");
    const child = await openFrom(playground, "child", "parent");
    await bot.pulls.merge(parent);
    const { data } = await bot.pulls.get(child);
    expect([data.state, data.base.ref]).toEqual(["open", "main"]);
    expect((await refusalOf(bot.git.getRef({ ...playground.at, ref: "heads/parent" }))).status).toBe(404);
  });

  it("take in their base on request, and ask people for reviews", async () => {
    const { world, repository } = playground;
    setRole(world, repository, { login: "wim", role: "write" });
    const before = await playground.push("topic", { "a.txt": "a\n" });
    await playground.push("main", { "m.txt": "m\n" });
    const pull = await openFrom(playground, "topic");
    const bot = playground.asInstallation();
    const stale = bot.pulls.updateBranch({ ...pull, expected_head_sha: "0".repeat(40) });
    expect((await refusalOf(stale)).status).toBe(422);
    await bot.pulls.updateBranch({ ...pull, expected_head_sha: before });
    const { sha } = (await bot.pulls.get(pull)).data.head;
    expect((await bot.git.getCommit({ ...playground.at, commit_sha: sha })).data.parents[0]?.sha).toBe(
      before,
    );
    const found = await bot.repos.listPullRequestsAssociatedWithCommit({
      ...playground.at,
      commit_sha: before,
    });
    expect(found.data.map((one) => one.number)).toEqual([pull.pull_number]);
    await bot.pulls.requestReviewers({ ...pull, reviewers: ["wim"] });
    expect((await refusalOf(bot.pulls.requestReviewers({ ...pull, reviewers: ["eve"] }))).status).toBe(422);
    expect(actionsOf(playground, "pull_request").slice(-2)).toEqual(["synchronize", "review_requested"]);
  });

  it("move a pull request's head with a push, and its base by an edit", async () => {
    const bot = playground.asInstallation();
    await playground.push("parent", { "a.txt": "a\n" });
    const before = await playground.push("child", { "b.txt": "b\n" }, { from: "parent" });
    await openFrom(playground, "parent");
    const child = await openFrom(playground, "child", "parent");
    const after = await playground.push("child", { "b.txt": "c\n" });
    const { subject } = playground.changes.find((change) => change.action === "synchronize") ?? {};
    expect(subject).toMatchObject({ before, after });
    await bot.pulls.update({ ...child, base: "main" });
    expect((await bot.pulls.get(child)).data.base.ref).toBe("main");
    expect((await refusalOf(bot.pulls.update({ ...child, base: "nowhere" }))).message).toContain(
      "'nowhere' was not found",
    );
  });

  it("are merged when their commits reach the base by a push", async () => {
    const { world, repository } = playground;
    const head = await playground.push("topic", { "a.txt": "a\n" });
    const pull = await openFrom(playground, "topic");
    const bot = playground.asInstallation();
    await bot.git.updateRef({ ...playground.at, ref: "heads/main", sha: head });
    const { data } = await bot.pulls.get(pull);
    expect([data.merged, data.merge_commit_sha]).toEqual([true, head]);
    expect(await world.git.tip(repository.gitDir, "main")).toBe(head);
  });

  it("close when the head is deleted, and tell nobody inside silently", async () => {
    const { world, repository } = playground;
    const head = await playground.push("topic", { "a.txt": "a\n" });
    const pull = await openFrom(playground, "topic");
    const told = playground.changes.length;
    await world.silently(() => deleteBranch(world, repository, { by: "ada", branch: "topic" }));
    expect(playground.changes.length).toBe(told);
    const bot = playground.asInstallation();
    expect((await bot.pulls.get(pull)).data.state).toBe("closed");
    await bot.git.createRef({ ...playground.at, ref: "refs/heads/topic", sha: head });
    await bot.pulls.update({ ...pull, state: "open" });
    expect((await bot.pulls.get(pull)).data.state).toBe("open");
  });
});
