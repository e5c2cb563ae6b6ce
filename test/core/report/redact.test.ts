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

  it("takes the password of an address out, as it is written there and as it is meant, and leaves the rest", () => {
    const clean = createRedactor({ REDIS_URL: "rediss://loom:p%40ss-word-1@redis.example.com:6380/2" });
    expect(clean("rediss://loom:p%40ss-word-1@redis.example.com:6380/2 refused p@ss-word-1")).toBe(
      "rediss://loom:[secret]@redis.example.com:6380/2 refused [secret]",
    );
    const none = createRedactor({ A: "https://redis.example.com/a:b@c", B: "redis://u:%zz-not-a-code@host" });
    expect(none("https://redis.example.com/a:b@c %zz-not-a-code")).toBe(
      "https://redis.example.com/a:b@c [secret]",
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

  it("takes out what is left of a secret that was cut by a few letters, alone or in base64", () => {
    const long = "abcDEF123456-ghiJKL789012-mnoPQR";
    const redactLong = createRedactor({ DEPLOY_TOKEN: long });
    expect(redactLong(`token ${long.slice(3)} and ${long.slice(0, -5)}.`)).toBe(
      "token [secret] and [secret].",
    );
    expect(redactLong(Buffer.from(long).toString("base64").slice(2))).not.toContain(
      Buffer.from(long).toString("base64").slice(6, 22),
    );
    fc.assert(
      fc.property(
        fc.nat({ max: long.length - 16 }),
        fc.string({ maxLength: 30 }),
        fc.string({ maxLength: 30 }),
        (from, before, after) => {
          expect(redactLong(`${before}${long.slice(from, from + 16)}${after}`)).not.toContain(
            long.slice(from, from + 16),
          );
        },
      ),
    );
  });

  it("leaves short pieces alone, which ordinary words have in common with secrets", () => {
    const redactLong = createRedactor({ DEPLOY_TOKEN: "the-quick-brown-fox-jumps" });
    expect(redactLong("the-quick-brown")).toBe("the-quick-brown");
  });

  it("knows keys by their looks", () => {
    const none = createRedactor({});
    const token = `ghs_${"1234567890".repeat(3)}.${"a".repeat(400)}`;
    expect(none(`a ${token} b sk-ant-${"x".repeat(30)} c AKIA${"A".repeat(16)} d`)).toBe(
      "a [secret] b [secret] c [secret] d",
    );
    expect(none("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nrest")).toBe(
      "[secret]\nrest",
    );
    expect(none("sk-short, ghost_town, a key")).toBe("sk-short, ghost_town, a key");
  });

  it("takes time that grows with the text alone", () => {
    const many = createRedactor({ A_TOKEN: "a".repeat(40), B_TOKEN: "ab".repeat(40) });
    const started = performance.now();
    many("ab".repeat(200_000));
    many("a".repeat(400_000));
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
