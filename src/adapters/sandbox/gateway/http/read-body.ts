import type { IncomingMessage } from "node:http";

export type Body =
  | { readonly kind: "read"; readonly text: string }
  | { readonly kind: "too-long" }
  /** It broke off, or took too long. */
  | { readonly kind: "cut-off" };

/**
 * Reads a request to Loom itself, which is short and comes at once. One that is too long is heard to its end but not kept,
 * since nobody reads an answer while still talking. null: there is all the time in the world.
 */
export function readBody(request: IncomingMessage, maxBytes: number, withinMs: number | null): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (body: Body): void => {
      clearTimeout(timer);
      request.off("data", take);
      resolve(body);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) chunks.length = 0;
      else chunks.push(chunk);
    };
    const timer = withinMs === null ? undefined : setTimeout(() => settle({ kind: "cut-off" }), withinMs);
    request.on("data", take);
    request.once("end", () =>
      settle(
        size > maxBytes
          ? { kind: "too-long" }
          : { kind: "read", text: Buffer.concat(chunks).toString("utf8") },
      ),
    );
    request.once("close", () => settle({ kind: "cut-off" }));
    request.once("error", () => settle({ kind: "cut-off" }));
  });
}
