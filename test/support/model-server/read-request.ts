import type { IncomingMessage } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { object, parseJson } from "./json.ts";
import { openaiChat } from "./openai-chat.ts";
import { openaiResponses } from "./openai-responses.ts";
import type { Protocol, Reading } from "./protocol.ts";
import { type SeenRequest, tell } from "./seen-request.ts";

export type ReadRequest = {
  readonly protocol: Protocol;
  readonly request: SeenRequest;
  readonly stream: boolean;
};

/** null: no protocol that is spoken here has such a path. */
export async function readRequest(incoming: IncomingMessage): Promise<ReadRequest | null> {
  const { method = "GET", url: path = "/" } = incoming;
  const body = object(parseJson(await readBody(incoming)));
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const call = callOf(method, path, headers);
  if (call === null) return null;
  const { protocol } = call;
  const reading = protocol.read(body, path);
  const purpose = call.purpose === "turn" && isAside(reading) ? "aside" : call.purpose;
  const key = keyOf(headers, path);
  return {
    protocol,
    stream: reading.stream,
    request: { protocol: protocol.id, purpose, method, path, headers, key, body, ...tell(reading) },
  };
}

type Headers = Readonly<Record<string, string>>;

/** A side question never offers tools; a probe of a key wants a single token. */
function isAside(reading: Reading): boolean {
  return reading.tools.length === 0 || (reading.maxTokens ?? 2) <= 1;
}

type Call = { readonly protocol: Protocol; readonly purpose: "turn" | "count" | "list" };

function callOf(method: string, path: string, headers: Headers): Call | null {
  const name = new URL(path, "http://model").pathname;
  if (method === "GET" && name.endsWith("/models")) {
    if (name.includes("/v1beta")) return { protocol: gemini, purpose: "list" };
    const isAnthropic = headers["anthropic-version"] !== undefined;
    return { protocol: isAnthropic ? anthropic : openaiChat, purpose: "list" };
  }
  if (method !== "POST") return null;
  if (name.endsWith("/messages")) return { protocol: anthropic, purpose: "turn" };
  if (name.endsWith("/messages/count_tokens")) return { protocol: anthropic, purpose: "count" };
  if (name.endsWith("/responses")) return { protocol: openaiResponses, purpose: "turn" };
  if (name.endsWith("/chat/completions")) return { protocol: openaiChat, purpose: "turn" };
  if (/:(streamGenerateContent|generateContent)$/.test(name)) return { protocol: gemini, purpose: "turn" };
  if (name.endsWith(":countTokens")) return { protocol: gemini, purpose: "count" };
  return null;
}

function keyOf(headers: Headers, path: string): string | null {
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1];
  const query = new URL(path, "http://model").searchParams.get("key");
  return headers["x-api-key"] ?? headers["x-goog-api-key"] ?? bearer ?? query;
}

async function readBody(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  switch (incoming.headers["content-encoding"]) {
    case "gzip":
      return gunzipSync(bytes).toString();
    case "br":
      return brotliDecompressSync(bytes).toString();
    default:
      return bytes.toString();
  }
}
