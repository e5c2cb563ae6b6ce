import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aPlayground, openFrom, type Playground, refusalOf } from "./a-playground.ts";

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

describe("opening", () => {
  it("needs both branches, new commits, and no twin", async () => {
    const { sha } = { sha: await playground.push("topic", { "a.txt": "a\n" }) };
    await playground.push("same", {}, { message: "Nothing" });
    const bot = playground.asInstallation();
    const create = (head: string, base = "main") =>
      bot.pulls.create({ ...playground.at, title: "T", head, base });
    expect((await refusalOf(create("topic", "nowhere"))).message).toBe("Validation Failed: base invalid");
    expect((await refusalOf(create("nowhere"))).message).toBe("Validation Failed: head invalid");
    expect((await refusalOf(create("main", "topic"))).message).toBe(
      "Validation Failed: No commits between topic and main",
    );
    const { data } = await create("topic");
    expect([data.head.sha, data.base.ref, data.mergeable, data.commits, data.changed_files]).toEqual([
      sha,
      "main",
      null,
      1,
      1,
    ]);
    expect(await refusalOf(create("topic"))).toEqual({
      status: 422,
      message: "Validation Failed: A pull request already exists for ada:topic.",
    });
    const found = await bot.pulls.list({ ...playground.at, head: "ada:topic", base: "main", state: "open" });
    expect(found.data.map((pull) => pull.number)).toEqual([data.number]);
    expect((await bot.pulls.list({ ...playground.at, head: "ada:other" })).data).toEqual([]);
  });

  it("works from a fork, and shows where it comes from", async () => {
    const { world, repository } = playground;
    const fork = await playground.addRepository({ owner: "eve", name: "tools", parent: repository });
    const author = { name: "Eve", email: "eve@example.com", at: world.clock.now() };
    const parent = await world.git.tip(fork.gitDir, "main");
    const sha = await world.git.commitFiles(fork.gitDir, {
      parent,
      files: { "e.txt": "e\n" },
      message: "E",
      author,
    });
    await world.git.updateRef(fork.gitDir, "refs/heads/patch", sha, null);
    const { data } = await playground
      .as("eve")
      .pulls.create({ ...playground.at, title: "E", head: "eve:patch", base: "main" });
    expect([data.head.repo?.full_name, data.base.repo.full_name, data.head.label]).toEqual([
      "eve/tools",
      "ada/tools",
      "eve:patch",
    ]);
  });

  it("lists files and commits", async () => {
    await playground.push("topic", { "a.txt": "a\n", "README.md": "# New\n" }, { message: "First" });
    await playground.push("topic", { "src/main.ts": null }, { message: "Second" });
    const pull = await openFrom(playground, "topic");
    const bot = playground.asInstallation();
    const files = (await bot.pulls.listFiles(pull)).data.map((file) => `${file.status} ${file.filename}`);
    expect(files).toEqual(["modified README.md", "added a.txt", "removed src/main.ts"]);
    expect((await bot.pulls.listCommits(pull)).data.map((commit) => commit.commit.message)).toEqual([
      "First",
      "Second",
    ]);
    const diff = await bot.pulls.get({ ...pull, mediaType: { format: "diff" } });
    expect(String(diff.data)).toContain("+++ b/a.txt");
  });
});

describe("mergeable", () => {
  it("is unknown until somebody has asked and time has passed, and again after a push", async () => {
    await playground.push("topic", { "README.md": "# Ours\n" });
    const pull = await openFrom(playground, "topic");
    const bot = playground.asInstallation();
    const ask = async () => {
      const { data } = await bot.pulls.get(pull);
      return [data.mergeable, data.mergeable_state];
    };
    playground.step(10_000);
    expect(await ask()).toEqual([null, "unknown"]);
    playground.step(99);
    expect(await ask()).toEqual([null, "unknown"]);
    playground.step(1);
    expect(await ask()).toEqual([true, "clean"]);
    await playground.push("main", { "README.md": "# Theirs\n" });
    expect(await ask()).toEqual([null, "unknown"]);
    playground.step(100);
    expect(await ask()).toEqual([false, "dirty"]);
    expect(await refusalOf(bot.pulls.merge(pull))).toEqual({
      status: 405,
      message: "Pull Request is not mergeable",
    });
  });
});
