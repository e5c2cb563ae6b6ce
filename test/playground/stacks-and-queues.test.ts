import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findPull } from "../../playground/model/find.ts";
import { enqueue } from "../../playground/model/stacks/enqueue.ts";
import { leaveQueue } from "../../playground/model/stacks/leave-queue.ts";
import { aPlayground, type Playground, refusalOf, rules } from "./a-playground.ts";

let playground: Playground;
beforeEach(async () => {
  playground = await aPlayground({ stacksEnabled: true });
});
afterEach(async () => {
  const { problems, world } = playground;
  await playground.close();
  expect(problems).toEqual([]);
  expect(world.unknownPaths).toEqual([]);
});

async function open(head: string, base: string): Promise<number> {
  await playground.push(head, { [`${head}.txt`]: `${head}\n` }, { from: base });
  const { data } = await playground
    .asInstallation()
    .pulls.create({ ...playground.at, title: head, head, base });
  return data.number;
}

function request(route: string, more: object = {}) {
  return playground.asInstallation().request(route, { ...playground.at, ...more });
}

const ALL = "/repos/{owner}/{repo}/stacks";
const MERGE = "/repos/{owner}/{repo}/pulls/{pull_number}/merge-async";

describe("stacks", () => {
  it("are not there where the repository has none", async () => {
    playground.repository.stacksEnabled = false;
    expect((await refusalOf(request(`GET ${ALL}`))).status).toBe(404);
    expect((await refusalOf(request(`POST ${ALL}`, { pull_requests: [1, 2] }))).status).toBe(404);
  });

  it("are chains from the bottom up, grow at the top, and can be dissolved", async () => {
    const one = await open("one", "main");
    const two = await open("two", "one");
    const three = await open("three", "two");
    const { data: stack } = await request(`POST ${ALL}`, { pull_requests: [one, two] });
    expect(stack).toMatchObject({ number: 1, base: { ref: "main" }, open: true });
    await request(`POST ${ALL}/{stack_number}/add`, { stack_number: 1, pull_requests: [three] });
    const { data: list } = await request(`GET ${ALL}`, { pull_request: three });
    expect(list[0].pull_requests.map((pull: { number: number }) => pull.number)).toEqual([one, two, three]);
    const { data: shown } = await request("GET /repos/{owner}/{repo}/pulls/{pull_number}", {
      pull_number: two,
    });
    expect(shown.stack).toMatchObject({ number: 1, size: 3, position: 2 });
    expect((await request(`POST ${ALL}/{stack_number}/unstack`, { stack_number: 1 })).status).toBe(204);
    expect((await refusalOf(request(`GET ${ALL}/{stack_number}`, { stack_number: 1 }))).status).toBe(404);
  });

  it("can't fork, nor hold one pull request twice", async () => {
    const one = await open("one", "main");
    const two = await open("two", "one");
    const beside = await open("beside", "main");
    const refusal = (pull_requests: number[]) => refusalOf(request(`POST ${ALL}`, { pull_requests }));
    expect(await refusal([one, beside])).toMatchInlineSnapshot(`
      {
        "message": "Validation Failed: Pull request #3 must have 'one' as its base branch",
        "status": 422,
      }
    `);
    expect((await refusal([one])).status).toBe(422);
    expect((await refusal([one, 99])).message).toContain("#99 was not found");
    await request(`POST ${ALL}`, { pull_requests: [one, two] });
    expect((await refusal([one, two])).message).toContain("already part of a stack");
  });

  it("keep the base of their pull requests, and merge asynchronously, all below included", async () => {
    const one = await open("one", "main");
    const two = await open("two", "one");
    const three = await open("three", "two");
    await request(`POST ${ALL}`, { pull_requests: [one, two, three] });
    const bot = playground.asInstallation();
    expect(
      (await refusalOf(bot.pulls.update({ ...playground.at, pull_number: two, base: "main" }))).status,
    ).toBe(422);
    expect((await refusalOf(bot.pulls.merge({ ...playground.at, pull_number: two }))).status).toBe(405);
    const started = await request(`PUT ${MERGE}`, { pull_number: two, merge_method: "squash" });
    expect([started.status, started.data.status]).toEqual([202, "pending"]);
    const { uuid } = started.data.details;
    const second = await refusalOf(request(`PUT ${MERGE}`, { pull_number: two }));
    expect(second.status).toBe(409);
    const poll = async () => (await request(`GET ${MERGE}/{uuid}`, { pull_number: two, uuid })).data;
    expect((await poll()).status).toBe("pending");
    playground.step(100);
    expect((await poll()).status).toBe("merged");
    const shown = async (pull_number: number) =>
      (await bot.pulls.get({ ...playground.at, pull_number })).data;
    expect([(await shown(one)).merged, (await shown(two)).merged, (await shown(three)).base.ref]).toEqual([
      true,
      true,
      "main",
    ]);
    expect((await request(`PUT ${MERGE}`, { pull_number: two })).data.status).toBe("merged");
    playground.step(25 * 60 * 60_000);
    expect((await refusalOf(poll())).status).toBe(404);
  });
});

