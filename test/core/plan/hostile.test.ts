import { describe, expect, it } from "vitest";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { quickly } from "../../support/quickly.ts";
import { problemsOf, read, withStages } from "../../support/read-plans.ts";

const LIMIT_MS = 2000;

function messagesOf(text: string | Uint8Array): string[] {
  return quickly(LIMIT_MS, () => read(text)).problems.map(
    ({ line, message }) => `${line ?? "-"}: ${message}`,
  );
}

function block(yaml: string): string {
  return `# P\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n`;
}

function manyStages(count: number, fields: (n: number) => string = () => ""): string {
  return withStages(Array.from({ length: count }, (_, n) => `- id: s${n}\n${fields(n)}`).join("\n"));
}

describe("large plans", () => {
  it("of 10,000 stages load", () => {
    const chain = manyStages(
      10_000,
      (n) => `  acceptance:\n    - npm test\n  dependencies: [${n > 0 ? `s${n - 1}` : ""}]`,
    );
    const { plan, problems, graph } = quickly(LIMIT_MS, () => read(chain));
    expect(problems).toEqual([]);
    expect(plan?.stages).toHaveLength(10_000);
    expect(graph?.levels.get("s9999")).toBe(9999);
  });

  it("of 10,001 stages do not", () => {
    expect(messagesOf(manyStages(10_001))).toEqual([
      "6: The plan has 10001 stages; 10000 are the most Loom takes.",
    ]);
  });

  it("may have a description of a megabyte", () => {
    const text = manyStages(
      1,
      () => `  acceptance: [x]\n  description: |\n${`    ${"word ".repeat(20)}\n`.repeat(10_000)}`,
    );
    const { plan, problems } = quickly(LIMIT_MS, () => read(text));
    expect(plan?.stages[0]?.description).toHaveLength(1_009_999);
    expect(problems).toEqual([]);
  });

  it("of more than 5 MB are refused", () => {
    expect(messagesOf("x".repeat(5_000_001))).toEqual(["-: The file is larger than 5 MB."]);
  });

  it("are told of 1,000 problems, and how many more there are", () => {
    const { problems } = quickly(LIMIT_MS, () =>
      read(manyStages(10_000, (n) => `  dependencies: [x${n}, y]`)),
    );
    expect(problems).toHaveLength(1001);
    expect(problems.at(-1)?.message).toBe("29000 more problems are not listed.");
    expect(problems.every(({ severity }) => severity === "error")).toBe(true);
  });

  it("may wait for each other in one large circle", () => {
    const { problems } = quickly(LIMIT_MS, () =>
      read(manyStages(10_000, (n) => `  dependencies: [s${(n + 1) % 10_000}]`)),
    );
    expect(problems.filter(({ severity }) => severity === "error")).toHaveLength(1);
  });

  it("may all own the same file, or patterns that overlap", () => {
    expect(quickly(LIMIT_MS, () => read(manyStages(10_000, () => "  files: [a.ts]"))).plan).toBeNull();
    const overlap = quickly(LIMIT_MS, () => read(manyStages(10_000, (n) => `  files: ["**/a${n}*.ts"]`)));
    expect(overlap.problems.some(({ message }) => message.includes("not all of them were compared"))).toBe(
      true,
    );
  });

  it("may depend on all others", () => {
    const all = Array.from({ length: 9_999 }, (_, n) => `s${n}`).join(", ");
    const text = manyStages(
      10_000,
      (n) => `  acceptance: [x]\n${n === 9_999 ? `  dependencies: [${all}]` : ""}`,
    );
    expect(quickly(LIMIT_MS, () => read(text)).problems).toEqual([]);
  });
});

