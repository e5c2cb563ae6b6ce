import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentCliId } from "../../setup/agent-clis.ts";
import type { ModelServerOptions } from "../../support/model-server/start-model-server.ts";
import { DRIVEN_CLIS } from "./driven-clis.ts";
import { createSessionBench, type Heard, type SessionBench } from "./session-bench.ts";

type Told = Heard & { readonly requests: number };

/**
 * What goes wrong at a provider, as people read it. The four are driven side by side: most of the time each of them waits
 * before it asks again. Those that end soon take turns meanwhile.
 */
describe("a provider in trouble", () => {
  const benches = new Map<AgentCliId, SessionBench>();
  beforeAll(async () => {
    for (const cli of DRIVEN_CLIS) benches.set(cli.id, await createSessionBench(cli));
  });
  afterAll(() => Promise.all([...benches.values()].map((bench) => bench.dispose())));

  let count = 0;

  /** One session of each. */
  const drive = async (
    options: ModelServerOptions | { readonly url: string },
  ): Promise<[AgentCliId, Told][]> => {
    count += 1;
    const home = `home-${count}`;
    return Promise.all(
      DRIVEN_CLIS.map(async (cli): Promise<[AgentCliId, Told]> => {
        const bench = benches.get(cli.id) ?? expect.unreachable("a bench is missing");
        const server = "url" in options ? null : await bench.serve(options);
        const harness = await bench.harnessFor("url" in options ? options.url : (server?.url ?? ""));
        const running = bench.start(harness, { home: bench.home(home) });
        const heard = await running.heard;
        expect(running.living()).toEqual([]);
        const requests = server?.requests().filter(({ purpose }) => purpose === "turn").length ?? 0;
        return [cli.id, { ...heard, requests }];
      }),
    );
  };

  let turn: Promise<unknown> = Promise.resolve();
  const driveInTurn: typeof drive = (options) => {
    const driven = turn.then(() => drive(options));
    turn = driven.catch(() => {});
    return driven;
  };

  const kinds = (told: readonly [AgentCliId, Told][]) =>
    Object.fromEntries(told.map(([id, { end }]) => [id, end.failure?.kind]));
  const messages = (told: readonly [AgentCliId, Told][]) =>
    Object.fromEntries(told.map(([id, { end }]) => [id, end.failure?.message]));

  it.concurrent("is given up on within the minute when it is broken", async ({ expect }) => {
    const told = await drive({ script: [{ error: { status: 500 } }] });
    expect(kinds(told)).toEqual(all("overloaded"));
    expect(messages(told)).toMatchInlineSnapshot(`
      {
        "claude": "The provider has a fault (500): Internal server error.",
        "codex": "The provider has a fault (500): The server had an error while processing your request.",
        "gemini": "The provider has a fault (500): An internal error has occurred.",
        "opencode": "The provider has a fault (500): The server had an error while processing your request.",
      }
    `);
  });

  it.concurrent("is given up on within the minute when nobody listens", async ({ expect }) => {
    const port = await closedPort();
    const told = await drive({ url: `http://127.0.0.1:${port}` });
    expect(kinds(told)).toEqual(all("network"));
    const neutral = JSON.stringify(messages(told)).replaceAll(String(port), "<port>");
    expect(JSON.parse(neutral)).toMatchInlineSnapshot(`
      {
        "claude": "The provider can't be reached: 127.0.0.1:<port>: it refused the connection.",
        "codex": "The provider can't be reached: 127.0.0.1:<port>: it refused the connection.",
        "gemini": "The provider can't be reached: 127.0.0.1:<port>: it refused the connection.",
        "opencode": "The provider can't be reached: 127.0.0.1:<port>: it refused the connection.",
      }
    `);
  });

  it.concurrent("is left at once when its limit is reached for an hour", async ({ expect }) => {
    const began = Date.now();
    const told = await driveInTurn({ script: [{ error: { status: 429, retryAfter: 3_600 } }] });
    expect(kinds(told)).toEqual(all("quota"));
    for (const [id, { end, requests }] of told) {
      const heardAt = (end.failure?.resetsAt ?? 0) - 3_600_000;
      expect(heardAt, id).toBeGreaterThanOrEqual(began);
      expect(heardAt, id).toBeLessThanOrEqual(Date.now());
      expect(requests, id).toBeLessThanOrEqual(3);
    }
    expect(messages(told)).toMatchInlineSnapshot(`
      {
        "claude": "The provider's limit is reached (429): This request would exceed your organization's rate limit of 50 requests per minute.",
        "codex": "The provider's limit is reached (429): Rate limit reached on tokens per min (TPM).",
        "gemini": "The provider's limit is reached (429): You exceeded your current quota, please check your plan and billing details.",
        "opencode": "The provider's limit is reached (429): Rate limit reached on tokens per min (TPM).",
      }
    `);
  });

  it.concurrent("is left soon when it refuses the key", async ({ expect }) => {
    const told = await driveInTurn({ script: [{ say: "never said" }], keys: ["another key"] });
    expect(kinds(told)).toEqual(all("auth"));
    expect(messages(told)).toMatchInlineSnapshot(`
      {
        "claude": "The provider refused the key (401): invalid x-api-key.",
        "codex": "The provider refused the key (401): Incorrect API key provided.",
        "gemini": "The provider refused the key (401): Request had invalid authentication credentials.",
        "opencode": "The provider refused the key (401): Incorrect API key provided.",
      }
    `);
  });

  it.concurrent("is not asked again for a model that it does not have", async ({ expect }) => {
    const told = await driveInTurn({ script: [{ error: { status: 404 } }] });
    expect(kinds(told)).toEqual(all("bad-request"));
    expect(messages(told)).toMatchInlineSnapshot(`
      {
        "claude": "The provider does not know the model (404): name another one in the plan or in LOOM_CLAUDE_MODEL.",
        "codex": "The provider does not know the model (404): name another one in the plan or in LOOM_CODEX_MODEL.",
        "gemini": "The provider does not know the model (404): name another one in the plan or in LOOM_GEMINI_MODEL.",
        "opencode": "The provider does not know the model (404): name another one in the plan or in LOOM_OPENCODE_MODEL.",
      }
    `);
  });

  it.concurrent("says when a conversation is too long for the model", async ({ expect }) => {
    const told = await driveInTurn({ script: [{ error: { status: 400, type: "context" } }] });
    expect(kinds(told)).toEqual(all("context"));
    expect(messages(told)).toMatchInlineSnapshot(`
      {
        "claude": "The conversation does not fit into the model's window any more (400): prompt is too long: 208310 tokens > 200000 maximum.",
        "codex": "The conversation does not fit into the model's window any more (400): Your input exceeds the context window of this model.",
        "gemini": "The conversation does not fit into the model's window any more (400): The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "opencode": "The conversation does not fit into the model's window any more (400): This model's maximum context length is 128000 tokens.",
      }
    `);
  });
});

function all(kind: string): Record<string, string> {
  return Object.fromEntries(DRIVEN_CLIS.map(({ id }) => [id, kind]));
}

/** One that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : expect.unreachable("no port");
}
