import { describe, expect, it } from "vitest";
import { createPatience } from "../../../../src/adapters/harness/cli/patience.ts";
import type { Traffic } from "../../../../src/ports/sandbox.ts";

const NOW = Date.parse("2026-01-31T12:00:00Z");
const answer = (status: number, retryAt: number | null = null): Traffic => ({
  kind: "answered",
  status,
  retryAt,
  body: null,
});

describe("patience with a model that refuses", () => {
  it("ends with the third refused key in a row, and not when one was taken in between", () => {
    const patience = createPatience();
    for (const status of [401, 401, 200, 401, 401]) patience.note(answer(status), NOW);
    expect(patience.lost()).toBeNull();
    patience.note(answer(401), NOW);
    expect(patience.lost()?.kind).toBe("auth");
  });

  it("ends at once when the quota comes back later than a CLI may wait", () => {
    const patience = createPatience();
    expect(patience.note(answer(429, NOW + 30_000), NOW)).toEqual([
      { kind: "rate-limit", resetsAt: NOW + 30_000 },
    ]);
    expect(patience.lost()).toBeNull();
    patience.note(answer(429, NOW + 3_600_000), NOW);
    expect(patience.lost()).toMatchObject({ kind: "quota", resetsAt: NOW + 3_600_000 });
  });

  it("leaves an overloaded provider to the CLI for half a minute, which people can see", () => {
    const patience = createPatience();
    for (let round = 0; round < 20; round += 1)
      expect(patience.note(answer(529), NOW + 1_000 * round)).toMatchObject([{ kind: "retrying" }]);
    expect(patience.lost()).toBeNull();
    patience.note(answer(529), NOW + 30_000);
    expect(patience.lost()?.kind).toBe("overloaded");
  });

  it("waits as long for a provider that is out of reach, and anew after each good answer", () => {
    const away: Traffic = { kind: "unreachable", host: "api.test", reason: "it refused the connection" };
    const patience = createPatience();
    expect(patience.note(away, NOW)).toEqual([
      {
        kind: "retrying",
        reason: "The provider can't be reached: api.test: it refused the connection.",
      },
    ]);
    patience.note(answer(200), NOW + 30_000);
    for (const after of [40_000, 50_000, 60_000]) patience.note(away, NOW + after);
    expect(patience.lost()).toBeNull();
    patience.note(away, NOW + 70_000);
    expect(patience.lost()?.kind).toBe("network");
  });

  it("is not lost over two answers that were long in coming", () => {
    const patience = createPatience();
    for (const after of [0, 600_000]) patience.note(answer(504), NOW + after);
    expect(patience.lost()).toBeNull();
  });

  it("does not call it trying again when the request itself is wrong", () => {
    expect(createPatience().note(answer(404), NOW)).toEqual([]);
  });

  it("hears nothing in traffic that is no answer of the model", () => {
    expect(createPatience().note({ kind: "denied", host: "x.test" }, NOW)).toEqual([]);
  });
});
