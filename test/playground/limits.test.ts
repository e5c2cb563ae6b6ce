import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UNLIMITED } from "../../playground/rest/check-limits.ts";
import { aPlayground, type Playground, refusalOf } from "./a-playground.ts";

let playground: Playground;
beforeEach(async () => {
  playground = await aPlayground();
});
afterEach(async () => {
  const { problems } = playground;
  await playground.close();
  expect(problems).toEqual([]);
});

function headersOf(call: Promise<unknown>): Promise<Record<string, string>> {
  return call.then(
    () => Promise.reject(new Error("This call was expected to be refused.")),
    (problem: { response: { headers: Record<string, string> } }) => problem.response.headers,
  );
}

describe("limits", () => {
  it("count requests by the hour, and answer 403 when they are used up", async () => {
    playground.world.github.limits.primary = 3;
    const bot = playground.asInstallation();
    const first = await bot.repos.get(playground.at);
    expect(first.headers).toMatchObject({
      "x-ratelimit-limit": "3",
      "x-ratelimit-remaining": "2",
      "x-ratelimit-used": "1",
    });
    await bot.repos.get(playground.at);
    await bot.repos.get(playground.at);
    const refused = await refusalOf(bot.repos.get(playground.at));
    expect([refused.status, refused.message]).toEqual([
      403,
      `API rate limit exceeded for installation:${playground.installation.id}.`,
    ]);
    const headers = await headersOf(bot.repos.get(playground.at));
    expect(headers["x-ratelimit-remaining"]).toBe("0");
    expect(Number(headers["x-ratelimit-reset"])).toBe(Date.parse("2026-11-01T11:00:00Z") / 1000);
    await playground.as("ada").repos.get(playground.at);
    playground.step(60 * 60_000);
    await playground.asInstallation().repos.get(playground.at);
  });

  it("can be taken away, but for how many may be under way at once", async () => {
    const { limits } = playground.world.github;
    for (const name of ["primary", "pointsPerMinute", "contentPerMinute", "contentPerHour"] as const)
      limits[name] = UNLIMITED;
    const bot = playground.asInstallation();
    await bot.repos.get(playground.at);
    const { headers } = await bot.repos.get(playground.at);
    expect(headers).toMatchObject({ "x-ratelimit-used": "0", "x-ratelimit-remaining": String(UNLIMITED) });
    limits.concurrent = 0;
    expect((await refusalOf(bot.repos.get(playground.at))).status).toBe(429);
  });

  it("do not count an answer that the caller has already", async () => {
    const bot = playground.asInstallation();
    const { headers } = await bot.repos.get(playground.at);
    const again = bot.repos.get({ ...playground.at, headers: { "if-none-match": headers.etag ?? "" } });
    expect((await refusalOf(again)).status).toBe(304);
    const { data } = await bot.rateLimit.get();
    expect(data.rate.used).toBe(1);
    playground.repository.description = "New";
    const changed = await bot.repos.get({
      ...playground.at,
      headers: { "if-none-match": headers.etag ?? "" },
    });
    expect(changed.status).toBe(200);
  });

  it("slow down who writes content too fast, and say for how long", async () => {
    playground.world.github.limits.contentPerMinute = 2;
    const bot = playground.asInstallation();
    const create = () => bot.issues.create({ ...playground.at, title: "T" });
    await create();
    playground.step(20_000);
    await create();
    const headers = await headersOf(create());
    expect(headers["retry-after"]).toBe("40");
    expect(await refusalOf(create())).toMatchInlineSnapshot(`
      {
        "message": "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",
        "status": 429,
      }
    `);
    await bot.repos.get(playground.at);
    playground.step(40_000);
    await create();
    const made = playground.world.github.requests.filter((one) => one.createsContent && one.status === 201);
    expect(made).toHaveLength(3);
  });

  it("count five points for a write and one for a read", async () => {
    playground.world.github.limits.pointsPerMinute = 7;
    const bot = playground.asInstallation();
    await bot.issues.create({ ...playground.at, title: "T" });
    await bot.repos.get(playground.at);
    await bot.repos.get(playground.at);
    expect((await refusalOf(bot.repos.get(playground.at))).status).toBe(429);
  });

  it("allow so many requests at once", async () => {
    playground.world.github.limits.concurrent = 1;
    const bot = playground.asInstallation();
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { git } = playground.world;
    const refs = git.refs;
    let entered = () => {};
    const inside = new Promise<void>((resolve) => {
      entered = resolve;
    });
    (git as { refs: typeof refs }).refs = async (...asked) => {
      entered();
      await gate;
      return refs(...asked);
    };
    const slow = bot.repos.listBranches(playground.at);
    await inside;
    expect((await refusalOf(bot.repos.get(playground.at))).status).toBe(429);
    release();
    expect((await slow).data.map((branch) => branch.name)).toEqual(["main"]);
  });

  it("record every request with its route, and every path that nobody serves", async () => {
    const bot = playground.asInstallation();
    await bot.repos.get(playground.at);
    expect(await refusalOf(bot.request("GET /zen"))).toEqual({ status: 404, message: "Not Found" });
    const { requests } = playground.world.github;
    expect(requests.map(({ method, route, status }) => [method, route, status])).toEqual([
      ["GET", "GET /repos/{owner}/{repo}", 200],
      ["GET", null, 404],
    ]);
    expect(playground.world.unknownPaths).toEqual(["GET /zen"]);
  });

  it("refuse what is not JSON and what is too much to be meant", async () => {
    const address = `${playground.world.github.url}/api/v3/repos/ada/tools/issues`;
    const answer = await fetch(address, { method: "POST", body: "{oops" });
    expect([answer.status, ((await answer.json()) as { message: string }).message]).toEqual([
      400,
      "Problems parsing JSON",
    ]);
    const outside = await fetch(`${playground.world.github.url}/ada/tools`);
    expect(outside.status).toBe(404);
    expect(playground.world.github.requests.map((one) => one.path)).toEqual(["/repos/ada/tools/issues"]);
  });
});