describe("hostile YAML", () => {
  it("with aliases of aliases is refused", () => {
    const levels = Array.from(
      { length: 30 },
      (_, n) => `b${n + 1}: &b${n + 1} [${Array(9).fill(`*b${n}`).join(", ")}]`,
    );
    const text = block(`b0: &b0 [x, x]\n${levels.join("\n")}\nloom: { version: 1, stages: *b30 }`);
    expect(messagesOf(text).filter((message) => message.includes("alias"))).toEqual([
      "9: The YAML can't be used here: aliases repeat too much.",
    ]);
  });

  it("with merge keys that multiply is refused", () => {
    const levels = Array.from(
      { length: 30 },
      (_, n) => `b${n + 1}: &b${n + 1} { <<: [${Array(9).fill(`*b${n}`).join(", ")}] }`,
    );
    const text = block(`b0: &b0 { k: v }\n${levels.join("\n")}\nloom: { version: 1, stages: [*b30] }`);
    expect(messagesOf(text)).toContain("10: The YAML can't be used here: aliases repeat too much.");
  });

  it("that stands inside of itself is refused", () => {
    expect(messagesOf(block("loom: &a\n  version: 1\n  stages: [*a]"))[0]).toBe(
      "6: The YAML can't be used here: `*a` stands inside of what it stands for.",
    );
  });

  it("may use one alias in 10,000 stages", () => {
    const text = manyStages(10_000, (n) => `  acceptance: ${n === 0 ? "&checks [npm test]" : "*checks"}`);
    expect(quickly(LIMIT_MS, () => read(text)).plan?.stages[9_999]?.acceptance).toHaveLength(1);
  });

  it.each(["[", "{a: ", "- ", "? ", "[{a: ", "!x ["])("nested 100,000 times with %j is refused", (unit) => {
    expect(messagesOf(block(`loom:\n  ${unit.repeat(100_000)}`))).toHaveLength(1);
  });

  it("nested by aliases or by indentation is refused", () => {
    const levels = Array.from({ length: 2000 }, (_, n) => `b${n + 1}: &b${n + 1} [*b${n}]`);
    expect(messagesOf(block(`b0: &b0 [x]\n${levels.join("\n")}\nloom: {}`))).toContainEqual(
      expect.stringContaining("aliases repeat too much"),
    );
    const steps = Array.from({ length: 1000 }, (_, n) => `${" ".repeat(n)}a:`).join("\n");
    expect(messagesOf(block(`loom:\n${steps}`))).toEqual([expect.stringContaining("nested too deep")]);
  });

  it.each([
    ["commas", `loom: [${",".repeat(300_000)}]`],
    ["quotes", `loom: "${"\n'".repeat(500_000)}`],
    ["brackets that close nothing", `loom: ${"]".repeat(1_000_000)}`],
    ["stars", "loom: [*a, *b]\n".repeat(20_000)],
    ["spaces", `loom: ${" ".repeat(4_000_000)}x`],
    ["empty lines", `loom:\n${"\n".repeat(1_000_000)}`],
    ["keys", `loom:\n${Array.from({ length: 60_000 }, (_, n) => `  k${n}: v`).join("\n")}`],
    ["documents", "loom: {}\n---\n".repeat(100_000)],
  ])("full of %s gets an answer", (_, yaml) => {
    expect(messagesOf(block(yaml)).length).toBeGreaterThan(0);
  });

  it("with tags, keys given twice, odd keys or zero characters is told where", () => {
    const yaml =
      'loom:\n  version: 1\n  version: 1\n  stages:\n    - id: !!js/function a\n      ? [x]\n      : y\n      name: "\\0"\n      __proto__: { critical: true }\n';
    expect(problemsOf(block(yaml))).toMatchInlineSnapshot(`
      [
        "6 error -: The YAML can't be used here: \`version\` is given twice. | Keep one of them.",
        "8 error -: The YAML can't be used here: unresolved tag: tag:yaml.org,2002:js/function. | Remove the tag.",
        "8 warning stages[0]: Nothing proves the stage \`a\`. | Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.",
        "9 error -: The YAML can't be used here: a key has to be a plain word. | Write keys as plain words, such as \`name:\`.",
        "11 error -: The YAML can't be used here: a text holds a zero character. | Remove the zero character.",
        "12 error -: The YAML can't be used here: a key has to be a plain word. | Write keys as plain words, such as \`name:\`.",
      ]
    `);
  });

  it("with mistakes is told of each, with its line", () => {
    expect(problemsOf(block("loom:\n  version: 1\n\tstages: []"))).toMatchInlineSnapshot(`
      [
        "6 error -: The YAML can't be used here: tabs are not allowed as indentation. | Indent with spaces.",
      ]
    `);
    expect(problemsOf(block("loom:\n  a: b: c\n  d: 'x\n  e: [1, 2"))).toMatchInlineSnapshot(`
      [
        "5 error -: The YAML can't be used here: nested mappings are not allowed in compact mappings. | Put a text that holds \`: \` in quotes, or begin a new line behind the colon.",
        "8 error -: The YAML can't be used here: missing closing 'quote. | Close every quote and bracket, and put a colon with a space behind each key.",
      ]
    `);
    expect(problemsOf(block("loom: {}\n---\nloom: {}"))).toMatchInlineSnapshot(`
      [
        "5 error -: The YAML can't be used here: a second document begins. | Keep one document: remove the \`---\` and what follows.",
      ]
    `);
    expect(problemsOf(block("loom: *nowhere"))).toMatchInlineSnapshot(`
      [
        "4 error -: The YAML can't be used here: \`*nowhere\` stands for nothing: no \`&nowhere\` comes before it. | Give the part a name with \`&name\` before it is used as \`*name\`, or write it out.",
        "4 error -: \`loom:\` has to be a mapping. | Put \`version: 1\` and \`stages:\` below it.",
      ]
    `);
  });
});