describe("an asynchronous merge", () => {
  it("happens whether anybody polls or not, fails later when the head has moved or a rule is broken, and at once when closed or a draft", async () => {
    const one = await open("one", "main");
    const start = async () =>
      (await request(`PUT ${MERGE}`, { pull_number: one })).data.details.uuid as string;
    const end = async (uuid: string) => {
      playground.step(100);
      return (await request(`GET ${MERGE}/{uuid}`, { pull_number: one, uuid })).data;
    };
    const quiet = findPull(playground.repository, await open("quiet", "main"));
    await request(`PUT ${MERGE}`, { pull_number: quiet.number });
    playground.step(100);
    await request("GET /repos/{owner}/{repo}");
    expect(quiet.pull.merged).toBe(true);
    const moved = await start();
    await playground.push("one", { "more.txt": "m\n" });
    expect(await end(moved)).toEqual({ status: "failed", details: { message: "Head branch was modified." } });
    playground.repository.protection.set("main", rules({ requiredChecks: ["ci"] }));
    expect((await end(await start())).details.message).toBe('Required status check "ci" is expected.');
    await playground.asInstallation().pulls.update({ ...playground.at, pull_number: one, state: "closed" });
    expect((await refusalOf(request(`PUT ${MERGE}`, { pull_number: one }))).status).toBe(400);
  });
});

describe("a merge queue", () => {
  async function green(sha: string, conclusion: "success" | "failure" = "success") {
    await playground
      .asInstallation()
      .checks.create({ ...playground.at, name: "ci", head_sha: sha, conclusion });
  }
  function told(): string[] {
    return playground.changes
      .filter(
        ({ event, action }) => event === "merge_group" || action === "enqueued" || action === "dequeued",
      )
      .map(({ event, action, subject }) => [event, action, subject.reason].filter(Boolean).join(" "));
  }
  beforeEach(() => {
    playground.repository.protection.set("main", rules({ mergeQueue: true, requiredChecks: ["ci"] }));
  });

  it("tests each group on top of the ones before it and merges in order", async () => {
    const { world, repository } = playground;
    const one = findPull(repository, await open("one", "main"));
    const two = findPull(repository, await open("two", "main"));
    const started = await request(`PUT ${MERGE}`, { pull_number: one.number });
    playground.step(100);
    const poll = await request(`GET ${MERGE}/{uuid}`, {
      pull_number: one.number,
      uuid: started.data.details.uuid,
    });
    expect(poll.data.status).toBe("enqueued");
    const entry = await enqueue(world, repository, two, { by: "ada" });
    const [first] = repository.mergeQueues.get("main") ?? [];
    expect(entry.baseSha).toBe(first?.headSha);
    await green(entry.headSha);
    expect(one.pull.merged).toBe(false);
    await green(first?.headSha ?? "");
    expect([one.pull.merged, two.pull.merged]).toEqual([true, true]);
    expect(await world.git.tip(repository.gitDir, "main")).toBe(entry.headSha);
    expect(told()).toEqual([
      "pull_request enqueued",
      "merge_group checks_requested",
      "pull_request enqueued",
      "merge_group checks_requested",
      "merge_group destroyed merged",
      "merge_group destroyed merged",
    ]);
  });

  it("throws out what is red and tests the rest anew", async () => {
    const { world, repository } = playground;
    const one = findPull(repository, await open("one", "main"));
    const two = findPull(repository, await open("two", "main"));
    const first = await enqueue(world, repository, one, { by: "ada" });
    const second = await enqueue(world, repository, two, { by: "ada" });
    await green(first.headSha, "failure");
    const [left, ...more] = repository.mergeQueues.get("main") ?? [];
    expect([left?.pull, more.length, left?.headSha === second.headSha]).toEqual([two.number, 0, false]);
    expect(told().slice(4)).toEqual([
      "merge_group destroyed dequeued",
      "pull_request dequeued CI_FAILURE",
      "merge_group destroyed invalidated",
      "merge_group checks_requested",
    ]);
    await green(left?.headSha ?? "");
    expect([one.pull.merged, two.pull.merged]).toEqual([false, true]);
  });

  it("can be left without a word, and is left by a push", async () => {
    const { world, repository } = playground;
    const one = findPull(repository, await open("one", "main"));
    await enqueue(world, repository, one, { by: "ada" });
    const before = told().length;
    await world.silently(() => leaveQueue(world, repository, one, { by: "ada" }));
    expect([told().length, repository.mergeQueues.get("main")]).toEqual([before, []]);
    await enqueue(world, repository, one, { by: "ada" });
    await playground.push("one", { "more.txt": "m\n" });
    expect(told().at(-1)).toBe("pull_request dequeued branch updated");
  });
});
