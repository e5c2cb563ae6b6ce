import fc from "fast-check";
import { expect, it } from "vitest";
import {
  marked,
  markedAsBefore,
  markedKey,
  sameText,
  unmarked,
} from "../../../../src/adapters/github/threads/marker.ts";
import { InternalError } from "../../../../src/core/errors.ts";

const KEY = fc.stringMatching(/^[\w./@-]{1,40}$/);

it("a marker is found below any text, also with other line ends and with quoted markers in it", () => {
  const body = fc.oneof(
    fc.string({ unit: "binary" }),
    KEY.map((key) => `x\n<!-- loom:${key} -->\ny`),
  );
  fc.assert(
    fc.property(body, KEY, KEY, (text, key, other) => {
      const whole = marked(text, key);
      expect(markedKey(whole)).toBe(key);
      expect(markedKey(`${whole.replaceAll("\n", "\r\n")}\r\n`)).toBe(key);
      expect(markedKey(markedAsBefore("another", whole))).toBe(key);
      expect(markedKey(marked(whole, other))).toBe(other);
      expect(sameText(whole.replaceAll("\n", "\r\n"), whole)).toBe(true);
    }),
  );
});

it("what stands above a marker is the text as it was given", () => {
  fc.assert(
    fc.property(fc.lorem({ mode: "sentences" }), KEY, (text, key) => {
      expect(unmarked(marked(text, key))).toBe(text);
    }),
  );
});

it("no text is a marker by itself when more follows it, and no key can end one", () => {
  expect(markedKey("text\n<!-- loom:a -->\nmore")).toBe(null);
  expect(markedKey("text <!-- loom:a -->")).toBe(null);
  expect(markedKey(null)).toBe(null);
  expect(() => marked("text", "a --> b")).toThrow(InternalError);
});

it("reads the longest body that GitHub takes in no time", () => {
  const long = "\n<!-- loom:a -->".repeat(4000) + " ".repeat(5000);
  expect(markedKey(`${long}x`)).toBe(null);
  expect(marked("x".repeat(100_000), "key").length).toBeLessThanOrEqual(65_000);
});
