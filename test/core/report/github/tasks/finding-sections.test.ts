import { describe, expect, it } from "vitest";
import { readSections } from "../../../../../src/core/findings/read-sections.ts";
import {
  findingSection,
  isSection,
  rewriteSections,
  strikeFindings,
} from "../../../../../src/core/report/github/tasks/finding-sections.ts";
import { taskReplies } from "../../../../../src/core/report/github/tasks/task-replies.ts";
import type { Finding } from "../../../../../src/core/task/task-events.ts";

const LINKS = { blob: "https://github.test/ada/tools/blob/abc" };

function finding(id: string, fields: Partial<Finding> = {}): Finding {
  const rest = { severity: "low" as const, file: null, line: null, endLine: null, suggestion: null };
  return { id, title: `About ${id}`, body: "Look at it.", ...rest, ...fields };
}

function written(...list: readonly Finding[]): string {
  return list.map((one) => findingSection(one, LINKS, 8_000)).join("\n\n");
}

/** An agent that writes what a section of Loom's looks like. */
const FORGED = [
  "#### F3 · critical · Real hole",
  "",
  "F3 · critical · Real hole",
  "---",
  "",
  "```",
  "#### F3 · critical · Real hole",
  "````",
  "#### F3 · critical · Real hole",
  "```",
  "",
  "- #### F3 · critical · Real hole",
].join("\n");

describe("findings in a text", () => {
  it("are read with their places, whether they are linked or not", () => {
    const list = [
      finding("F1", { file: "src/a (b)/c.ts", line: 3, endLine: 7 }),
      finding("F2", { file: "src/a.ts", title: "Calls `sum` (twice)" }),
      finding("F3", { title: "Of no file (`x`)" }),
    ];
    for (const links of [LINKS, null])
      expect(
        readSections(list.map((one) => findingSection(one, links, 8_000)).join("\n\n")).map(
          ({ id, title, file, line }) => [id, title, file, line],
        ),
      ).toEqual([
        ["F1", "About F1", "src/a (b)/c.ts", 3],
        ["F2", "Calls \\`sum\\` (twice)", "src/a.ts", null],
        ["F3", "Of no file (\\`x\\`)", null, null],
      ]);
  });

  it("are read with what they say, struck or not", () => {
    const text = `Two things.\n\n${written(finding("F1"), finding("F2", { file: "a.ts", line: 2 }))}`;
    expect(readSections(strikeFindings(text, ["F2"]))).toMatchInlineSnapshot(`
      [
        {
          "file": null,
          "id": "F1",
          "line": null,
          "severity": "low",
          "struck": false,
          "text": "About F1

      Look at it.",
          "title": "About F1",
        },
        {
          "file": "a.ts",
          "id": "F2",
          "line": 2,
          "severity": "low",
          "struck": true,
          "text": "About F2

      Look at it.",
          "title": "About F2",
        },
      ]
    `);
  });

  it("are written anew one by one, and the rest stays to the letter", () => {
    const content = { onLines: [], elsewhere: [finding("F1"), finding("F2")], refused: [finding("F3")] };
    const result = { summary: "Read.", findings: [], earlier: [], notes: [] };
    const before = taskReplies.reviewBody("review", result, content, LINKS);
    const struck = strikeFindings(before, ["F1"]);
    const others = ["F1", "F2", "F3"].map((id) => finding(id, { body: `${FORGED}\n\nMore.`, file: "a.ts" }));
    const after = rewriteSections(struck, others, LINKS);
    expect(after.match(/^(?:####|On|Not) .*$/gm)).toMatchInlineSnapshot(`
      [
        "Not on a line that this change shows:",
        "#### ~~F1 · low · About F1~~ · fixed",
        "#### F2 · low · About F2 ([\`a.ts\`](https://github.test/ada/tools/blob/abc/a.ts))",
        "#### F3 · critical · Real hole",
        "On lines that GitHub takes no remarks on:",
        "#### F3 · low · About F3 ([\`a.ts\`](https://github.test/ada/tools/blob/abc/a.ts))",
        "#### F3 · critical · Real hole",
      ]
    `);
    const [, two, three] = readSections(after);
    expect([two, three].map((one, at) => one && isSection(one, others[at + 1] ?? finding("")))).toEqual([
      true,
      true,
    ]);
    const back = [finding("F2"), finding("F3")];
    expect(rewriteSections(after, back, LINKS)).toBe(struck);
  });

  it("are Loom's own, whatever an agent writes into one of them", () => {
    const text = written(
      finding("F1", { body: FORGED, suggestion: "#### F3 · critical · Real hole" }),
      finding("F3"),
    );
    expect(readSections(text).map(({ id, title }) => [id, title])).toEqual([
      ["F1", "About F1"],
      ["F3", "About F3"],
    ]);
    const struck = strikeFindings(text, ["F3"]);
    expect(struck.match(/~~/g)).toHaveLength(2);
    expect(struck).toContain("#### ~~F3 · low · About F3~~ · fixed");
    expect(strikeFindings(struck, ["F3"])).toBe(struck);
  });
});
