import type { IncomingMessage } from "node:http";
import { Refusal } from "../model/refusal.ts";

const LARGEST = 10 * 1024 * 1024;

/** The body of a request, undefined when there is none. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST) throw new Refusal(413, "Payload too large");
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refusal(400, "Problems parsing JSON");
  }
}
