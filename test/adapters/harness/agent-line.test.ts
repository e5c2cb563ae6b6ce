import { describe, expect, it } from "vitest";
import { readAgentLine } from "../../../src/adapters/harness/agent-line.ts";

function read(text: string, cutBytes = 0) {
  return readAgentLine({ stream: "stdout", text, cutBytes });
}

describe("readAgentLine", () => {
  it("reads usage in both spellings", () => {
    const usage = { inputTokens: 10, outputTokens: 2, costUsd: 0.5 };
    expect(read('{"type":"usage","input_tokens":10,"output_tokens":2,"cost_usd":0.5}')).toEqual({
      kind: "usage",
      usage,
    });
    expect(read('{"type":"usage","inputTokens":10,"outputTokens":2,"costUsd":0.5}')).toEqual({
      kind: "usage",
      usage,
    });
  });

  it("takes what is missing or senseless in usage as nothing", () => {
    expect(
      read('{"type":"usage","input_tokens":10,"output_tokens":-4,"cost_usd":"much","extra":{}}'),
    ).toEqual({
      kind: "usage",
      usage: { inputTokens: 10, outputTokens: 0, costUsd: null },
    });
    expect(read('{"type":"usage","input_tokens":1e999}')).toMatchObject({ kind: "output" });
    expect(read('{"type":"usage"}')).toMatchObject({ kind: "output" });
  });

  it("reads questions, which may have several lines", () => {
    expect(read('{"type":"ask","question":"Which one?\\r\\n1 or 2"}')).toEqual({
      kind: "ask",
      question: "Which one?\n1 or 2",
    });
    expect(read('  {"type":"ask","text":"Why?"}')).toEqual({ kind: "ask", question: "Why?" });
    expect(read('{"type":"ask","question":"  "}')).toMatchObject({ kind: "output" });
  });

  it("cuts a question that no one would read to its end", () => {
    const event = read(JSON.stringify({ type: "ask", question: "y".repeat(5_000) }));
    expect(event).toEqual({ kind: "ask", question: `${"y".repeat(3_999)}… (1001 characters cut)` });
  });

  it("reads an answer as it is", () => {
    expect(read('{"type":"answer","text":"  a:\\n    b\\n"}')).toEqual({
      kind: "text",
      text: "  a:\n    b\n",
    });
    expect(read('{"type":"answer","text":" \\n"}')).toMatchObject({ kind: "output" });
  });

  it("reads activity in one line without anything that moves a cursor", () => {
    expect(read('{"type":"activity","text":"writes \\u001b[31mtests\\u001b[0m\\n\\tnow"}')).toEqual({
      kind: "activity",
      text: "writes tests now",
    });
    expect(read('{"type":"activity","message":"\\u001b]0;title\\u0007looks\\u202e around\\u0007"}')).toEqual({
      kind: "activity",
      text: "looks around",
    });
    expect(read('{"type":"activity","text":"\\u001b[2J"}')).toMatchObject({ kind: "output" });
  });

  it("keeps an activity at 200 characters and whole", () => {
    const event = read(JSON.stringify({ type: "activity", text: "🙂".repeat(300) }));
    expect(event).toEqual({ kind: "activity", text: `${"🙂".repeat(199)}…` });
  });

  it("takes everything else for output, as it is", () => {
    for (const text of [
      "",
      "plain",
      "{",
      "[1]",
      "{}",
      "null",
      '{"type":7}',
      '{"type":"other","text":"x"}',
      "\u001b[1mbold",
    ]) {
      expect(read(text)).toEqual({ kind: "output", text });
    }
  });

  it("says how much of a line is missing", () => {
    expect(read("abc", 1_234_567)).toEqual({ kind: "output", text: "abc… (1234567 bytes cut)" });
  });
});
