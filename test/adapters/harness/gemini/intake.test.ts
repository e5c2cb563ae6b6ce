import { describe, expect, it } from "vitest";
import { findGeminiEndpoint } from "../../../../src/adapters/harness/gemini/endpoint.ts";

describe("gemini's endpoint", () => {
  it("takes the key from either of its variables", () => {
    expect(findGeminiEndpoint({ GEMINI_API_KEY: " k1 ", GOOGLE_API_KEY: "k2" })).toEqual({
      kind: "endpoint",
      keyName: "GEMINI_API_KEY",
      model: { upstream: "https://generativelanguage.googleapis.com", key: "k1", api: expect.any(Array) },
    });
    const own = findGeminiEndpoint({
      GOOGLE_API_KEY: "k2",
      GOOGLE_GEMINI_BASE_URL: "https://models.example.org/g",
    });
    expect(own).toMatchObject({
      keyName: "GOOGLE_API_KEY",
      model: { upstream: "https://models.example.org/g" },
    });
  });

  it("says what to do when there is none", () => {
    expect(findGeminiEndpoint({ GEMINI_API_KEY: " " })).toMatchInlineSnapshot(`
      {
        "kind": "missing",
        "next": "Set GEMINI_API_KEY to a key from Google AI Studio.",
        "reason": "gemini has no key: GEMINI_API_KEY is not set.",
      }
    `);
  });
});
