import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, redactAll } from "../../../src/core/report/redact.ts";

const SECRET = "s3cr3t/value+with=signs";
const redact = createRedactor({ DEMO_API_KEY: SECRET, EDITOR: "some-editor-name", SHORT_TOKEN: "abc" });

describe("redaction", () => {
  it("takes a secret out as it is and inside an address", () => {
    expect(redact(`key is ${SECRET}, url is https://x/?k=${encodeURIComponent(SECRET)}`)).toBe(
      "key is [secret], url is https://x/?k=[secret]",
    );
  });

  it("takes a secret out of base64, whatever stands around it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary-ascii", maxLength: 7 }),
        fc.string({ unit: "binary-ascii", maxLength: 7 }),
        (before, after) => {
          const encoded = Buffer.from(`${before}${SECRET}${after}`).toString("base64");
          const shown = redact(encoded);
          expect(shown).toContain("[secret]");
          expect(Buffer.from(shown.replaceAll("[secret]", ""), "base64").toString()).not.toContain(
            SECRET.slice(2, -2),
          );
        },
      ),
    );
  });

  it("leaves variables alone that are not called secret, and values too short to be one", () => {
    expect(redact("some-editor-name abc")).toBe("some-editor-name abc");
  });

  it("reaches every text inside a value", () => {
    expect(redactAll({ list: [{ deep: `x ${SECRET}` }], n: 1, none: null }, redact)).toEqual({
      list: [{ deep: "x [secret]" }],
      n: 1,
      none: null,
    });
  });

  it("takes the longer of two secrets out whole", () => {
    const both = createRedactor({ A_TOKEN: "12345678", B_TOKEN: "12345678-and-more" });
    expect(both("12345678-and-more")).toBe("[secret]");
  });
});
