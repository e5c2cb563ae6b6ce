import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type RedisServer, startRedis } from "../../adapters/redis/redis-server.ts";
import { tempFolder } from "../../support/git-repo.ts";
import { ask, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";

let world: GitHubWorld | null = null;
let service: Service | null = null;
let redis: RedisServer | null = null;
afterEach(async () => {
  await service?.end();
  await redis?.dispose();
  await world?.end();
  world = service = redis = null;
});

const CONFIG = { version: 1, harness: "claude" };
const KEY = "sk-ant-very-secret";

/** Where no CLI is yet; whoever has agents on the PATH of their machine is not asked about those. */
function emptyPlaces(): { folder: string; env: Record<string, string> } {
  const folder = tempFolder();
  const names = ["claude", "codex", "opencode"];
  const env = names.map((name) => [`LOOM_${name.toUpperCase()}_BIN`, join(folder, name)]);
  return { folder, env: Object.fromEntries(env) };
}

/** It can tell its version, which is all that is asked of it before a plan is approved. */
async function install(folder: string, name: string): Promise<void> {
  await writeFile(join(folder, name), "#!/bin/sh\necho 1.2.3\n", { mode: 0o755 });
}

/** There are issues and what was said in them, and that is all. */
function expectNothingBegun({ repository, pulls }: GitHubWorld): void {
  expect(pulls()).toEqual([]);
  expect(repository.checkRuns).toEqual([]);
}

describe("a run whose agent can't be started", () => {
  it("is refused with the reason, whoever chose the agent, and nothing is begun", async () => {
    const { folder, env } = emptyPlaces();
    world = await aGitHubWorld({ config: CONFIG, env });
    const issue = world.issue({ body: planDocument([writesFile("one")]) });
    const named = world.issue({ body: planDocument([{ ...writesFile("one"), harness: "opencode" }]) });
    const answers = [
      await ask(world, issue, "/loom run"),
      await ask(world, issue, "/loom run --harness codex"),
      await ask(world, named, "/loom run"),
    ];
    expect(answers.join("\n").replaceAll(folder, "/opt")).toMatchInlineSnapshot(`
      "The agent claude can't be used: /opt/claude was not found. Install it with \`npm install -g @anthropic-ai/claude-code\`. Or set LOOM\\_CLAUDE\\_BIN to where it is.
      The agent codex can't be used: /opt/codex was not found. Install it with \`npm install -g @openai/codex\`. Or set LOOM\\_CODEX\\_BIN to where it is.
      The agent opencode can't be used: /opt/opencode was not found. Install it with \`npm install -g opencode-ai\`. Or set LOOM\\_OPENCODE\\_BIN to where it is."
    `);
    expectNothingBegun(world);
    expect(await world.runs()).toEqual([]);
  });

  it("is refused for want of a key", async () => {
    const { folder, env } = emptyPlaces();
    world = await aGitHubWorld({ config: CONFIG, env });
    await install(folder, "claude");
    const issue = world.issue({ body: planDocument([writesFile("one")]) });
    expect(await ask(world, issue, "/loom run")).toMatchInlineSnapshot(
      `"The agent claude can't be used: claude has no key: ANTHROPIC\\_API\\_KEY is not set. Set ANTHROPIC\\_API\\_KEY, or CLAUDE\\_CODE\\_OAUTH\\_TOKEN with what \`claude setup-token\` prints."`,
    );
    expectNothingBegun(world);
  });

  it("is taken as soon as the agent is there, and nobody is shown the key", async () => {
    const { folder, env } = emptyPlaces();
    world = await aGitHubWorld({ config: CONFIG, env: { ...env, ANTHROPIC_API_KEY: KEY } });
    const issue = world.issue({ body: planDocument([writesFile("one")]) });
    expect(await ask(world, issue, "/loom run")).toContain("The agent claude can't be used");
    await install(folder, "claude");
    expect(await ask(world, issue, "/loom run")).toContain("The plan is open");
    expect(world.describe()).not.toContain("very-secret");
  });

  it("is judged by what workers can start, where the App runs none", async () => {
    const { folder, env } = emptyPlaces();
    redis = await startRedis();
    world = await aGitHubWorld({ loom: false, config: CONFIG, env });
    service = await aService(world, redis.url);
    await service.start("app");
    const poor = await service.start("worker", { LOOM_WORKER: "poor" });
    const board = service.redis;
    await world.until(
      () => board?.keys("*harness*claude*").then(({ length }) => length > 0),
      "a worker's word",
    );
    const issue = world.issue({ body: planDocument([writesFile("one")]) });
    expect((await ask(world, issue, "/loom run")).replaceAll(folder, "/opt")).toMatchInlineSnapshot(
      `"The agent claude can't be used: /opt/claude was not found. Install it with \`npm install -g @anthropic-ai/claude-code\`. Or set LOOM\\_CLAUDE\\_BIN to where it is."`,
    );
    expectNothingBegun(world);
    await poor.stop();
    await install(folder, "claude");
    await service.start("worker", { LOOM_WORKER: "rich", ANTHROPIC_API_KEY: KEY });
    await world.until(() => ready(service), "a worker that has claude");
    expect(await ask(world, issue, "/loom run")).toContain("The plan is open");
  });
});

async function ready(loom: Service | null): Promise<boolean> {
  const [key = ""] = (await loom?.redis?.keys("*harness*claude*")) ?? [];
  return ((await loom?.redis?.get(key)) ?? "").includes('"ready"');
}
