import { describe, expect, it } from "vitest";
import { sanitizeEnd, sanitizeEvent } from "../../../src/adapters/harness/sanitize-event.ts";

const NOW = Date.UTC(2026, 10, 16);
const YEARS = 366 * 86_400_000;

describe("what a stream says, by whomever", () => {
  it.each(["--settings=/tmp/evil.json", "-p", "../other", "", "a b", "a\nb", "x".repeat(201)])(
    "names no conversation %j that a CLI could take for something else",
    (conversation) => {
      const started = sanitizeEvent({ kind: "started", model: "m", conversation }, NOW);
      expect(started).toEqual({ kind: "started", model: "m", conversation: null });
      expect(sanitizeEnd({ failure: null, text: null, resume: conversation }, NOW).resume).toBeNull();
    },
  );

  it.each(["8dcbb2f9-38df-4205-9734-53bbe512d253", "ses_4f2aXyz", "0199:a.b"])(
    "keeps the name %j",
    (resume) => {
      expect(sanitizeEnd({ failure: null, text: null, resume }, NOW).resume).toBe(resume);
    },
  );

  it("has an end, and the end of it is kept", () => {
    const text = `${"x".repeat(16_000_000)} the report`;
    const event = sanitizeEvent({ kind: "text", text }, NOW);
    const end = sanitizeEnd({ failure: null, text, resume: null }, NOW);
    for (const kept of [event.kind === "text" ? event.text : "", end.text ?? ""]) {
      expect(kept.length).toBeLessThan(201_000);
      expect(kept.endsWith(" the report")).toBe(true);
    }
    const short = { kind: "text", text: "short" } as const;
    expect(sanitizeEvent(short, NOW)).toEqual(short);
  });

  it("names a model in one short line", () => {
    const model = `good\u001b[2J\nname${"!".repeat(100_000)}`;
    const started = sanitizeEvent({ kind: "started", model, conversation: null }, NOW);
    expect(started.kind === "started" && started.model?.startsWith("good name!!!")).toBe(true);
    expect(started.kind === "started" && started.model?.length).toBe(200);
  });

  it("counts in numbers whose sums are numbers", () => {
    const usage = { inputTokens: 1e308, outputTokens: Number.NaN, costUsd: Number.POSITIVE_INFINITY };
    expect(sanitizeEvent({ kind: "usage", usage }, NOW)).toEqual({
      kind: "usage",
      usage: { inputTokens: 1e12, outputTokens: 0, costUsd: 0 },
    });
    expect(sanitizeEvent({ kind: "context", used: 1e308, window: 0 }, NOW)).toEqual({
      kind: "context",
      used: 1e12,
      window: 1,
    });
  });

  it("knows no moment that the calendar does not", () => {
    expect(sanitizeEvent({ kind: "rate-limit", resetsAt: 1e300 }, NOW)).toEqual({
      kind: "rate-limit",
      resetsAt: null,
    });
    expect(sanitizeEvent({ kind: "rate-limit", resetsAt: NOW + 5 }, NOW)).toEqual({
      kind: "rate-limit",
      resetsAt: NOW + 5,
    });
    const failure = { kind: "quota", message: "No more.", resetsAt: NOW + 2 * YEARS } as const;
    expect(sanitizeEnd({ failure, text: null, resume: null }, NOW).failure).toEqual({
      ...failure,
      resetsAt: null,
    });
  });
});
