import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { requestAction } from "../../playground/model/checks/request-action.ts";
import { findCheckRun } from "../../playground/model/checks/update-check-run.ts";
import { aPlayground, type Playground, refusalOf } from "./a-playground.ts";

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

describe("check runs", () => {
  it("go from queued to a conclusion, and their App hears of each step", async () => {
    const head = await playground.push("topic", { "a.txt": "a\n" });
    const bot = playground.asInstallation();
    const { data: run } = await bot.checks.create({
      ...playground.at,
      name: "loom / build",
      head_sha: head,
      external_id: "run/build/1",
      output: { title: "Waiting", summary: "Soon" },
    });
    expect([run.status, run.conclusion, run.external_id]).toEqual(["queued", null, "run/build/1"]);
    const one = { ...playground.at, check_run_id: run.id };
    await bot.checks.update({ ...one, status: "in_progress" });
    const actions = [{ label: "Retry", description: "Try this stage again", identifier: "retry" }];
    await bot.checks.update({
      ...one,
      conclusion: "failure",
      actions,
      output: { title: "Red", summary: "No" },
    });
    const { data } = await bot.checks.get(one);
    expect([data.status, data.conclusion, data.output.title]).toEqual(["completed", "failure", "Red"]);
    await playground.as("ada").checks.rerequestRun(one);
    requestAction(playground.world, playground.repository, findCheckRun(playground.repository, run.id), {
      by: "ada",
      identifier: "retry",
    });
    const told = playground.changes.filter((change) => change.event === "check_run");
    expect(told.map((change) => `${change.action} by ${change.sender}`)).toEqual([
      "created by loom[bot]",
      "completed by loom[bot]",
      "rerequested by ada",
      "requested_action by ada",
    ]);
    const suites = playground.changes.filter((change) => change.event === "check_suite");
    expect(suites.map((change) => change.action)).toEqual(["requested"]);
    expect(told[3]?.subject.requestedAction).toEqual({ identifier: "retry" });
  });

  it("are listed by name, by App, and only the newest of a name", async () => {
    const head = await playground.push("topic", { "a.txt": "a\n" });
    const bot = playground.asInstallation();
    for (const name of ["one", "two", "one"])
      await bot.checks.create({ ...playground.at, name, head_sha: head });
    const list = async (more: object) => {
      const { data } = await bot.checks.listForRef({ ...playground.at, ref: "topic", ...more });
      return data.check_runs.map((run) => run.name);
    };
    expect(await list({})).toEqual(["one", "two"]);
    expect(await list({ filter: "all" })).toEqual(["one", "two", "one"]);
    expect(await list({ check_name: "two" })).toEqual(["two"]);
    expect(await list({ app_id: 1 })).toEqual([]);
    expect(await list({ app_id: playground.app.id, ref: head })).toEqual(["one", "two"]);
    const { data: suites } = await bot.checks.listSuitesForRef({ ...playground.at, ref: head });
    expect(suites.total_count).toBe(1);
    const suite = { ...playground.at, check_suite_id: suites.check_suites[0]?.id ?? 0 };
    expect((await bot.checks.getSuite(suite)).data.status).toBe("in_progress");
    expect((await bot.checks.listForSuite(suite)).data.total_count).toBe(2);
    await playground.as("ada").checks.rerequestSuite(suite);
    const told = playground.changes.filter((change) => change.event === "check_suite");
    expect(told.map((change) => change.action)).toEqual(["requested", "rerequested"]);
  });

  it("keep GitHub's limits on text, annotations and buttons", async () => {
    const head = await playground.push("topic", { "a.txt": "a\n" });
    const bot = playground.asInstallation();
    const create = (more: object) =>
      bot.checks.create({ ...playground.at, name: "x", head_sha: head, ...more });
    const annotation = {
      path: "a.txt",
      start_line: 1,
      end_line: 1,
      annotation_level: "notice" as const,
      message: "m",
    };
    const output = { title: "T", summary: "S" };
    const action = { label: "l".repeat(20), description: "d".repeat(40), identifier: "i".repeat(20) };
    await create({
      output: { ...output, text: "x".repeat(65_535), annotations: Array(50).fill(annotation) },
      actions: [action, action, action],
    });
    const messages = async (more: object) =>
      (await refusalOf(create(more))).message.replace("Validation Failed: ", "");
    expect(await messages({ output: { title: "T", summary: "x".repeat(65_536) } })).toMatchInlineSnapshot(
      `"Only 65535 characters are allowed; 65536 were supplied."`,
    );
    expect(
      await messages({ output: { ...output, annotations: Array(51).fill(annotation) } }),
    ).toMatchInlineSnapshot(`"No more than 50 items are allowed; 51 were supplied."`);
    expect(await messages({ actions: [action, action, action, action] })).toMatchInlineSnapshot(
      `"No more than 3 items are allowed; 4 were supplied."`,
    );
    expect(await messages({ actions: [{ ...action, label: "l".repeat(21) }] })).toMatchInlineSnapshot(
      `"is too long (maximum is 20 characters)"`,
    );
    expect((await refusalOf(create({ head_sha: "0".repeat(40) }))).status).toBe(422);
    expect((await refusalOf(create({ status: "completed" }))).message).toContain(
      "a conclusion must be supplied",
    );
  });

  it("collect annotations over several calls", async () => {
    const head = await playground.push("topic", { "a.txt": "a\n" });
    const bot = playground.asInstallation();
    const annotation = {
      path: "a.txt",
      start_line: 1,
      end_line: 1,
      annotation_level: "warning" as const,
      message: "m",
    };
    const output = { title: "T", summary: "S", annotations: [annotation, annotation] };
    const { data: run } = await bot.checks.create({ ...playground.at, name: "x", head_sha: head, output });
    const one = { ...playground.at, check_run_id: run.id };
    await bot.checks.update({ ...one, output });
    expect((await bot.checks.get(one)).data.output.annotations_count).toBe(4);
    expect((await bot.checks.listAnnotations(one)).data).toHaveLength(4);
  });

  it("belong to Apps: people can't make them", async () => {
    const head = await playground.push("topic", { "a.txt": "a\n" });
    const make = playground.as("ada").checks.create({ ...playground.at, name: "x", head_sha: head });
    expect(await refusalOf(make)).toEqual({
      status: 403,
      message: "You must authenticate via a GitHub App.",
    });
  });
});
