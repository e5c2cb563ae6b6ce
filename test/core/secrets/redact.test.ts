import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, redactAll } from "../../../src/core/secrets/redact.ts";
import { quickly } from "../../support/quickly.ts";

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
    expect(none(`a ${token} b AKIA${"A".repeat(16)} c`)).toBe("a [secret] b [secret] c");
    expect(none("-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nrest")).toBe(
      "[secret]\nrest",
    );
    expect(none("sk-short, ghost_town, a key")).toBe("sk-short, ghost_town, a key");
  });

  // In the shapes that the services give them; none of them opens anything.
  it.each([
    "sk-ant-api03-Zq3vN8xK_dR1tYwLmP5sH7bGfC2jEoAu-9XkV4nQzTiB6rWyMhSgDpJcLa0FxUeNvOqRbKt8Y2w3ZmHsAA",
    "sk-ant-oat01-aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG1hJ3kL5mN7pQ9rS1tU3vW5xY7zA-9bCdEfGA",
    "sk-proj-8Kd_2nVx-Qw7Lr0TzYpHs3MbFgJcEu5XaRi9NoDvCkWtSy1UlPh6ZjGqOe4BmAfT3BlbkFJ7xIvRnKd2LwYzHs8QpMc",
    "sk-svcacct-Lm4Qx_9vTz7Kp2WsRbYhNc-Jd8GfUeXaOi3ZrMtVkEqPw5BuHy1SjDn6CgLoAIT3BlbkFJv0RsXmKqYpTz",
    "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",
    "sk-0b9f2c47d1e84a6fb3c5d7e9f1a2b4c6",
    "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",
    "sk-lf-1c2d3e4f-5a6b-4c7d-8e9f-0a1b2c3d4e5f",
    "sk-Gx4Tz-9QwL_7RbYk2NcVd",
  ])("takes %s for a key", (key) => {
    expect(createRedactor({})(`key=${key}.`)).toBe("key=[secret].");
  });

  it.each([
    ".sk-circle-fade-dot-animation { color: red }",
    ".sk-cube-grid .sk-cube-grid-item-number-9 { animation-delay: 0.2s }",
    "@keyframes sk-folding-cube-angle-180-rotate3d",
    "src/sk-loading-spinner-component.ts",
    "src/sk-loading-spinner-component-v2.spec.ts",
    "import { SkeletonLoader } from './sk-SkeletonLoaderWithChildren'",
    "locale/sk-SK-translations-of-the-help-2026.json",
    "ask-somebody-who-knows-about-2-or-3-of-them",
  ])("leaves %s alone", (text) => {
    expect(createRedactor({})(text)).toBe(text);
  });

  describe("finds a secret that is whole once it is shown", () => {
    const token = "wq7-Lm_2xZ/p0";
    const key = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const hides = createRedactor({ DEPLOY_TOKEN: token });
    const spread = (text: string, by: string) => [...text].join(by);

    it.each([
      ["spaces of no width", "\u200b"],
      ["soft hyphens", "\u00ad"],
      ["letters that join", "\u034f"],
      ["variation selectors", "\ufe0f"],
      ["tags", "\u{e0041}"],
      ["a change of direction", "\u202e"],
      ["colours", "\u001b[31m"],
      ["the title of a window", "\u001b]0;x\u0007"],
      ["NUL", "\0"],
      ["comments", "<!-- x -->"],
      ["bold marks", "**"],
      ["backticks", "`"],
      ["the entity of a space of no width", "&#8203;"],
    ])("spread with %s", (_name, by) => {
      expect(hides(`It is ${spread(token, by)}!`)).toBe("It is [secret]!");
      expect(hides(`It is ${spread(key, by)}!`)).toBe("It is [secret]!");
    });

    it("escaped for Markdown", () => {
      const escaped = (text: string) => text.replace(/[^A-Za-z0-9]/g, "\\$&");
      expect(hides(`${escaped(token)} and ${escaped(key)}`)).toBe("[secret] and [secret]");
      const signs = createRedactor({ A_TOKEN: "a<b>&c$1-2-3-4" });
      expect(signs("a&lt;b&gt;&amp;c&#36;1-2-3-4")).toBe("[secret]");
    });

    it("and leaves everything else to the letter", () => {
      const text = "a\u200bb **bold** `code` C:\\\\dir \\_ <!-- note --> &amp; \u001b[1mx <!-- open";
      expect(hides(text)).toBe(text);
    });

    it("in time that grows with the text alone", () => {
      for (const part of ["<!--", "<!---->", "\\", "`", "**", "&amp;", "\u001b]", "\u200b"])
        quickly(1_500, () => hides(part.repeat(100_000)), part);
    });
  });

  it("takes time that grows with the text alone", () => {
    const many = createRedactor({ A_TOKEN: "a".repeat(40), B_TOKEN: "ab".repeat(40) });
    quickly(2_500, () => many("ab".repeat(200_000)));
    quickly(2_500, () => many("a".repeat(400_000)));
  });
});
