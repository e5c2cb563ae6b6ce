import type { IncomingMessage, ServerResponse } from "node:http";
import { answerText } from "./answer.ts";

/** GitHub sends no more. */
export const MAX_PAYLOAD_BYTES = 25 * 1024 * 1024;

const textDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads the body up to the limit and leaves it where Probot's middleware looks first. Answers 413 and returns false when
 * there is more: anybody can send, and the signature is only known at the end. Without a signature nothing is read; the
 * middleware turns such a request away by its headers.
 */
export async function takeBody(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
): Promise<boolean> {
  if (request.method !== "POST" || request.headers["x-hub-signature-256"] === undefined) return true;
  const chunks: Buffer[] = [];
  let size = 0;
  if (Number(request.headers["content-length"] ?? 0) <= limit) {
    // Left open on purpose: the answer goes out on the same socket.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > limit) break;
      chunks.push(chunk);
    }
    if (size <= limit) {
      request.body = textDecoder.decode(Buffer.concat(chunks));
      return true;
    }
  }
  response.setHeader("connection", "close");
  answerText(response, 413, `Payloads may have ${limit} bytes.`);
  return false;
}
