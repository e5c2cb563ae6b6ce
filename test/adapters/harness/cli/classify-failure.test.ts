import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyFailure, failureFromStatus } from "../../../../src/adapters/harness/cli/classify-failure.ts";
import type { ProcessExit } from "../../../../src/ports/process-supervisor.ts";
import type { Traffic } from "../../../../src/ports/sandbox.ts";

const NOW = Date.UTC(2026, 0, 1);
const now = () => NOW;
const failed: ProcessExit = { kind: "exited", code: 1 };

function answered(status: number, body: unknown = null, retryAt: number | null = null): Traffic {
  return { kind: "answered", status, retryAt, body: body === null ? null : JSON.stringify(body) };
}

const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message } });
const openai = (code: string, message: string) => ({ error: { message, type: code, param: null, code } });
const google = (status: string, message: string, details: unknown[] = []) => ({
  error: { code: 400, message, status, details },
});

function told(status: number, body: unknown): string {
  const failure = failureFromStatus(status, JSON.stringify(body), null, { harness: "claude", now });
  const reset = failure.resetsAt === null ? "" : ` (again in ${failure.resetsAt - NOW} ms)`;
  return `${failure.kind}: ${failure.message}${reset}`;
}

describe("failureFromStatus", () => {
  it("tells the providers' errors apart by what has to happen next", () => {
    expect([
      told(401, anthropic("authentication_error", "invalid x-api-key")),
      told(
        401,
        openai("invalid_api_key", "Incorrect API key provided: sk-proj-****abcd. You can find it at X."),
      ),
      told(400, google("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")),
      told(403, google("PERMISSION_DENIED", "Generative Language API has not been used in project 1")),
      told(429, anthropic("rate_limit_error", "This request would exceed your rate limit")),
      told(429, openai("insufficient_quota", "You exceeded your current quota, please check your plan.")),
      told(429, openai("rate_limit_exceeded", "Rate limit reached for x. Please try again in 1m20.5s.")),
      told(429, {
        error: {
          type: "usage_limit_reached",
          message: "The usage limit has been reached",
          resets_in_seconds: 60,
        },
      }),
      told(
        429,
        google("RESOURCE_EXHAUSTED", "Quota exceeded", [{ "@type": "x.RetryInfo", retryDelay: "37s" }]),
      ),
      told(
        400,
        anthropic("invalid_request_error", "Your credit balance is too low to access the API. Go to Plans."),
      ),
      told(402, openai("payment_required", "Add credits")),
      told(529, anthropic("overloaded_error", "Overloaded")),
      told(503, openai("server_is_overloaded", "The server is overloaded")),
      told(500, openai("server_error", "The server had an error")),
      told(504, {}),
      told(400, anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
      told(400, openai("context_length_exceeded", "Your input exceeds the context window of this model.")),
      told(400, openai("x", "This model's maximum context length is 8192 tokens.")),
      told(
        400,
        google("INVALID_ARGUMENT", "The input token count (1200000) exceeds the maximum number of tokens"),
      ),
      told(413, anthropic("request_too_large", "Request exceeds the maximum size")),
      told(404, anthropic("not_found_error", "model: claude-nosuch-1")),
      told(
        404,
        openai("model_not_found", "The model `nosuch` does not exist or you do not have access to it."),
      ),
      told(404, google("NOT_FOUND", "models/gemini-nosuch is not found for API version v1beta")),
      told(404, anthropic("not_found_error", "model: not found")),
      told(404, google("NOT_FOUND", "The model is not found for API version v1beta.")),
      told(404, openai("not_found", "no such path")),
      told(422, openai("invalid_request_error", "tools: too many")),
    ]).toMatchInlineSnapshot(`
      [
        "auth: The provider refused the key (401): invalid x-api-key.",
        "auth: The provider refused the key (401): Incorrect API key provided: ….",
        "auth: The provider refused the key (400): API key not valid.",
        "auth: The provider refused the key (403): Generative Language API has not been used in project 1.",
        "quota: The provider's limit is reached (429): This request would exceed your rate limit.",
        "quota: The provider's limit is reached (429): You exceeded your current quota, please check your plan.",
        "quota: The provider's limit is reached (429): Rate limit reached for x. (again in 80500 ms)",
        "quota: The provider's limit is reached (429): The usage limit has been reached. (again in 60000 ms)",
        "quota: The provider's limit is reached (429): Quota exceeded. (again in 37000 ms)",
        "quota: The provider's limit is reached (400): Your credit balance is too low to access the API.",
        "quota: The provider's limit is reached (402): Add credits.",
        "overloaded: The provider is overloaded (529): Overloaded.",
        "overloaded: The provider is overloaded (503): The server is overloaded.",
        "overloaded: The provider has a fault (500): The server had an error.",
        "overloaded: The provider has a fault (504).",
        "context: The conversation does not fit into the model's window any more (400): prompt is too long: 210000 tokens > 200000 maximum.",
        "context: The conversation does not fit into the model's window any more (400): Your input exceeds the context window of this model.",
        "context: The conversation does not fit into the model's window any more (400): This model's maximum context length is 8192 tokens.",
        "context: The conversation does not fit into the model's window any more (400): The input token count (1200000) exceeds the maximum number of tokens.",
        "context: The conversation does not fit into the model's window any more (413): Request exceeds the maximum size.",
        "bad-request: The provider does not know the model claude-nosuch-1 (404): name another one in the plan or in LOOM_CLAUDE_MODEL.",
        "bad-request: The provider does not know the model nosuch (404): name another one in the plan or in LOOM_CLAUDE_MODEL.",
        "bad-request: The provider does not know the model gemini-nosuch (404): name another one in the plan or in LOOM_CLAUDE_MODEL.",
        "bad-request: The provider does not know the model (404): name another one in the plan or in LOOM_CLAUDE_MODEL.",
        "bad-request: The provider does not know the model (404): name another one in the plan or in LOOM_CLAUDE_MODEL.",
        "bad-request: The provider did not take the request (404): no such path.",
        "bad-request: The provider did not take the request (422): tools: too many.",
      ]
    `);
  });

  it("believes the headers about when to come back", () => {
    expect(failureFromStatus(429, "resets in 5s", 77, { now }).resetsAt).toBe(77);
    expect(failureFromStatus(401, null, 77, { now }).resetsAt).toBeNull();
  });

  it("makes one plain line of whatever the body is", () => {
    const message = (body: string | null) => failureFromStatus(400, body, null).message;
    expect([
      message(null),
      message(""),
      message("<html>\n<title>Bad\u0007 gateway</title>"),
      message('{"error":{"message":"half of an answer that was cu'),
      message('{"error":{"type":"invalid_request_error"}}'),
      message(JSON.stringify({ error: { message: '{"error":{"message":"inner words"}}' } })),
      message('[API Error: {"error":{"message":"wrapped words"}}]'),
    ]).toMatchInlineSnapshot(`
      [
        "The provider did not take the request (400).",
        "The provider did not take the request (400).",
        "The provider did not take the request (400): <html> <title>Bad gateway</title>.",
        "The provider did not take the request (400): half of an answer that was cu.",
        "The provider did not take the request (400): invalid_request_error.",
        "The provider did not take the request (400): inner words.",
        "The provider did not take the request (400): wrapped words.",
      ]
    `);
    expect([...message("x ".repeat(100_000))].length).toBeLessThan(320);
  });
});

describe("classifyFailure", () => {
  const classify = (traffic: Traffic[], said: string | null, exit: ProcessExit = failed) =>
    classifyFailure({ traffic, said, exit, now });

  it("finds nothing wrong with an end of which nothing bad is said", () => {
    expect(classify([answered(500)], null, { kind: "exited", code: 0 })).toBeNull();
    expect(classify([], "  ", { kind: "exited", code: 0 })).toBeNull();
  });

  it("believes the provider's last answer before the CLI", () => {
    const traffic = [answered(200), answered(429, anthropic("rate_limit_error", "slow down"), 99)];
    expect(classify(traffic, "something went wrong")).toEqual({
      kind: "quota",
      message: "The provider's limit is reached (429): slow down.",
      resetsAt: 99,
    });
  });

  it("looks for the answer that the CLI complains about among others on the side", () => {
    const traffic = [
      answered(401, anthropic("authentication_error", "invalid x-api-key")),
      answered(404),
      answered(200),
    ];
    expect(classify(traffic, "API Error: 401")?.kind).toBe("auth");
    expect(classifyFailure({ traffic, said: "No luck", status: 401, exit: failed })?.kind).toBe("auth");
  });

  it("tells that the provider can't be reached", () => {
    const traffic: Traffic[] = [
      { kind: "unreachable", host: "api.example.org", reason: "connection refused" },
      { kind: "denied", host: "statsig.example.org" },
    ];
    expect(classify(traffic, "API Error: 502 Bad Gateway")?.message).toMatchInlineSnapshot(
      `"The provider can't be reached: api.example.org: connection refused."`,
    );
  });

  it("knows the CLIs' own words where no answer was seen", () => {
    const said = [
      "Prompt is too long",
      "Codex ran out of room in the model's context window. Start a new thread.",
      "Not logged in · Please run /login",
      "Claude AI usage limit reached|1767229200",
      "Quota exceeded. Check your plan and billing details.",
      "exceeded retry limit, last status: 429 Too Many Requests",
      "Selected model is at capacity. Please try a different model.",
      "We’re currently experiencing high demand, which may cause temporary errors.",
      "API Error: 529 Overloaded. This is a server-side issue",
      "unexpected status 401 Unauthorized: no, url: http://127.0.0.1:3128/.loom/model/v1/responses",
      "API Error: Connection dropped (ECONNRESET). Check the gateway.",
      "stream disconnected before completion: error sending request",
      '[API Error: {"error":{"code":503,"message":"busy","status":"UNAVAILABLE"}}]',
      "The model `nosuch` does not exist or you do not have access to it.",
      "Unexpected token",
    ];
    expect(
      said.map((text) => classify([], text)).map((found) => `${found?.kind}: ${found?.message}`),
    ).toMatchInlineSnapshot(`
      [
        "context: The conversation does not fit into the model's window any more: Prompt is too long.",
        "context: The conversation does not fit into the model's window any more: Codex ran out of room in the model's context window.",
        "auth: The provider refused the key: Not logged in · Please run /login.",
        "quota: The provider's limit is reached: Claude AI usage limit reached.",
        "quota: The provider's limit is reached: Quota exceeded.",
        "quota: The provider's limit is reached (429): exceeded retry limit, last status: 429 Too Many Requests.",
        "overloaded: The provider is overloaded: Selected model is at capacity.",
        "overloaded: The provider is overloaded: We’re currently experiencing high demand, which may cause temporary errors.",
        "overloaded: The provider is overloaded (529): Overloaded. This is a server-side issue.",
        "auth: The provider refused the key (401): unexpected status 401 Unauthorized: no.",
        "network: The provider can't be reached: Connection dropped (ECONNRESET).",
        "network: The provider can't be reached: stream disconnected before completion: error sending request.",
        "overloaded: The provider has a fault (503): busy.",
        "bad-request: The provider did not take the request: The model \`nosuch\` does not exist or you do not have access to it.",
        "unknown: The agent failed: Unexpected token.",
      ]
    `);
    expect(classify([], "usage limit reached|1767229200")?.resetsAt).toBe(1_767_229_200_000);
  });

  it("says how a program ended that said nothing", () => {
    const ends: ProcessExit[] = [
      { kind: "exited", code: 3 },
      { kind: "signalled", signal: "SIGKILL" },
      { kind: "not-started", reason: "no such file" },
    ];
    expect(
      ends
        .map((exit) => classify([answered(200)], null, exit))
        .map((found) => `${found?.kind}: ${found?.message}`),
    ).toMatchInlineSnapshot(`
      [
        "cut-off: The agent ended without saying how it went (exit code 3).",
        "cut-off: The agent ended without saying how it went (SIGKILL).",
        "unknown: The agent could not be started: no such file.",
      ]
    `);
  });

  it("says one plain bounded sentence about anything", () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('{"error":{"message":"', "\u001b[2J", "\n", "429 "),
    );
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 400, max: 599 }), (parts, status) => {
        const failure = failureFromStatus(status, parts.join(""), null);
        expect(failure.message).toMatch(/^[^\p{Cc}]{10,400}\.$/u);
      }),
    );
  });
});
