import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { BLOCK_BYTES, type BodyBudget } from "./body-budget.ts";

export type SignedBody =
  /** `release` gives its memory, and with it these bytes, back to the budget. */
  | { readonly kind: "signed"; readonly bytes: Buffer; readonly release: () => void }
  | { readonly kind: "forged" | "too-large" | "crowded-out" }
  /** The connection is closed: the sender went away, or sent its body in crumbs. */
  | { readonly kind: "gone" | "crumbs" };

export type SignedBodyOptions = {
  readonly secret: string;
  /** What the sender claims: the SHA-256 HMAC of the body. */
  readonly digest: Buffer;
  readonly limit: number;
  readonly budget: BodyBudget;
};

/** A sender that cuts its body into single bytes makes thousands of events out of one packet. */
const FREE_CHUNKS = 256;
const LEAST_CHUNK = 64;

/**
 * Reads a body and checks its signature on the way, over the bytes as they came and in constant time (T21). It holds copies:
 * a chunk is a view of the 64 KB that were read from the socket, so that a body of tiny chunks would keep a thousand times
 * its own size. Nothing is reserved for a length that is only announced.
 */
export function readSignedBody(request: IncomingMessage, options: SignedBodyOptions): Promise<SignedBody> {
  const { secret, digest, limit, budget } = options;
  return new Promise((resolve) => {
    const hmac = createHmac("sha256", secret);
    let blocks: Buffer[] = [];
    let kept = 0;
    let size = 0;
    let chunks = 0;
    const held = budget.hold(() => settle({ kind: "crowded-out" }));

    function onData(chunk: Buffer): void {
      size += chunk.length;
      chunks += 1;
      if (size > limit) settle({ kind: "too-large" });
      else if (chunks > FREE_CHUNKS && size < chunks * LEAST_CHUNK) settle({ kind: "crumbs" });
      else if (keepCopy(chunk)) hmac.update(chunk);
    }

    /** false: this body was crowded out. */
    function keepCopy(chunk: Buffer): boolean {
      for (let from = 0; from < chunk.length; ) {
        const used = kept % BLOCK_BYTES;
        const block = used === 0 ? held.block() : blocks.at(-1);
        if (!block) return false;
        if (used === 0) blocks.push(block);
        const copied = chunk.copy(block, used, from, from + BLOCK_BYTES - used);
        from += copied;
        kept += copied;
      }
      return true;
    }

    function onEnd(): void {
      const found = hmac.digest();
      const isSigned = digest.length === found.length && timingSafeEqual(digest, found);
      settle(isSigned ? { kind: "signed", bytes: joinBlocks(), release: held.release } : { kind: "forged" });
    }

    function joinBlocks(): Buffer {
      held.keep();
      const [only, ...others] = blocks;
      return only && others.length === 0 ? only.subarray(0, size) : Buffer.concat(blocks, size);
    }

    const onGone = (): void => settle({ kind: "gone" });
    let isSettled = false;
    function settle(body: SignedBody): void {
      if (isSettled) return;
      isSettled = true;
      request.off("data", onData).off("end", onEnd).off("close", onGone);
      // What else comes stays in the network until the connection is closed. Crumbs of one packet would still pile up.
      if (body.kind === "crumbs") request.destroy();
      else if (body.kind !== "signed") request.pause();
      if (body.kind !== "signed") held.release();
      blocks = [];
      resolve(body);
    }

    // A request that breaks off also closes; without a listener its error would end the process.
    request.on("error", () => {});
    request.on("data", onData).on("end", onEnd).on("close", onGone);
  });
}
