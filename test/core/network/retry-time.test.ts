import { describe, expect, it } from "vitest";
import { retryTime } from "../../../src/core/network/retry-time.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const waitFor = (
  headers: Record<string, string>,
  body: string | null = null,
  status = 429,
): number | null => {
  const at = retryTime({ status, headers, body }, NOW);
  return at === null ? null : (at - NOW) / 1000;
};

describe("the time to ask a model's provider again", () => {
  it.each([
    ["seconds", { "retry-after": "30" }, 30],
    ["a date", { "retry-after": "Sun, 01 Mar 2026 12:05:00 GMT" }, 300],
    ["milliseconds, which are more exact", { "retry-after-ms": "1500", "retry-after": "2" }, 1.5],
    ["a moment in the past, which means now", { "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }, 0],
    [
      "the end of a subscription's window",
      { "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 7200) },
      7200,
    ],
    [
      "an empty bucket",
      {
        "anthropic-ratelimit-tokens-remaining": "0",
        "anthropic-ratelimit-tokens-reset": "2026-03-01T12:01:00Z",
      },
      60,
    ],
    ["a duration of minutes", { "x-ratelimit-reset-requests": "6m0s" }, 360],
    ["a duration with a fraction", { "x-ratelimit-reset-tokens": "1.5s" }, 1.5],
    ["a duration of milliseconds", { "x-ratelimit-reset-tokens": "820ms" }, 0.82],
    [
      "a window of Codex that is used up",
      { "x-codex-primary-used-percent": "100", "x-codex-primary-reset-after-seconds": "90" },
      90,
    ],
    [
      "the same as a moment",
      { "x-codex-secondary-used-percent": "100.0", "x-codex-secondary-reset-at": String(NOW / 1000 + 60) },
      60,
    ],
  ])("is read from %s", (_what, headers, seconds) => {
    expect(waitFor(headers)).toBe(seconds);
  });

  it("is read from Gemini's error", () => {
    const info = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.074824224s" };
    const body = JSON.stringify(
      { error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [info] } },
      null,
      2,
    );
    expect(waitFor({}, body)).toBeCloseTo(34.07, 1);
  });

  it("is read from a body that is cut in the middle", () => {
    expect(waitFor({}, '{"error":{"type":"usage_limit_reached","resets_in_seconds":120,"message":"You')).toBe(
      120,
    );
  });

  it("is the later one of a short wait and a window that is used up", () => {
    const headers = {
      "retry-after": "5",
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-reset": String(NOW / 1000 + 3600),
    };
    expect(waitFor(headers)).toBe(3600);
    expect(waitFor({ ...headers, "anthropic-ratelimit-unified-status": "allowed" })).toBe(5);
  });

  it("does not wait for buckets that are not empty when another one is", () => {
    const headers = {
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "20s",
      "x-ratelimit-remaining-tokens": "4000",
      "x-ratelimit-reset-tokens": "6m0s",
    };
    expect(waitFor(headers)).toBe(20);
    expect(waitFor({ ...headers, "x-ratelimit-remaining-tokens": "0" })).toBe(360);
    expect(waitFor({ ...headers, "x-ratelimit-remaining-requests": "1" })).toBe(20);
  });

  it("is unknown for other answers, for nonsense and for times that nobody can mean", () => {
    expect(waitFor({ "retry-after": "30" }, null, 500)).toBeNull();
    expect(waitFor({ "retry-after": "30" }, null, 503)).toBe(30);
    expect(waitFor({ "retry-after": "30" }, null, 529)).toBe(30);
    expect(waitFor({})).toBeNull();
    for (const value of ["", "soon", "-5", "1e9", "99999999999999", "NaN", "0x10"]) {
      expect(waitFor({ "retry-after": value })).toBeNull();
    }
    expect(waitFor({ "x-ratelimit-reset-tokens": "5 minutes" }, '{"retryDelay":"soon"}')).toBeNull();
  });
});
