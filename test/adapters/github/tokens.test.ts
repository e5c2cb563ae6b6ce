import type nock from "nock";
import { describe, expect, it } from "vitest";
import { UserError } from "../../../src/core/errors.ts";
import { AccessLost } from "../../../src/ports/github/access-lost.ts";
import { at, COMMENT, clientOf, ISSUE, thrown } from "./support/asking.ts";
import { cannedGitHub, IN_AN_HOUR } from "./support/canned.ts";

describe("tokens", () => {
  it("are minted for one repository and with the rights that the use needs", async () => {
    const world = cannedGitHub();
    world.github.get("/repos/o/r/issues/1").reply(200, { number: 1 });
    world.github.put("/repos/o/r/pulls/1/merge").reply(200, { sha: "x" });
    const { ask } = clientOf(world);
    await ask(ISSUE, at);
    await ask(
      "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge",
      { owner: "o", repo: "r", pull_number: 1 },
      { use: "merge" },
    );
    expect(world.mints).toEqual([
      {
        repository_ids: [99],
        permissions: {
          checks: "write",
          contents: "read",
          issues: "write",
          metadata: "read",
          pull_requests: "write",
        },
      },
      { repository_ids: [99], permissions: { contents: "write", metadata: "read", pull_requests: "write" } },
    ]);
  });

  it("are kept while they last, and asked for once by those who ask at the same time", async () => {
    const world = cannedGitHub();
    world.github.get("/repos/o/r/issues/1").times(5).reply(200, { number: 1 });
    const { ask } = clientOf(world);
    await Promise.all([ask(ISSUE, at), ask(ISSUE, at), ask(ISSUE, at)]);
    await ask(ISSUE, at);
    expect(world.mints).toHaveLength(1);
  });

  it("are replaced before they end", async () => {
    let now = Date.now();
    const world = cannedGitHub({ now: () => now });
    world.github.get("/repos/o/r/issues/1").times(2).reply(200, { number: 1 });
    const { ask } = clientOf(world);
    await ask(ISSUE, at);
    now += 52 * 60_000;
    await ask(ISSUE, at);
    expect(world.mints).toHaveLength(2);
  });

  it("are replaced once when GitHub does not accept them any more", async () => {
    const world = cannedGitHub();
    world.github
      .post("/repos/o/r/issues/1/comments")
      .matchHeader("authorization", "Bearer ghs_secret1")
      .reply(401, { message: "Bad credentials" });
    world.github
      .post("/repos/o/r/issues/1/comments")
      .matchHeader("authorization", "Bearer ghs_secret2")
      .reply(201, { id: 5 });
    const { data } = await clientOf(world).ask(COMMENT, { ...at, body: "x" });
    expect(data).toEqual({ id: 5 });
    expect(world.mints).toHaveLength(2);
  });

  it("of git are replaced too, once GitHub has refused another of the same installation", async () => {
    const world = cannedGitHub();
    const push = { installation: 7, repositoryIds: [99], permissions: { contents: "write" as const } };
    const before = await world.app.mintToken(push);
    expect(await world.app.mintToken(push)).toBe(before);
    world.github.get("/repos/o/r/issues/1").reply(401, { message: "Bad credentials" });
    world.github.get("/repos/o/r/issues/1").reply(200, { number: 1 });
    await clientOf(world).ask(ISSUE, at);
    const after = await world.app.mintToken(push);
    expect(after).not.toBe(before);
    expect(await world.app.mintToken(push, after)).not.toBe(after);
  });

  it.each([
    [404, "Not Found", "removed"],
    [403, "This installation has been suspended", "suspended"],
    [
      422,
      "There is at least one repository that does not exist or is not accessible to the parent installation.",
      "repository-gone",
    ],
  ])(
    "that GitHub refuses with %i mean that access is lost, and nothing is tried again",
    async (status, message, reason) => {
      const world = cannedGitHub({ mint: false });
      world.github.post("/app/installations/7/access_tokens").reply(status, { message });
      const error = await thrown(clientOf(world).ask(ISSUE, at));
      expect(error).toBeInstanceOf(AccessLost);
      expect((error as AccessLost).reason).toBe(reason);
      expect(world.pauses).toEqual([]);
    },
  );

  it("that need more than was granted name what is missing", async () => {
    const world = cannedGitHub({ mint: false });
    world.github
      .post("/app/installations/7/access_tokens")
      .reply(422, { message: "The permissions requested are not granted to this installation." });
    const error = await thrown(clientOf(world).ask(ISSUE, at));
    expect(error).toBeInstanceOf(UserError);
    expect((error as Error).message).toMatchInlineSnapshot(
      `"The GitHub App's installation lacks one of the permissions checks: write, contents: read, issues: write, metadata: read, pull_requests: write."`,
    );
  });

  it("are asked for with GitHub's time when this machine's clock is wrong", async () => {
    const world = cannedGitHub({ mint: false, now: () => Date.now() - 3_600_000 });
    const dates: number[] = [];
    const issued = function (this: nock.ReplyFnContext): void {
      const jwt = String(this.req.headers.authorization).split(" ")[1] ?? "";
      dates.push(JSON.parse(Buffer.from(jwt.split(".")[1] ?? "", "base64url").toString()).iat * 1000);
    };
    world.github.post("/app/installations/7/access_tokens").reply(
      401,
      function () {
        issued.call(this);
        return {
          message: "'Expiration time' claim ('exp') must be a numeric value representing the future time",
        };
      },
      { date: new Date().toUTCString() },
    );
    world.github.post("/app/installations/7/access_tokens").reply(201, function () {
      issued.call(this);
      return { token: "ghs_x", expires_at: IN_AN_HOUR() };
    });
    await world.app.mintToken({ installation: 7, repositoryIds: [99], permissions: { contents: "write" } });
    expect(Date.now() - (dates[0] ?? 0)).toBeGreaterThan(3_500_000);
    expect(Math.abs(Date.now() - (dates[1] ?? 0))).toBeLessThan(120_000);
  });
});
