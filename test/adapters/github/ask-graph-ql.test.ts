import nock from "nock";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { askGraphQl } from "../../../src/adapters/github/api/ask-graph-ql.ts";
import { GitHubFailure, RateLimited } from "../../../src/adapters/github/api/failure.ts";
import { openRepository, type RepositoryParts } from "../../../src/adapters/github/repository.ts";
import { resolveRemark } from "../../../src/adapters/github/threads/resolve-remark.ts";
import { UserError } from "../../../src/core/errors.ts";
import { clientOf, thrown } from "./support/asking.ts";
import { type Canned, cannedGitHub, IN_AN_HOUR } from "./support/canned.ts";

const question = { document: "query { it }", variables: { a: 1 }, shape: z.object({ it: z.number() }) };
const ask = (world: Canned) => askGraphQl(clientOf(world), question);
const answers = (world: Canned, ...bodies: object[]) => {
  for (const body of bodies) world.github.post("/graphql").reply(200, body);
};

describe("a GraphQL question", () => {
  it("goes to the right address with nothing but the question", async () => {
    const world = cannedGitHub();
    const sent: unknown[] = [];
    world.github.post("/graphql", (body) => sent.push(body) > 0).reply(200, { data: { it: 5 } });
    expect(await ask(world)).toEqual({ it: 5 });
    expect(sent).toEqual([{ query: "query { it }", variables: { a: 1 } }]);
  });

  it("goes beside the REST API on GitHub Enterprise Server", async () => {
    const baseUrl = "https://ghes.test/api/v3";
    const world = cannedGitHub({ baseUrl, mint: false });
    const server = nock("https://ghes.test");
    server
      .post("/api/v3/app/installations/7/access_tokens")
      .reply(201, () => ({ token: "ghs_x", expires_at: IN_AN_HOUR() }));
    server.post("/api/graphql").reply(200, { data: { it: 6 } });
    expect(await ask(world)).toEqual({ it: 6 });
  });

  it("about what there is not has no answer", async () => {
    const world = cannedGitHub();
    const missing = { type: "NOT_FOUND", path: ["it"], message: "Could not resolve to a node" };
    answers(world, { data: { it: null }, errors: [missing] });
    expect(await ask(world)).toBe(null);
  });

  it("that GitHub stumbles over is asked again, but not for ever", async () => {
    const stumble = { errors: [{ message: "Something went wrong while executing your query." }] };
    const world = cannedGitHub();
    answers(world, stumble, stumble, { data: { it: 7 } });
    expect(await ask(world)).toEqual({ it: 7 });
    answers(world, stumble, stumble, stumble, stumble);
    const error = await thrown(ask(world));
    expect(error).toBeInstanceOf(GitHubFailure);
    expect((error as Error).message).toContain("Something went wrong");
  });

  it("that is wrong is not asked again", async () => {
    const world = cannedGitHub();
    answers(world, {
      errors: [{ extensions: { code: "undefinedField" }, message: "Field 'it' doesn't exist" }],
    });
    expect((await thrown(ask(world))) as Error).toMatchObject({ message: expect.stringContaining("'it'") });
  });

  it("waits for a limit that came with status 200", async () => {
    const world = cannedGitHub();
    world.github
      .post("/graphql")
      .reply(
        200,
        { errors: [{ message: "You have exceeded a secondary rate limit." }] },
        { "retry-after": "9" },
      );
    answers(world, { data: { it: 8 } });
    expect(await ask(world)).toEqual({ it: 8 });
    expect(Math.round((world.pauses[0] ?? 0) / 1000)).toBe(9);
    const reset = String(Math.floor(Date.now() / 1000) + 1800);
    world.github
      .post("/graphql")
      .reply(
        200,
        { errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }] },
        { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
      );
    expect(await thrown(ask(world))).toBeInstanceOf(RateLimited);
  });

  it("that the App may not ask names the reason", async () => {
    const world = cannedGitHub();
    const refusal = { type: "FORBIDDEN", message: "Resource not accessible by integration" };
    answers(world, { data: null, errors: [refusal] });
    expect(await thrown(ask(world))).toBeInstanceOf(UserError);
  });
});

describe("settling a conversation", () => {
  it("asks with the right to push, and goes on where GitHub does not let the App", async () => {
    const world = cannedGitHub();
    const warnings: string[] = [];
    const parts = {
      client: clientOf(world),
      place: { owner: "o", name: "r", id: 99 },
      warn: (text: string) => warnings.push(text),
    } as unknown as RepositoryParts;
    const refusal = { type: "FORBIDDEN", message: "Resource not accessible by integration" };
    answers(world, { data: { resolveReviewThread: null }, errors: [refusal] });
    await resolveRemark(openRepository(parts), "PRRT_x");
    expect(world.mints.map(({ permissions }) => permissions)).toEqual([
      { contents: "write", metadata: "read", pull_requests: "write" },
    ]);
    expect(warnings).toMatchInlineSnapshot(`
      [
        "failed to settle a conversation on a pull request: The GitHub App needs a permission that it does not have to do this.",
      ]
    `);
  });
});
