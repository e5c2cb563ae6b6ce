import nock from "nock";
import { describe, expect, it } from "vitest";
import { GitHubFailure, RateLimited } from "../../../src/adapters/github/api/failure.ts";
import { UserError } from "../../../src/core/errors.ts";
import { at, COMMENT, clientOf, ISSUE, thrown } from "./support/asking.ts";
import { API, cannedGitHub, IN_AN_HOUR } from "./support/canned.ts";

describe("limits", () => {
  it("hold a write for as long as GitHub says, and then repeat it", async () => {
    const world = cannedGitHub();
    world.github
      .post("/repos/o/r/issues/1/comments")
      .reply(403, { message: "You have exceeded a secondary rate limit." }, { "retry-after": "17" });
    world.github.post("/repos/o/r/issues/1/comments").reply(201, { id: 5 });
    await clientOf(world).ask(COMMENT, at);
    expect(Math.round((world.pauses[0] ?? 0) / 1000)).toBe(17);
  });

  it("that last longer than a job should wait are told to whoever asked, for every request after it", async () => {
    const world = cannedGitHub();
    const reset = String(Math.floor(Date.now() / 1000) + 1800);
    world.github
      .get("/repos/o/r/issues/1")
      .reply(
        403,
        { message: "API rate limit exceeded" },
        { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
      );
    const { ask } = clientOf(world);
    for (let time = 0; time < 2; time += 1) {
      const error = await thrown(ask(ISSUE, at));
      expect(error).toBeInstanceOf(RateLimited);
      expect((error as RateLimited).retryMs).toBeGreaterThan(1_700_000);
    }
  });

  it("are told to other processes through the cache", async () => {
    const kept = new Map<string, string>();
    const cache = {
      get: async (key: string) => kept.get(key) ?? null,
      set: async (key: string, value: string) => void kept.set(key, value),
      list: async () => kept,
      remove: async (key: string) => void kept.delete(key),
    };
    const one = cannedGitHub({ cache });
    one.github.get("/repos/o/r/issues/1").reply(429, { message: "slow down" }, { "retry-after": "600" });
    await thrown(clientOf(one).ask(ISSUE, at));
    const other = cannedGitHub({ cache });
    expect(await thrown(clientOf(other).ask(ISSUE, at))).toBeInstanceOf(RateLimited);
  });
});

describe("a stumbling GitHub", () => {
  it.each([
    [
      "a gateway's page",
      (github: nock.Scope) =>
        github
          .get("/repos/o/r/issues/1")
          .reply(502, "<html>Bad gateway</html>", { "content-type": "text/html" }),
    ],
    [
      "a page with status 200",
      (github: nock.Scope) =>
        github.get("/repos/o/r/issues/1").reply(200, "<html>Unicorn</html>", { "content-type": "text/html" }),
    ],
    [
      "half a document",
      (github: nock.Scope) =>
        github
          .get("/repos/o/r/issues/1")
          .reply(200, '{"number": 1, "ti', { "content-type": "application/json" }),
    ],
    [
      "a cut connection",
      (github: nock.Scope) => github.get("/repos/o/r/issues/1").replyWithError("socket hang up"),
    ],
  ])("is asked again after %s", async (_what, stumble) => {
    const world = cannedGitHub();
    stumble(world.github);
    world.github.get("/repos/o/r/issues/1").reply(200, { number: 1 });
    expect((await clientOf(world).ask(ISSUE, at)).data).toEqual({ number: 1 });
    expect(world.pauses).toEqual([1000]);
  });

  it("is not asked a second time to write: it may have done it", async () => {
    const world = cannedGitHub();
    world.github
      .post("/repos/o/r/issues/1/comments")
      .reply(502, "<html>Bad gateway</html>", { "content-type": "text/html" });
    const error = await thrown(clientOf(world).ask(COMMENT, at));
    expect(error).toMatchObject({ status: 502, unsure: true });
    expect((error as Error).message).toMatchInlineSnapshot(
      `"GitHub answered 502 to POST /repos/{owner}/{repo}/issues/{issue_number}/comments: a web page instead of data"`,
    );
  });

  it("is given up on after three repetitions", async () => {
    const world = cannedGitHub();
    world.github.get("/repos/o/r/issues/1").times(4).reply(503, { message: "unavailable" });
    expect(await thrown(clientOf(world).ask(ISSUE, at))).toMatchObject({ status: 503, unsure: false });
    expect(world.pauses).toEqual([1000, 2000, 3000]);
  });
});

describe("requests", () => {
  it("that read the same again cost nothing when nothing changed", async () => {
    const world = cannedGitHub();
    world.github.get("/repos/o/r/issues/1").reply(200, { number: 1 }, { etag: '"v1"' });
    world.github.get("/repos/o/r/issues/1").matchHeader("if-none-match", '"v1"').reply(304);
    const { ask } = clientOf(world);
    await ask(ISSUE, at);
    expect(await ask(ISSUE, at)).toMatchObject({ status: 200, data: { number: 1 } });
  });

  it("that GitHub has not settled yet are asked in full again", async () => {
    const world = cannedGitHub();
    for (const mergeable of [null, true]) {
      world.github
        .get("/repos/o/r/issues/1")
        .matchHeader("if-none-match", (value) => value === undefined)
        .reply(200, { mergeable }, { etag: '"same"' });
    }
    const { ask } = clientOf(world);
    await ask(ISSUE, at);
    expect((await ask(ISSUE, at)).data).toEqual({ mergeable: true });
  });

  it("that were answered to another installation are no answer to this one", async () => {
    const world = cannedGitHub();
    nock(API)
      .post("/app/installations/8/access_tokens")
      .reply(201, { token: "ghs_8", expires_at: IN_AN_HOUR() });
    for (const token of ["ghs_secret1", "ghs_8"]) {
      world.github
        .get("/repos/o/r/issues/1")
        .matchHeader("authorization", `Bearer ${token}`)
        .matchHeader("if-none-match", (value) => value === undefined)
        .reply(200, { token }, { etag: '"same"' });
    }
    for (const installation of [7, 8]) {
      const { ask } = world.app.installationClient({ installation, repositoryId: 99 });
      expect((await ask(ISSUE, at)).data).toEqual({ token: installation === 7 ? "ghs_secret1" : "ghs_8" });
    }
  });

  it("that write are slowed down only after a burst", async () => {
    const now = Date.now();
    const world = cannedGitHub({ now: () => now, pacing: { burst: 3, everyMs: 1000 } });
    world.github.post("/repos/o/r/issues/1/comments").times(5).reply(201, { id: 5 });
    const { ask } = clientOf(world);
    for (let time = 0; time < 5; time += 1) await ask(COMMENT, at);
    expect(world.pauses).toEqual([1000, 2000]);
  });

  it("that the App may not make name the permission", async () => {
    const world = cannedGitHub();
    world.github
      .post("/repos/o/r/issues/1/comments")
      .reply(
        403,
        { message: "Resource not accessible by integration" },
        { "x-accepted-github-permissions": "issues=write; pull_requests=write" },
      );
    const error = (await thrown(clientOf(world).ask(COMMENT, at))) as UserError;
    expect(error).toBeInstanceOf(UserError);
    expect(`${error.message} ${error.next}`).toMatchInlineSnapshot(
      `"The GitHub App needs the permission \`issues=write; pull_requests=write\` to do this. Grant it in the App's settings under Permissions, then accept the change where the App is installed."`,
    );
  });

  it("that fail say what GitHub said, and nothing of the token", async () => {
    const world = cannedGitHub();
    world.github.post("/repos/o/r/issues/1/comments").reply(422, {
      message: "Validation Failed",
      errors: [{ resource: "IssueComment", field: "body", code: "missing_field" }],
    });
    const error = (await thrown(clientOf(world).ask(COMMENT, at))) as GitHubFailure;
    expect(error).toBeInstanceOf(GitHubFailure);
    expect(error.message).toMatchInlineSnapshot(
      `"GitHub answered 422 to POST /repos/{owner}/{repo}/issues/{issue_number}/comments: Validation Failed · body missing_field"`,
    );
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error)) + String(error.cause)).not.toContain(
      "ghs_secret",
    );
  });
});

