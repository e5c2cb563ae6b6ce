import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayAnswer } from "../../../../src/core/planning/answers/may-answer.ts";
import { readAnswers } from "../../../../src/core/planning/answers/read-answers.ts";
import { quickly } from "../../../support/quickly.ts";
import { aQuestion } from "../planning-values.ts";

const TWO = [
  aQuestion({ text: "Where?", options: ["Redis", "Postgres"], usual: "Redis" }),
  aQuestion({ text: "How?", options: [], usual: "As today" }),
];

describe("what is let in as a possible answer", () => {
  it.each([
    "1b",
    "1b 2: use Redis",
    "1 b",
    "1. b\n2. with a queue",
    "- 1: b\n- 2: as today",
    "**1.** b",
    "Q1b",
    "question 1: b",
    "#1: b",
    "Thanks for asking!\n\n1b",
    "> 1. Where?\n\n1a",
    "b",
    "(b)",
    "a, b",
    "a\nb\n",
    "option b",
    "defaults",
    "OK, go with the defaults.",
    "1b, default for the rest",
    "what letters make",
    "> 1. What is a word?\n\nWhat letters make.\n",
  ])("takes %j", (body) => {
    expect(mayAnswer(body)).toBe(true);
  });

  it.each([
    "",
    "\n\n",
    "> only a quote",
    "Thank you!\n\nI would not do that.",
    "We had 1 of these in March.\nIt took 20 minutes.",
    `It is a long story, ${"and it goes on, ".repeat(20)}and on.`,
    "/loom status",
  ])("passes over %j", (body) => {
    expect(mayAnswer(body)).toBe(false);
  });

  it("passes over what is longer than any answer", () => {
    expect(mayAnswer(`1b\n${"x".repeat(20_000)}`)).toBe(false);
  });

  it("lets in whatever is read as answers with numbers or letters", () => {
    const words = fc.constantFrom("use Redis", "a cache would do", "as today", "no, in 2 steps");
    const piece = fc.oneof(
      fc.tuple(fc.constantFrom("1", "2", "Q1", "- 1", "**2", "#1"), fc.constantFrom(": ", ". ", ") "), words),
      fc.tuple(fc.constantFrom("1", "2"), fc.constantFrom("", " "), fc.constantFrom("a", "b", "B")),
    );
    const body = fc.tuple(
      fc.constantFrom("", "Thanks!\n", "> 1. Where?\n\n", "\n \n"),
      fc.array(piece, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(" ", "\n", ", "),
    );
    fc.assert(
      fc.property(body, ([before, pieces, between]) => {
        const text = before + pieces.map((parts) => parts.join("")).join(between);
        if (readAnswers(text, TWO).kind !== "none") expect(mayAnswer(text), text).toBe(true);
      }),
    );
  });

  it.each([
    ["line ends", "\n".repeat(20_000)],
    ["quotes of nothing", "\n>".repeat(10_000)],
    ["an item that never begins", `-${"\n".repeat(19_000)}`],
    ["spaces", " ".repeat(20_000)],
    ["stars", "*".repeat(20_000)],
    ["letters and commas", `a${", ".repeat(9_000)}`],
    ["numbers", "1 ".repeat(10_000)],
    ["empty items", "- \n".repeat(6_000)],
  ])("is done at once with nothing but %s", (_what, body) => {
    quickly(500, () => mayAnswer(body));
  });
});
