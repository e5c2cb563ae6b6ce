import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { byteLength, cutMarkdown } from "../../../src/core/markdown/cut-markdown.ts";
import { propertyRuns } from "../../support/property-runs.ts";

describe("cutMarkdown", () => {
  it("leaves alone what fits", () => {
    expect(cutMarkdown("a\n", 2)).toBe("a\n");
  });

  it("closes what is open and counts what is gone", () => {
    const text = `<details>\n<summary>x</summary>\n\n\`\`\`\`text\n${"line\n".repeat(1000)}\`\`\`\`\n\n</details>\n`;
    expect(cutMarkdown(text, 320, "See the log.")).toMatchInlineSnapshot(`
      "<details>
      <summary>x</summary>

      \`\`\`\`text
      line
      line
      line
      line
      line
      line
      line
      line
      line
      line
      \`\`\`\`

      </details>

      … (4967 more characters. See the log.)
      "
    `);
  });

  it("cuts inside a long line of code, but never inside a line of text", () => {
    expect(cutMarkdown(`\`\`\`\n${"ß".repeat(500)}\n\`\`\`\n`, 300, "")).toMatchInlineSnapshot(`
      "\`\`\`
      ßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßßß
      \`\`\`

      … (459 more characters)
      "
    `);
    expect(cutMarkdown(`head\n\`@team\` ${"x".repeat(500)}\n`, 300, "")).toMatchInlineSnapshot(`
      "head

      … (509 more characters)
      "
    `);
  });

  it.each([
    ["half a line of marks", `\`\`\`\n\`\`\`\`${"x".repeat(400)}\n\`\`\``, 211],
    ["marks in a block of HTML", `<details>\n\`\`\`\n\n\`\`\`\n<details>\n${"x\n".repeat(200)}`, 300],
  ])("is not misled by %s", (_, text, sandbox) => {
    const last = marked.lexer(cutMarkdown(text, sandbox, "")).findLast(({ type }) => type !== "space");
    expect(last?.type).toBe("paragraph");
  });

  it("always fits and never leaves a code block open", () => {
    const line = fc.constantFrom(
      "```",
      "````text",
      "`````",
      "<details>",
      "</details>",
      "text",
      "日本語",
      "x".repeat(90),
      "",
    );
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 200, size: "max" }),
        fc.integer({ min: 300, max: 3000 }),
        (lines, limit) => {
          const text = lines.join("\n");
          const cut = cutMarkdown(text, limit, "");
          expect(byteLength(cut)).toBeLessThanOrEqual(limit);
          if (cut === text) return;
          const last = marked
            .lexer(cut)
            .filter((token) => token.type !== "space")
            .at(-1);
          expect(last?.type === "code").toBe(false);
        },
      ),
      { numRuns: propertyRuns(5) },
    );
  });
});
