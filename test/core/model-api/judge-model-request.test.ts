import { describe, expect, it } from "vitest";
import {
  bodyRefusal,
  isModelHeader,
  judgeModelRequest,
  withoutClosedBetas,
} from "../../../src/core/model-api/judge-model-request.ts";
import {
  anthropicApi,
  chatApi,
  geminiApi,
  type ModelApi,
  responsesApi,
} from "../../../src/core/model-api/model-api.ts";

const KEY = "loom-0123456789abcdef0123456789abcdef";
const API: ModelApi = [
  ...anthropicApi("/v1"),
  ...responsesApi("/v1"),
  ...chatApi("/v1"),
  ...geminiApi("/v1beta"),
];
const JSON_BODY = ["Content-Type", "application/json"];
const GOOD = [...JSON_BODY, "x-api-key", KEY];

function judge(path: string, rawHeaders: readonly string[] = GOOD, method = "POST") {
  return judgeModelRequest({ method, path, rawHeaders }, API, KEY);
}

describe("a request to the model", () => {
  it.each([
    "/v1/messages",
    "/v1/messages?beta=true",
    "/v1/messages/count_tokens?beta=true",
    "/v1/responses",
    "/v1/chat/completions",
    "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    "/v1beta/models/gemini-2.5-pro:generateContent",
    "/v1beta/models/gemini-2.5-pro:countTokens",
    `/v1beta/models/gemini-2.5-pro:generateContent?key=${KEY}`,
  ])("is sent when a CLI needs it: POST %s", (path) => {
    const key = path.startsWith("/v1beta") ? ["x-goog-api-key", KEY] : ["authorization", `Bearer ${KEY}`];
    expect(judge(path, [...JSON_BODY, ...key])).toMatchObject({ kind: "allowed" });
  });

  it.each([
    "/v1/files",
    "/v1/messages/batches",
    "/v1/organizations/me",
    "/v1/models",
    "/v1/responses/resp_1",
    "/v1/responses/compact",
    "/v1/conversations",
    "/v1/vector_stores",
    "/v1/fine_tuning/jobs",
    "/v1/embeddings",
    "/v1/images/generations",
    "/v1/uploads",
    "/v1beta/files",
    "/upload/v1beta/files",
    "/v1beta/cachedContents",
    "/v1beta/models/x:batchGenerateContent",
    "/v1beta/models/x/../../files:generateContent",
    "/v1beta/tunedModels/x:generateContent",
    "/v1/messages/../files",
    "/v1/messages/..%2ffiles",
    "/v1/%66iles",
    "/v1/%2e%2e/files",
    "/v1//messages",
    "//v1/messages",
    "/v1/messages/",
    "/v1/messages;x",
    "/v1/messages#x",
    "/v1\\messages",
    "/v1/Messages",
    "/v1/messages%00",
    "/v1/messages\n",
    "",
    "/",
    "?",
    "https://elsewhere.example/v1/messages",
    "@elsewhere.example/v1/messages",
  ])("is not sent to what no CLI needs: POST %j", (path) => {
    expect(judge(path)).toMatchObject({ kind: "refused" });
  });

  it.each(["GET", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "post", ""])(
    "is not sent by another method: %j",
    (method) => {
      expect(judge("/v1/messages", GOOD, method)).toMatchObject({ kind: "refused" });
    },
  );

  it.each([
    "/v1/messages?key=sk-of-somebody-else",
    `/v1/messages?key=${KEY}`,
    `/v1/messages?key=${KEY}&key=${KEY}`,
    `/v1/messages?key=${KEY}&key=sk-of-somebody-else`,
    "/v1/messages?beta=true&beta=true",
    "/v1/messages?beta=a%26key%3dx",
    "/v1/messages?api_key=x",
    `/v1/messages?access_token=${KEY}`,
    "/v1/messages?",
    "/v1/messages?beta=true&",
    "/v1/messages?beta=true?x=1",
    "/v1beta/models/x:generateContent?$alt=sse",
    "/v1beta/models/x:generateContent?$httpMethod=DELETE",
    "/v1/responses?starting_after=1",
  ])("is not sent with parameters that are not known: %s", (path) => {
    expect(judge(path)).toMatchObject({ kind: "refused" });
  });

  it.each([
    ["/v1/messages", "x-api-key", KEY],
    ["/v1/messages", "X-API-Key", KEY],
    ["/v1/messages", "authorization", `Bearer ${KEY}`],
    ["/v1/chat/completions", "Authorization", `bearer ${KEY}`],
    ["/v1/responses", "authorization", `Bearer ${KEY}`],
    ["/v1beta/models/x:generateContent", "x-goog-api-key", KEY],
  ])("brings the placeholder: %s, %s", (path, ...header) => {
    expect(judge(path, [...JSON_BODY, ...header])).toMatchObject({ kind: "allowed" });
  });

  it.each([
    ["/v1/messages", "x-goog-api-key", KEY],
    ["/v1/chat/completions", "x-api-key", KEY],
    ["/v1/responses", "x-goog-api-key", KEY],
    ["/v1beta/models/x:generateContent", "x-api-key", KEY],
    ["/v1beta/models/x:generateContent", "authorization", `Bearer ${KEY}`],
  ])("brings it nowhere but where its provider looks for it: %s, %s", (path, ...header) => {
    const right = path.startsWith("/v1beta") ? ["x-goog-api-key", KEY] : ["authorization", `Bearer ${KEY}`];
    expect(judge(path, [...JSON_BODY, ...right, ...header])).toMatchObject({ kind: "refused" });
    expect(judge(path, [...JSON_BODY, ...header])).toMatchObject({ kind: "refused" });
  });

  it.each([
    [[]],
    [["x-api-key", "sk-of-somebody-else"]],
    [["x-api-key", `${KEY} `.trim(), "authorization", "Bearer sk-of-somebody-else"]],
    [["authorization", `Bearer ${KEY}`, "x-api-key", "sk-of-somebody-else"]],
    [["x-api-key", KEY, "X-Api-Key", "sk-of-somebody-else"]],
    [["x-api-key", KEY, "x-api-key", KEY]],
    [["x-api-key", `${KEY}, sk-of-somebody-else`]],
    [["x-api-key", `x${KEY}`]],
    [["x-api-key", KEY.toUpperCase()]],
    [["x-api-key", ""]],
    [["authorization", `Basic ${KEY}`]],
    [["authorization", "Bearer "]],
    [["x-api-key", KEY, "cookie", "session=1"]],
    [["x-api-key", KEY, "proxy-authorization", "Basic x"]],
    [["x-api-key", KEY, "openai-organization", "org-else"]],
    [["x-api-key", KEY, "OpenAI-Project", "proj-else"]],
    [["x-api-key", KEY, "x-goog-user-project", "else"]],
    [["x-api-key", KEY, "api-key", "else"]],
    [["x-api-key", KEY, "x-auth-token", "else"]],
    [["x-api-key", KEY, "x-amz-security-token", "else"]],
  ])("is not sent with another credential, or none: %j", (headers) => {
    expect(judge("/v1/messages", [...JSON_BODY, ...headers])).toMatchObject({ kind: "refused" });
  });

  it.each([
    [["content-encoding", "gzip"]],
    [["content-encoding", "identity, br"]],
    [["content-type", "application/json"]],
    [["anthropic-version", "1", "Anthropic-Version", "2"]],
  ])("is not sent with a body that can't be read, or with a header twice: %j", (headers) => {
    expect(judge("/v1/messages", [...GOOD, ...headers])).toMatchObject({ kind: "refused" });
  });

  it.each([
    "text/plain",
    "multipart/form-data; boundary=x",
    "application/json; charset=utf-16",
    "application/jsonl",
    "application/x-www-form-urlencoded",
    "application/json, text/plain",
  ])("is not sent as %s", (type) => {
    expect(judge("/v1/messages", ["content-type", type, "x-api-key", KEY])).toMatchObject({
      kind: "refused",
    });
    expect(judge("/v1/messages", ["x-api-key", KEY])).toMatchObject({ kind: "refused" });
  });

  it("is refused in words that say why", () => {
    const said = [
      judge("/v1/files"),
      judge(`/v1/${"\u001b[31mx".repeat(100)}`),
      judge("/v1/messages", JSON_BODY),
      judge("/v1/messages", [...JSON_BODY, "x-api-key", "sk-else"]),
      judge("/v1/messages?key=sk-else"),
    ].map((one) => (one.kind === "refused" ? [one.rule, one.sentence] : one.kind));
    const bodies = [
      bodyRefusal({ kind: "unknown-field", at: "mcp_servers" }),
      bodyRefusal({ kind: "twice", at: "tools" }),
      bodyRefusal({ kind: "not-json" }),
      bodyRefusal({ kind: "value", at: "tools[].type", value: "web_search_20250305" }),
    ].map(({ rule, sentence }) => [rule, sentence]);
    expect([...said, ...bodies]).toMatchInlineSnapshot(`
      [
        [
          "POST /v1/files",
          "Loom does not send this request to the model. No agent needs POST /v1/files.",
        ],
        [
          "POST /v1/ [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31…",
          "Loom does not send this request to the model. No agent needs POST /v1/ [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31mx [31….",
        ],
        [
          "no credential",
          "Loom does not send this request to the model. It lacks the credential that Loom provides.",
        ],
        [
          "a credential in x-api-key",
          "Loom does not send this request to the model. It brings a credential of its own in x-api-key; use the one that Loom provides, and no other.",
        ],
        [
          "parameter key",
          "Loom does not send this request to the model. Its parameter key is unknown, comes twice, or has a value that is not allowed.",
        ],
        [
          "field mcp_servers",
          "Loom does not send this request to the model. Loom does not know the field mcp_servers; only Loom's operator can allow it, with LOOM_MODEL_ALLOW=mcp_servers.",
        ],
        [
          "field tools twice",
          "Loom does not send this request to the model. It has tools twice.",
        ],
        [
          "a body that is not JSON",
          "Loom does not send this request to the model. Its body is not valid JSON.",
        ],
        [
          "tools[].type with web_search_20250305",
          "Loom does not send this request to the model. tools[].type can't be web_search_20250305: tools run in the sandbox, and files and images are sent as bytes. Only Loom's operator can allow it, with LOOM_MODEL_ALLOW=tools[].type=web_search_20250305.",
        ],
      ]
    `);
    expect(JSON.stringify(said)).not.toContain("sk-else");
  });

  it("travels with the headers of a CLI, and with no other", () => {
    const kept = [
      "accept",
      "user-agent",
      "anthropic-version",
      "anthropic-beta",
      "x-stainless-os",
      "session-id",
    ];
    expect(kept.filter(isModelHeader)).toEqual(kept);
    expect(
      [
        "x-title",
        "http-referer",
        "x-evil",
        "range",
        "forwarded",
        "x-forwarded-for",
        "x-http-method-override",
        "idempotency-key",
      ].filter(isModelHeader),
    ).toEqual([]);
  });

  it("keeps only those betas that no server-side tool needs", () => {
    expect(
      withoutClosedBetas(
        "claude-code-20250219, mcp-client-2025-11-20,files-api-2025-04-14,effort-2025-11-24,code-execution-2025-08-25,skills-2025-10-02",
      ),
    ).toBe("claude-code-20250219,effort-2025-11-24");
  });
});
