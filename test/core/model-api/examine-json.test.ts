import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneOf, type Shape } from "../../../src/core/model-api/body-shape.ts";
import { examineJson } from "../../../src/core/model-api/examine-json.ts";

const SHAPE: Shape = {
  keys: {
    tools: { items: { keys: { type: oneOf("function"), name: null } } },
    input: null,
    on: { plain: (token) => token === "false" },
  },
};

/** In pieces of so many characters. */
function examine(text: string, shape: Shape = SHAPE, piece = text.length || 1) {
  const examiner = examineJson(shape);
  for (let at = 0; at < text.length; at += piece) {
    const fault = examiner.take(text.slice(at, at + piece));
    if (fault) return fault;
  }
  return examiner.end();
}

describe("a body that is examined", () => {
  it.each([
    '{"tools":[{"type":"function","name":"x"}],"input":{"anything":[1,{"tools":2}]}}',
    ' { "input" : "a \\"quoted\\" text\\u0021" , "on" : false } \n',
    '{"tools":[],"input":-1.5e+10}',
    '{"tools":[{"type":null}]}',
    "{}",
  ])("passes when all of it is allowed: %s", (text) => {
    for (const piece of [1, 2, 3, text.length]) expect(examine(text, SHAPE, piece)).toBeNull();
  });

  it.each([
    ['{"mcp_servers":[]}', { kind: "unknown-field", at: "mcp_servers" }],
    ['{"tools":[{"type":"web_search"}]}', { kind: "value", at: "tools[].type", value: "web_search" }],
    ['{"tools":[{"type":"web\\u005fsearch"}]}', { kind: "value", at: "tools[].type", value: "web_search" }],
    ['{"mcp\\u005fservers":[]}', { kind: "unknown-field", at: "mcp_servers" }],
    ['{"tools":[],"tools":[{"type":"mcp"}]}', { kind: "twice", at: "tools" }],
    ['{"tools":[],"t\\u006fols":[]}', { kind: "twice", at: "tools" }],
    ['{"tools":[{"type":"function","type":"mcp"}]}', { kind: "twice", at: "tools[].type" }],
    ['{"tools":{"type":"mcp"}}', { kind: "value", at: "tools", value: "an object" }],
    ['{"tools":[[{"type":"mcp"}]]}', { kind: "value", at: "tools[]", value: "a list" }],
    ['{"tools":[{"type":{"a":1}}]}', { kind: "value", at: "tools[].type", value: "an object" }],
    ['{"on":true}', { kind: "value", at: "on", value: "true" }],
    ['{"Tools":[]}', { kind: "unknown-field", at: "Tools" }],
    ['{"__proto__":1}', { kind: "unknown-field", at: "__proto__" }],
    ['{"constructor":1}', { kind: "unknown-field", at: "constructor" }],
    [`{"${"t".repeat(2_000)}":1}`, { kind: "unknown-field", at: "t".repeat(512) }],
  ])("is refused where it is not: %s", (text, fault) => {
    for (const piece of [1, 7, text.length]) {
      const found = examine(text, SHAPE, piece);
      expect(found?.kind === "unknown-field" ? { ...found, at: found.at.slice(0, 512) } : found).toEqual(
        fault,
      );
    }
  });

  it.each([
    "",
    "{",
    '{"input":1}}',
    '{"input":1} {"tools":[{"type":"mcp"}]}',
    "{'input':1}",
    "{input:1}",
    '{"input":1,}',
    '{"input":[1,]}',
    '{"input":[,1]}',
    '{"input" 1}',
    '{"input":1 "on":false}',
    '{/* "tools" */"input":1}',
    '{"input":NaN}',
    '{"input":01}',
    '{"input":+1}',
    '{"input":.5}',
    '{"input":0x10}',
    '{"input":truefalse}',
    '{"input":"a\nb"}',
    '{"input":"\\x41"}',
    '{"input":"\\u"}',
    '{"input":"\\uZZZZ"}',
    '{"input":"\\u12"}',
    '{"input":"\\u12 4"}',
    '{"input":"\\u"tools"}',
    '{"input":{"\\u00g0":1}}',
    '{"input":"a}',
    '{"input":[}',
    '{"input":{]}',
    '\ufeff{"input":1}',
    "\u00a0{}",
    `{"input":${"[".repeat(5_000)}`,
  ])("is refused when it is no JSON: %j", (text) => {
    for (const piece of [1, text.length || 1])
      expect(examine(text, SHAPE, piece)).toEqual({ kind: "not-json" });
  });

  it("passes with what the operator allows besides, and with nothing near it", () => {
    const also = ["extra", "tools[].type=web_search"];
    const passes = (text: string): boolean => {
      const examiner = examineJson(SHAPE, also);
      return (examiner.take(text) ?? examiner.end()) === null;
    };
    expect(passes('{"extra":{"a":[1]},"tools":[{"type":"web_search"}]}')).toBe(true);
    expect(passes('{"extra":1,"extra":2}')).toBe(false);
    expect(passes('{"tools":[{"type":"web_search2"}]}')).toBe(false);
    expect(passes('{"tools":[{"extra":1}]}')).toBe(false);
  });

  it("is read as every reader of JSON reads it, wherever it is cut", () => {
    const written = fc.json({ maxDepth: 6 }).filter((text) => text.length < 2_000);
    fc.assert(
      fc.property(written, fc.integer({ min: 1, max: 50 }), (text, piece) => {
        expect(examine(text, null, piece)).toBeNull();
      }),
    );
    const broken = fc.tuple(
      written,
      fc.nat(),
      fc.constantFrom("", '"', "\\", "{", "]", ",", ":", "1", "/", "\n"),
    );
    fc.assert(
      fc.property(broken, fc.integer({ min: 1, max: 9 }), ([text, at, sign], piece) => {
        const cut = at % (text.length + 1);
        const changed = text.slice(0, cut) + sign + text.slice(cut + 1);
        if (examine(changed, null, piece) === null) expect(() => JSON.parse(changed)).not.toThrow();
      }),
    );
  });

  it("takes time in step with its length", () => {
    const taken = (count: number): number => {
      const text = `{"input":[${'"a \\"text\\" of some words",'.repeat(count)}1]}`;
      const before = process.cpuUsage().user;
      expect(examine(text, SHAPE, 65_536)).toBeNull();
      return process.cpuUsage().user - before;
    };
    taken(20_000);
    expect(taken(160_000)).toBeLessThan(40 * Math.max(2_000, taken(20_000)));
  });
});
