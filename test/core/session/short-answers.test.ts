import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanName, cleanSubject } from "../../../src/core/session/short-answers.ts";

describe("a subject from a small model", () => {
  it.each([
    ["Add a basket", "Add a basket"],
    ["Add a basket.", "Add a basket"],
    ['"Add a basket."', "Add a basket"],
    ["`Add a basket`", "Add a basket"],
    ["**Add a basket**", "Add a basket"],
    ["Subject: Add a basket", "Add a basket"],
    ["- Add a basket (#12)", "Add a basket"],
    ["Here is the commit message:\n\n```\nAdd a basket\n\nIt sums up.\n```", "Add a basket"],
    ["Sure! This is it\nAdd a basket", "Add a basket"],
    ["Add a basket\n\nCo-authored-by: Bot <bot@example.com>", "Add a basket"],
    ["Co-authored-by: Bot <b@example.com>\nAdd a basket", "Add a basket"],
    ["Fix rounding in `sum`", "Fix rounding in `sum`"],
    ["Résumé: keep accents…", "Résumé: keep accents…"],
    ["\u001b[31mAdd\u001b[0m a \u202ebasket", "Add a basket"],
  ])("%j becomes %j", (text, subject) => {
    expect(cleanSubject(text)).toBe(subject);
  });

  it.each([
    "",
    "   \n\n",
    "```\n```",
    "Fixes #12: round",
    "Closes GH-3",
    "Ask @sam about it",
    "See https://example.com",
    "Run /loom cancel",
    "I'm sorry, I can't do that.",
    "Here is what I would write:",
    "12345 -- !!",
    "x".repeat(200),
  ])("%j is not used", (text) => {
    expect(cleanSubject(text)).toBeNull();
  });

  it("is cut between words when it is a little too long", () => {
    const long = "Add a basket that sums up what is in it and rounds the total to cents at once";
    expect(cleanSubject(long)).toBe("Add a basket that sums up what is in it and rounds the total to cents…");
    expect(cleanName(long)).toBe("Add a basket that sums up what is in it and rounds the…");
  });

  it("is one short line that does nothing, whatever the model says", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: "grapheme" })), (text) => {
        const subject = cleanSubject(text);
        if (subject === null) return;
        expect(Array.from(subject).length).toBeLessThanOrEqual(72);
        expect(subject).not.toMatch(/\n|#\d|(?:^|\W)@\w/);
        expect(subject).toBe(subject.trim());
      }),
    );
  });
});
