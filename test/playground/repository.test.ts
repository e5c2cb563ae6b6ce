import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { aPlayground, type Playground, refusalOf, rules } from "./a-playground.ts";

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

describe("refs", () => {
  it("are made, read, moved only forward unless forced, and deleted", async () => {
    const bot = playground.asInstallation();
    const first = (await bot.git.getRef({ ...playground.at, ref: "heads/main" })).data.object.sha;
    const next = await playground.push("main", { "n.txt": "n\n" });
    const ref = "heads/loom/run/stage";
    await bot.git.createRef({ ...playground.at, ref: `refs/${ref}`, sha: next });
    expect(
      (await bot.git.listMatchingRefs({ ...playground.at, ref: "heads/loom/" })).data.map((one) => one.ref),
    ).toEqual([`refs/${ref}`]);
    const again = bot.git.createRef({ ...playground.at, ref: `refs/${ref}`, sha: next });
    expect((await refusalOf(again)).message).toBe("Reference already exists");
    expect((await refusalOf(bot.git.updateRef({ ...playground.at, ref, sha: first }))).message).toBe(
      "Update is not a fast forward",
    );
    await bot.git.updateRef({ ...playground.at, ref, sha: first, force: true });
    expect((await bot.git.getRef({ ...playground.at, ref })).data.object.sha).toBe(first);
    await bot.git.deleteRef({ ...playground.at, ref });
    expect((await refusalOf(bot.git.getRef({ ...playground.at, ref }))).status).toBe(404);
    expect((await refusalOf(bot.git.deleteRef({ ...playground.at, ref }))).message).toBe(
      "Reference does not exist",
    );
    const bad = bot.git.createRef({ ...playground.at, ref: "refs/heads/a..b", sha: next });
    expect((await refusalOf(bad)).message).toBe("Reference name is invalid");
    const told = playground.changes.filter((change) => ["create", "delete", "push"].includes(change.event));
    expect(told.slice(1).map((change) => change.event)).toEqual(["create", "push", "push", "delete", "push"]);
    expect(told[3]?.subject).toMatchObject({ forced: true });
  });

  it("of protected branches stay where they are", async () => {
    playground.repository.protection.set("main", rules({ requiredApprovals: 1 }));
    const bot = playground.asInstallation();
    const sha = await playground.push("topic", { "a.txt": "a\n" });
    expect((await refusalOf(bot.git.updateRef({ ...playground.at, ref: "heads/main", sha }))).status).toBe(
      422,
    );
    expect((await refusalOf(bot.git.deleteRef({ ...playground.at, ref: "heads/main" }))).status).toBe(422);
    playground.repository.protection.set("main", rules({ requiredChecks: ["ci"] }));
    const move = () => bot.git.updateRef({ ...playground.at, ref: "heads/main", sha });
    expect((await refusalOf(move())).message).toBe('Required status check "ci" is expected.');
    await bot.checks.create({ ...playground.at, name: "ci", head_sha: sha, conclusion: "success" });
    await move();
  });
});

describe("contents", () => {
  it("are files, folders, or nothing, at any ref", async () => {
    await playground.push("topic", { ".github/loom.yml": "version: 1\n" });
    const bot = playground.asInstallation();
    const get = (path: string, ref?: string) =>
      bot.repos.getContent({ ...playground.at, path, ...(ref && { ref }) });
    const { data: file } = await get(".github/loom.yml", "topic");
    expect(file).toMatchObject({ type: "file", encoding: "base64", size: 11 });
    if (!("content" in file)) throw new Error("A file has content.");
    expect(Buffer.from(file.content, "base64").toString("utf8")).toBe("version: 1\n");
    const { data: blob } = await bot.git.getBlob({ ...playground.at, file_sha: file.sha });
    expect([blob.size, blob.encoding]).toEqual([11, "base64"]);
    expect((await refusalOf(get(".github/loom.yml"))).status).toBe(404);
    expect((await refusalOf(get("README.md", "nowhere"))).message).toContain(
      "No commit found for the ref nowhere",
    );
    const { data: folder } = await get("");
    expect(Array.isArray(folder) && folder.map((one) => `${one.type} ${one.path}`)).toEqual([
      "file README.md",
      "dir src",
    ]);
    const raw = await bot.repos.getContent({
      ...playground.at,
      path: "README.md",
      mediaType: { format: "raw" },
    });
    expect(String(raw.data)).toBe("# Tools\n");
  });
});

