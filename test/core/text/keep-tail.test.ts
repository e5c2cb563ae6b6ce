import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { keepTail } from "../../../src/core/text/keep-tail.ts";

describe("keepTail", () => {
  it("keeps the end and counts what came before", () => {
    expect(keepTail("0123456789", 4)).toEqual({ text: "6789", cutBytes: 6 });
    expect(keepTail("0123", 4)).toEqual({ text: "0123", cutBytes: 0 });
  });

  it("never cuts a character in half and counts bytes as UTF-8 does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, most) => {
        const kept = keepTail(text, most);
        expect(text.endsWith(kept.text)).toBe(true);
        expect(Buffer.byteLength(kept.text)).toBeLessThanOrEqual(most);
        expect(Buffer.byteLength(kept.text) + kept.cutBytes).toBe(Buffer.byteLength(text));
      }),
    );
  });
});