describe("a token", () => {
  it.each([
    [
      "a cut connection",
      (github: nock.Scope) =>
        github.post(/comments/).replyWithError("reset while sending Bearer ghs_secret1"),
    ],
    [
      "an error",
      (github: nock.Scope) =>
        github.post(/comments/).reply(400, { message: "bad header: Bearer ghs_secret1" }),
    ],
  ])("is in no error, though %s quotes it", async (_what, fail) => {
    const world = cannedGitHub();
    fail(world.github);
    const error = (await thrown(clientOf(world).ask(COMMENT, at))) as GitHubFailure;
    expect(error.message).toContain("Bearer …");
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain("ghs_secret");
  });
});

describe("deliveries", () => {
  it("that failed are those that no later try brought over", async () => {
    const world = cannedGitHub();
    const item = (id: number, guid: string, status_code: number, at: string) => ({
      id,
      guid,
      status_code,
      delivered_at: at,
      event: "issues",
    });
    world.github
      .get("/app/hook/deliveries?per_page=100")
      .reply(200, [item(5, "b", 200, "2026-01-01T12:05:00Z"), item(4, "c", 504, "2026-01-01T12:04:00Z")], {
        link: `<${API}/app/hook/deliveries?per_page=100&cursor=v1_3>; rel="next"`,
      });
    world.github
      .get("/app/hook/deliveries?per_page=100&cursor=v1_3")
      .reply(200, [
        item(3, "c", 500, "2026-01-01T12:03:00Z"),
        item(2, "b", 500, "2026-01-01T12:02:00Z"),
        item(1, "a", 500, "2026-01-01T10:00:00Z"),
      ]);
    world.github.post("/app/hook/deliveries/4/attempts").reply(202, {});
    const failed = await world.app.failedDeliveries(new Date("2026-01-01T12:00:00Z"));
    expect(failed.map(({ id, guid }) => [id, guid])).toEqual([["4", "c"]]);
    await world.app.redeliver("4");
  });
});