describe("commits", () => {
  it("are listed by branch and path, shown with their files, and compared", async () => {
    await playground.push("topic", { "a.txt": "a\n" }, { message: "Add a" });
    const head = await playground.push("topic", { "b.txt": "b\n" }, { message: "Add b" });
    await playground.push("main", { "c.txt": "c\n" });
    const bot = playground.asInstallation();
    const list = async (more: object) =>
      (await bot.repos.listCommits({ ...playground.at, ...more })).data.map((one) => one.commit.message);
    expect(await list({ sha: "topic" })).toEqual(["Add b", "Add a", "Initial commit"]);
    expect(await list({ sha: "topic", path: "a.txt" })).toEqual(["Add a"]);
    const { data } = await bot.repos.getCommit({ ...playground.at, ref: "topic" });
    expect([data.sha, data.stats?.additions, data.files?.map((file) => file.filename)]).toEqual([
      head,
      1,
      ["b.txt"],
    ]);
    const { data: between } = await bot.repos.compareCommitsWithBasehead({
      ...playground.at,
      basehead: "main...topic",
    });
    expect([between.status, between.ahead_by, between.behind_by, between.files?.length]).toEqual([
      "diverged",
      2,
      1,
      2,
    ]);
    expect((await refusalOf(bot.repos.getCommit({ ...playground.at, ref: "nowhere" }))).status).toBe(422);
  });
});

describe("branches", () => {
  it("tell whether they are protected, and how", async () => {
    await playground.push("loom/run/a", { "a.txt": "a\n" });
    const bot = playground.asInstallation();
    const names = (await bot.repos.listBranches(playground.at)).data.map((branch) => branch.name);
    expect(names).toEqual(["loom/run/a", "main"]);
    const main = { ...playground.at, branch: "main" };
    expect((await bot.repos.getBranch({ ...main, branch: "loom/run/a" })).data.protected).toBe(false);
    expect(await refusalOf(bot.repos.getBranchProtection(main))).toEqual({
      status: 404,
      message: "Branch not protected",
    });
    expect((await bot.repos.getBranchRules(main)).data).toEqual([]);
    playground.repository.protection.set(
      "main",
      rules({
        requiredChecks: ["ci"],
        strict: true,
        requiredApprovals: 2,
        mergeQueue: true,
        linearHistory: true,
      }),
    );
    const { data } = await bot.repos.getBranchProtection(main);
    expect([
      data.required_status_checks?.contexts,
      data.required_pull_request_reviews?.required_approving_review_count,
    ]).toEqual([["ci"], 2]);
    const { data: found } = await bot.repos.getBranchRules(main);
    expect(found.map((rule) => rule.type)).toEqual([
      "pull_request",
      "required_status_checks",
      "required_linear_history",
      "merge_queue",
    ]);
    expect((await bot.repos.getBranch(main)).data.protected).toBe(true);
  });
});

describe("people", () => {
  it("are shown, and know who they are", async () => {
    const ada = playground.as("ada");
    expect((await ada.users.getAuthenticated()).data.login).toBe("ada");
    expect((await ada.users.getByUsername({ username: "loom[bot]" })).data.type).toBe("Bot");
    expect((await refusalOf(playground.asInstallation().users.getAuthenticated())).status).toBe(403);
    expect((await refusalOf(ada.users.getByUsername({ username: "nobody" }))).status).toBe(404);
  });
});
