import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { anthropicApi } from "../../src/core/model-api/model-api.ts";
import { ask, createWorlds, KEY, PLACEHOLDER } from "../adapters/sandbox/gateway/gateway-world.ts";
import { fromTokens } from "./from-tokens.ts";

/** Few in the ordinary tests; each is a connection, so a long run has a tenth of what pure readers have. */
const RUNS = Math.ceil(Number(process.env.LOOM_FUZZ_RUNS ?? 300) / 10);
const IS_LONG = process.env.LOOM_FUZZ_RUNS !== undefined;

const worlds = createWorlds();
afterAll(() => worlds.close());

const BODY = '{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"x"}]}';
const BYTES = fromTokens([
  ...["GET ", "POST ", "CONNECT ", "OPTIONS ", "/.loom/model/v1/messages", "/.loom/judge", "/", "*"],
  ...[
    "http://127.0.0.1:1/",
    "example.com:443",
    " HTTP/1.1\r\n",
    " HTTP/1.0\r\n",
    "\r\n",
    "\r\n\r\n",
    "\n",
    "\r",
  ],
  ...[
    "host: x\r\n",
    `x-api-key: ${PLACEHOLDER}\r\n`,
    "content-type: application/json\r\n",
    "expect: 100-continue\r\n",
  ],
  ...[
    "content-length: 71\r\n",
    "content-length: 0\r\n",
    "content-length: 9\r\n",
    "transfer-encoding: chunked\r\n",
  ],
  ...[
    "connection: x-api-key\r\n",
    "upgrade: websocket\r\n",
    "connection: upgrade\r\n",
    " folded\r\n",
    "\0: \0\r\n",
  ],
  ...[
    "__proto__: a\r\n",
    "authorization: Bearer x\r\n",
    "a: b\r\n".repeat(200),
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    BODY,
  ],
  `POST /.loom/model/v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${PLACEHOLDER}\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
]);

/** Sends the bytes and nothing more, and waits for the end of the connection, which is a cut one as well. */
function send(path: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ path, allowHalfOpen: true });
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.on("end", () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
    socket.end(Buffer.from(bytes, "latin1"));
  });
}

it(
  "the gateway answers or cuts whatever bytes it is sent, and the model sees whole requests alone",
  async () => {
    const seen: string[] = [];
    const model = await worlds.serve((request, response) => {
      seen.push(`${request.method} ${request.url} ${request.headers["x-api-key"]}`);
      request.resume().on("end", () => response.end("{}"));
    });
    const api = anthropicApi("/v1");
    const { socketPath } = await worlds.open(
      { model: { upstream: model.url, placeholder: PLACEHOLDER, key: KEY, api } },
      { limits: { headMs: 1_000, idleMs: 1_000, modelIdleMs: 1_000 } },
    );
    await fc.assert(
      fc.asyncProperty(BYTES, async (bytes) => {
        const answer = await send(socketPath, bytes);
        expect(answer).toMatch(/^(?:HTTP\/1\.[01] \d{3} |$)/);
        expect(answer).not.toContain(KEY);
        expect(seen.filter((one) => !/^POST \/v1\/messages(?:\?beta=true)? /.test(one))).toEqual([]);
      }),
      { numRuns: RUNS, ...(IS_LONG ? {} : { seed: 1 }) },
    );
    const headers = { "x-api-key": PLACEHOLDER, "content-type": "application/json" };
    const last = await ask(socketPath, "/.loom/model/v1/messages", { method: "POST", headers, body: BODY });
    expect(last.status).toBe(200);
    expect(seen.at(-1)).toBe(`POST /v1/messages ${KEY}`);
  },
  IS_LONG ? 3_600_000 : undefined,
);
