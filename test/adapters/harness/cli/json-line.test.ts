import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  amountAt,
  jsonLine,
  objectsAt,
  outputOf,
  shortBlock,
  shortLine,
  textAt,
  valueAt,
} from "../../../../src/adapters/harness/cli/json-line.ts";

describe("jsonLine", () => {
  it("takes an object, with whatever blanks around it", () => {
    expect(jsonLine(' \ufeff{"type":"result"} \r')).toEqual({ type: "result" });
  });

  it("takes nothing else for one", () => {
    for (const text of ["", "  ", "done", "[1]", '"{}"', "null", '{"type":', '{"a":1} trailing', "{]"])
      expect(jsonLine(text)).toBeNull();
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string(), (text) => void jsonLine(`{${text}`)));
  });
});

describe("looking into an object", () => {
  const object = { a: { b: "text", n: 3, minus: -1, list: [1, { x: 1 }, null, [2]] } };

  it("finds what stands at the end of a path and nothing beyond", () => {
    expect(textAt(object, "a", "b")).toBe("text");
    expect(textAt(object, "a", "n")).toBeNull();
    expect(textAt(object, "a", "b", "length")).toBeNull();
    expect(amountAt(object, "a", "n")).toBe(3);
    expect(amountAt(object, "a", "minus")).toBeNull();
    expect(objectsAt(object, "a", "list")).toEqual([{ x: 1 }]);
    expect(objectsAt(object, "a", "b")).toEqual([]);
    expect(valueAt(null, "a")).toBeUndefined();
  });

  it("does not see what an object inherits", () => {
    expect(valueAt(jsonLine("{}"), "constructor")).toBeUndefined();
    expect(valueAt(jsonLine("{}"), "__proto__", "toString")).toBeUndefined();
  });
});

describe("texts for the log", () => {
  it("says how much of a line is missing", () => {
    expect(outputOf({ stream: "stdout", text: "abc", cutBytes: 7 })).toEqual({
      kind: "output",
      text: "abc… (7 bytes cut)",
    });
  });

  it("keeps the beginning of a line that is far too long", () => {
    const event = outputOf({ stream: "stdout", text: "ä".repeat(20_000), cutBytes: 5 });
    expect(event).toEqual({ kind: "output", text: `${"ä".repeat(16_000)}… (8005 bytes cut)` });
  });

  it("makes one short plain line of anything", () => {
    expect(shortLine("git\n\u001b[31mpush\u001b[0m\torigin")).toBe("git push origin");
    expect([...shortLine("x".repeat(1_000_000))]).toHaveLength(200);
  });

  it("keeps lines in a block and cuts it", () => {
    expect(shortBlock("one\ntwo\n\n")).toBe("one\ntwo");
    expect([...shortBlock("x".repeat(1_000_000))]).toHaveLength(4_000);
  });
});
