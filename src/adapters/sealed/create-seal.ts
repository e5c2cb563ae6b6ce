import { createHmac, timingSafeEqual } from "node:crypto";
import type { Seal } from "../../ports/seal.ts";

/** `previous`: keys that sign nothing any more, and whose signatures still count. */
export type SealKeys = { readonly current: Buffer; readonly previous: readonly Buffer[] };

export function createSeal({ current, previous }: SealKeys): Seal {
  return {
    sign: (parts) => digest(current, parts).toString("base64url"),
    isSigned(parts, signature) {
      const given = Buffer.from(signature, "base64url");
      return [current, ...previous].some((key) => {
        const expected = digest(key, parts);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}

/** With the length of each part before it: no two lists of parts give the same bytes. */
function digest(key: Buffer, parts: readonly string[]): Buffer {
  const text = parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join("");
  return createHmac("sha256", key).update(text).digest();
}
