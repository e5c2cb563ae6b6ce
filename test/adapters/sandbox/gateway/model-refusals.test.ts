import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { anthropicApi } from "../../../../src/core/model-api/model-api.ts";
import type { SandboxRefusal } from "../../../../src/ports/sandbox.ts";
import { ask, createWorlds, KEY, PLACEHOLDER, readAll } from "./gateway-world.ts";

const worlds = createWorlds();
afterEach(() => worlds.close());

const HEADERS = { "content-type": "application/json", "x-api-key": PLACEHOLDER };
const MESSAGE = { model: "m", messages: [{ role: "user", content: "x" }] };

/** A model that keeps what reaches it, whole requests and pieces of them. */
async function openToModel(limits = {}) {
  const whole: { url: string; headers: Record<string, unknown>; body: string }[] = [];
  let begun = "";
  const { url } = await worlds.serve(async (incoming, response) => {
    incoming.on("error", () => {});
    let body = "";
    incoming.on("data", (chunk: Buffer) => {
      body += chunk;
      begun += chunk;
    });
    incoming.on("end", () => {
      whole.push({ url: incoming.url ?? "", headers: incoming.headers, body });
      response.end("{}");
    });
  });
  const model = { upstream: url, placeholder: PLACEHOLDER, key: KEY, api: anthropicApi("/v1") };
  const refused: string[] = [];
  const onRefused = ({ boundary, rule, what }: SandboxRefusal) =>
    void refused.push(`${boundary}/${rule}: ${what}`);
  const world = await worlds.open({ model, onRefused }, { limits });
  const post = (path: string, body: unknown, headers: Record<string, string> = HEADERS) =>
    ask(world.socketPath, `/.loom/model${path}`, {
      method: "POST",
      headers,
      body: typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body),
    });
  return { ...world, post, whole, refused, begun: () => begun, host: new URL(url).host };
}

describe("the model's endpoint", () => {
  it("sends what the CLI needs, with the key, its own headers and no others", async () => {
    const { post, whole } = await openToModel();
    const body = JSON.stringify(MESSAGE);
    const headers = { ...HEADERS, "anthropic-beta": "a-1,mcp-client-1", "x-evil": "1", "user-agent": "cli" };
    expect((await post("/v1/messages?beta=true", body, headers)).status).toBe(200);
    expect(whole).toMatchObject([{ url: "/v1/messages?beta=true", body }]);
    expect(Object.keys(whole[0]?.headers ?? {}).sort()).toEqual([
      "accept-encoding",
      "anthropic-beta",
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
      "x-api-key",
    ]);
    expect(whole[0]?.headers).toMatchObject({ "anthropic-beta": "a-1", "x-api-key": KEY });
  });

  it.each([
    ["another's key", "/v1/messages", { ...HEADERS, "x-api-key": "sk-of-somebody-else" }],
    ["no key", "/v1/messages", { "content-type": "application/json" }],
    ["two keys", "/v1/messages", { ...HEADERS, authorization: "Bearer sk-of-somebody-else" }],
    ["a key in the query", "/v1/messages?key=sk-of-somebody-else", HEADERS],
    ["another path", "/v1/files", HEADERS],
    ["a compressed body", "/v1/messages", { ...HEADERS, "content-encoding": "gzip" }],
  ])("opens no connection for a request with %s", async (_what, path, headers) => {
    const { post, whole, begun } = await openToModel();
    const answer = await post(path, MESSAGE, headers);
    expect([answer.status, whole, begun()]).toEqual([400, [], ""]);
    expect(JSON.parse(answer.text).error.message).toMatch(/^Loom does not send this request to the model\. /);
  });

  it("never lets a refused body arrive whole, however late the fault comes", async () => {
    const { post, whole } = await openToModel();
    const filler = "x".repeat(3_000_000);
    const late = `{"model":"m","system":"${filler}","mcp_servers":[{"type":"url","url":"https://a.example"}]}`;
    const answer = await post("/v1/messages", late);
    expect([answer.status, whole]).toEqual([400, []]);
    expect(answer.text).toContain(
      "Loom does not know the field mcp_servers; only Loom's operator can allow it, with LOOM_MODEL_ALLOW=mcp_servers.",
    );
    // The endpoint goes on.
    expect((await post("/v1/messages", MESSAGE)).status).toBe(200);
    expect(whole).toHaveLength(1);
  });

  it("refuses a body with something behind it, one that ends early, and bytes that are no text", async () => {
    const { post, whole } = await openToModel();
    const text = JSON.stringify(MESSAGE);
    const bytes = Buffer.concat([Buffer.from('{"system":"m'), Buffer.from([0xe2]), Buffer.from('"}')]);
    for (const body of [`${text}${text}`, text.slice(0, -1), bytes, "", `\ufeff${text}`])
      expect((await post("/v1/messages", body)).status).toBe(400);
    // What ends early has come whole, and is no JSON to anybody.
    expect(whole.filter(({ body }) => body !== "" && isJson(body))).toEqual([]);
  });

  it("refuses what is longer than any conversation", async () => {
    const { post, whole } = await openToModel({ modelBodyBytes: 100_000 });
    const answer = await post("/v1/messages", { ...MESSAGE, system: "x".repeat(200_000) });
    expect([answer.status, whole]).toEqual([400, []]);
    expect(answer.text).toContain("longer than any that an agent needs");
  });

  it("is not fooled by a length that hides a second request", async () => {
    const { socketPath, whole } = await openToModel();
    const socket = connect(socketPath);
    const body = JSON.stringify(MESSAGE);
    const hidden = `POST /.loom/model/v1/files HTTP/1.1\r\nhost: x\r\nx-api-key: ${PLACEHOLDER}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`;
    const head = `POST /.loom/model/v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${PLACEHOLDER}\r\ncontent-type: application/json\r\n`;
    socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}${hidden}`);
    // What comes before the answer to the first one ends the connection.
    expect(await readAll(socket)).toBe("");
    expect(whole.filter(({ url }) => url !== "/v1/messages")).toEqual([]);
  });

  it("tells each refusal once, and of a flood only the first", async () => {
    const { post, gateway, traffic, host, refused } = await openToModel();
    await post("/v1/files", MESSAGE);
    await post("/v1/files", MESSAGE);
    await post("/v1/messages", { ...MESSAGE, tools: [{ type: "web_search_20250305", name: "x" }] });
    await post("/v1/messages", MESSAGE, { ...HEADERS, "x-api-key": "sk-of-somebody-else" });
    expect(gateway.denied()).toEqual([
      `${host}: POST /v1/files`,
      `${host}: tools[].type with web_search_20250305`,
      `${host}: a credential in x-api-key`,
    ]);
    expect(traffic).toEqual(gateway.denied().map((name) => ({ kind: "denied", host: name })));
    for (let index = 0; index < 30; index += 1) await post(`/v1/files/${index}`, MESSAGE);
    expect(gateway.denied()).toHaveLength(20);
    // The operator's log counts all of them.
    expect(refused).toHaveLength(34);
    expect(refused[0]).toBe(`model/request: a request to the model's host: ${host}: POST /v1/files.`);
  });
});

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
