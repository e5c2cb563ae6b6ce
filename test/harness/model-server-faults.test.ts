import { afterEach, expect, it } from "vitest";
import { ask, askChat, askClaude, PROTOCOLS } from "../support/model-server/ask.ts";
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from "../support/model-server/start-model-server.ts";

const open: ModelServer[] = [];

afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function start(options: ModelServerOptions): Promise<ModelServer> {
  const server = await startModelServer(options);
  open.push(server);
  return server;
}

it("says so when no tool that is offered does what the script wants", async () => {
  const server = await start({ script: [{ tools: [{ write: { path: "hello.txt", text: "hello\n" } }] }] });
  const answer = await ask(server, "anthropic", { tools: ["Bash", "Read"] });
  expect(answer.status).toBe(400);
  expect(answer.text).toMatchInlineSnapshot(
    `"{"type":"error","error":{"type":"script_error","code":400,"message":"The script wants to write a file, but of the tools offered none does that: Bash, Read"}}"`,
  );
});

it("refuses in each provider's own shape", async () => {
  const server = await start({
    script: [{ error: { status: 429, retryAfter: 7 } }],
    rules: [
      {
        when: ({ lastUserText }) => lastUserText.includes("long"),
        script: [{ error: { status: 400, type: "context" } }],
      },
    ],
  });
  const bodies: Record<string, unknown> = {};
  for (const protocol of PROTOCOLS) {
    const busy = await ask(server, protocol);
    const long = await ask(server, protocol, { text: "a long story" });
    expect([busy.status, busy.headers.get("retry-after"), long.status]).toEqual([429, "7", 400]);
    bodies[protocol] = [JSON.parse(busy.text), JSON.parse(long.text)];
  }
  expect(bodies).toMatchInlineSnapshot(`
    {
      "anthropic": [
        {
          "error": {
            "message": "This request would exceed your organization's rate limit of 50 requests per minute",
            "type": "rate_limit_error",
          },
          "request_id": "req_011loom",
          "type": "error",
        },
        {
          "error": {
            "message": "prompt is too long: 208310 tokens > 200000 maximum",
            "type": "invalid_request_error",
          },
          "request_id": "req_011loom",
          "type": "error",
        },
      ],
      "chat": [
        {
          "error": {
            "code": "rate_limit_exceeded",
            "message": "Rate limit reached on tokens per min (TPM). Please try again in 7s.",
            "param": null,
            "type": "tokens",
          },
        },
        {
          "error": {
            "code": "context_length_exceeded",
            "message": "This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens. Please reduce the length of the messages.",
            "param": null,
            "type": "invalid_request_error",
          },
        },
      ],
      "gemini": [
        {
          "error": {
            "code": 429,
            "details": [
              {
                "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                "violations": [
                  {
                    "quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier",
                    "quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
                  },
                ],
              },
              {
                "@type": "type.googleapis.com/google.rpc.RetryInfo",
                "retryDelay": "7s",
              },
            ],
            "message": "You exceeded your current quota, please check your plan and billing details. Please retry in 7s.",
            "status": "RESOURCE_EXHAUSTED",
          },
        },
        {
          "error": {
            "code": 400,
            "message": "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            "status": "INVALID_ARGUMENT",
          },
        },
      ],
      "responses": [
        {
          "error": {
            "code": "rate_limit_exceeded",
            "message": "Rate limit reached on tokens per min (TPM). Please try again in 7s.",
            "param": null,
            "type": "tokens",
          },
        },
        {
          "error": {
            "code": "context_length_exceeded",
            "message": "Your input exceeds the context window of this model. Please adjust your input and try again.",
            "param": null,
            "type": "invalid_request_error",
          },
        },
      ],
    }
  `);
});

it("goes on with the script after an error that was to come a number of times, in whatever session", async () => {
  const server = await start({ script: [{ error: { status: 500 }, times: 2 }, { say: "Well again." }] });
  const statuses = [
    await askClaude(server),
    await askChat(server),
    await askClaude(server),
    await askChat(server),
  ];
  expect(statuses.map(({ status }) => status)).toEqual([500, 500, 200, 200]);
});

it.each(PROTOCOLS)("fails after the stream has begun (%s)", async (protocol) => {
  const server = await start({ script: [{ error: { status: 503, inStream: true } }] });
  const answer = await ask(server, protocol);
  expect(answer.status).toBe(200);
  expect(answer.frames.length).toBe(2);
  expect(answer.frames.at(-1)).toContain("error");
});

it.each(PROTOCOLS)("breaks off in the middle of a line (%s)", async (protocol) => {
  const server = await start({ script: [{ cut: true }] });
  const answer = await ask(server, protocol);
  expect(answer.broken).toBe(true);
  expect(answer.frames.length).toBeGreaterThan(0);
  expect(answer.text).not.toMatch(/\n$/);
});

it("never answers a request that is to hang, with headers or without", async () => {
  const server = await start({
    script: [{ hang: true }],
    rules: [{ when: ({ lastUserText }) => lastUserText === "headers", script: [{ hang: "after-headers" }] }],
  });
  const silent = hangsUntil(server, "nothing");
  await server.waitFor(({ lastUserText }) => lastUserText === "nothing");
  silent.giveUp();
  expect(await silent.end).toBe("no headers, no body");
  const begun = hangsUntil(server, "headers");
  await begun.headers;
  begun.giveUp();
  expect(await begun.end).toBe("headers, no body");
});

it("takes only the keys it was given, wherever a protocol puts them", async () => {
  const server = await start({ script: [{ say: "Come in." }], keys: ["good"] });
  for (const protocol of PROTOCOLS) {
    expect((await ask(server, protocol, { key: "good" })).status).toBe(200);
    const refused = await ask(server, protocol, { key: "bad" });
    expect(refused.status).toBe(401);
    expect(JSON.parse(refused.text)).toHaveProperty("error.message");
  }
  const inQuery = await fetch(`${server.url}/v1beta/models?key=good`);
  expect(inQuery.status).toBe(200);
  expect(server.requests().filter(({ key }) => key === "bad")).toHaveLength(4);
});

function hangsUntil(server: ModelServer, text: string) {
  const control = new AbortController();
  const response = fetch(`${server.url}/v1/messages`, {
    method: "POST",
    signal: control.signal,
    body: JSON.stringify({
      model: "m",
      stream: true,
      tools: [{ name: "Bash" }],
      messages: [{ role: "user", content: text }],
    }),
  });
  const headers = response.then(
    () => "headers",
    () => "no headers",
  );
  const body = response
    .then((begun) => begun.text())
    .then(
      () => ", a body",
      () => ", no body",
    );
  const end = Promise.all([headers, body]).then((parts) => parts.join(""));
  return { headers, end, giveUp: () => control.abort() };
}
