import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { table } from "../../../../core/table.ts";

/** They are about one connection and stay on it. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The headers of a message that travel on, repeated ones in their order. */
export function forwardHeaders(message: IncomingMessage): Record<string, string[]> {
  const named = (message.headers.connection ?? "").toLowerCase().split(",");
  const stays = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim())]);
  // Without it the body that follows would be taken for the next request.
  stays.delete("content-length");
  const headers: Record<string, string[]> = table();
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2) {
    const name = message.rawHeaders[index]?.toLowerCase() ?? "";
    if (stays.has(name)) continue;
    const values = headers[name] ?? [];
    values.push(message.rawHeaders[index + 1] ?? "");
    headers[name] = values;
  }
  return headers;
}

/** Of a request: with `host`, and with the way its body is framed, which is Loom's business on each connection. */
export function forwardRequestHeaders(request: IncomingMessage, host: string): OutgoingHttpHeaders {
  const { expect: _answered, ...headers } = forwardHeaders(request);
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  const isEmptyPost =
    !isChunked && headers["content-length"] === undefined && !BODILESS.has(request.method ?? "");
  return {
    ...withSingles(headers),
    host,
    ...(isChunked ? { "transfer-encoding": "chunked" } : {}),
    ...(isEmptyPost ? { "content-length": "0" } : {}),
  };
}

/** Node takes a list only for headers that may be repeated. */
export function withSingles(headers: Readonly<Record<string, string[]>>): OutgoingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

const BODILESS = new Set(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"]);