describe("hostile files", () => {
  it("that are not UTF-8 are told the line of the first bad byte", () => {
    const bytes = new TextEncoder().encode(`# Caf\u00e9\n\n${"ok\n".repeat(100_000)}caf?\n`);
    bytes[bytes.length - 2] = 0xe9;
    expect(messagesOf(bytes)).toEqual(["100003: The file is not UTF-8 text."]);
  });

  it("that end in the middle of a character are not UTF-8", () => {
    expect(messagesOf(new Uint8Array([0x23, 0x20, 0x0a, 0xe2, 0x82]))).toEqual([
      "2: The file is not UTF-8 text.",
    ]);
  });

  it("that are UTF-16 or binary are named as such", () => {
    expect(messagesOf(new Uint8Array([0xff, 0xfe, 0x23, 0x00, 0x0a, 0x00]))).toEqual([
      "1: The file is UTF-16, not UTF-8.",
    ]);
    expect(messagesOf("a\nb\0c")).toEqual(["2: The file holds a zero byte, so it is not a text."]);
  });

  it("that are empty have no plan", () => {
    for (const text of ["", "\uFEFF", " ", "\n"]) expect(messagesOf(text)).toHaveLength(1);
  });

  it.each([
    ["fences", "```\n".repeat(200_000)],
    ["YAML fences", "```yaml\n  ```\n".repeat(100_000)],
    [
      "metadata comments",
      "<!-- loom METADATA -->\n```yaml\nloom:\n```\n<!-- END loom METADATA -->\n".repeat(40_000),
    ],
    ["comments that are never closed", "<!--\n".repeat(500_000)],
    ["a fence with spaces", `\`\`\`${" ".repeat(2_000_000)}x`],
    ["a heading with marks", `# ${" #".repeat(1_000_000)}x`],
    ["almost keys", `${"loom ".repeat(500_000)}`],
  ])("full of %s get an answer", (_, text) => {
    expect(messagesOf(text)).toHaveLength(1);
  });

  it("of random bytes never throw", () => {
    let seed = 7;
    const random = () => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return seed;
    };
    const parts = [
      "loom:",
      "\n",
      "  ",
      "- ",
      "stages:",
      "version: 1",
      "id: a",
      "&a",
      "*a",
      "[",
      "]",
      "{",
      "}",
      "'",
      '"',
      "|",
      ">",
      "\t",
      "\r\n",
      "```",
      "~~~yaml",
      "<<: ",
      "é",
      "#",
      "\u2028",
      "?",
      ":",
    ];
    for (let round = 0; round < 1000; round += 1) {
      const text = Array.from({ length: random() % 40 }, () => parts[(random() >> 8) % parts.length]).join(
        "",
      );
      expect(() => parsePlan(`\`\`\`yaml\nloom:\n${text}\n\`\`\`\n`, { origin: "elsewhere" })).not.toThrow();
      expect(() => parsePlan(text, { origin: "loom" })).not.toThrow();
    }
  });
});
