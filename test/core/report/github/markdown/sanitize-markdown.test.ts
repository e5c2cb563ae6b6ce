import fc from "fast-check";
import { marked } from "marked";
import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../../../src/core/command/parse-commands.ts";
import { sanitizeMarkdown } from "../../../../../src/core/report/github/markdown/sanitize-markdown.ts";
import { propertyRuns } from "../../../../support/property-runs.ts";
import { quickly } from "../../../../support/quickly.ts";
import { CLOSING, expectInert, hostile, render } from "../hostile-text.ts";

const ALLOWED = [
  ..."p br ul ol li h4 h5 h6 strong em pre code blockquote table thead tbody tr th td".split(" "),
];

function sanitize(text: string): string {
  const out = sanitizeMarkdown(text, 10_000);
  expectInert(out, ALLOWED);
  return out;
}

describe("an agent's answer on GitHub", () => {
  it("keeps its paragraphs, lists, code, bold words and tables", () => {
    const text = [
      "# Where prices are rounded",
      "",
      "In `cents` (src/price.ts:12), **only there**. It is called",
      "from two places:",
      "",
      "1. **`sum`** adds them up.",
      "   It never rounds.",
      "2. The invoice:",
      "   - for people",
      "   - for programs",
      "",
      "   Both use the same numbers.",
      "",
      "   ```ts",
      "   const net = cents(item);",
      "     // deeper",
      "   ```",
      "3. Nothing else.",
      "",
      "> As the thread said,",
      "> it was *meant* so.",
      "",
      "| file | line |",
      "|:---|---:|",
      "| `a|b` | 3 \\| 4 |",
      "| src/x_y.ts | **5** |",
      "",
      "---",
      "The end.",
    ].join("\n");
    expect(sanitize(text)).toMatchInlineSnapshot(`
      "#### Where prices are rounded

      In \`cents\` (src/price.ts:12), **only there**. It is called from two places:

      1. **\`sum\`** adds them up. It never rounds.
      2. The invoice:
         - for people
         - for programs

         Both use the same numbers.

      \`\`\`ts
      const net = cents(item);
        // deeper
      \`\`\`

      3. Nothing else.

      > As the thread said, it was \\*meant\\* so.

      | file | line |
      |---|---|
      | \\\`a | b\\\` |
      | src/x\\_y.ts | **5** |

      The end."
    `);
  });

  it("closes what is open and says how much is missing", () => {
    expect(sanitize("See:\n```js\nlet a = 1;\n~~~\nlet b = 2;")).toMatchInlineSnapshot(`
      "See:

      \`\`\`js
      let a = 1;
      ~~~
      let b = 2;
      \`\`\`"
    `);
    expect(sanitizeMarkdown(`Short.\n\n${"word ".repeat(100)}\n\nThe rest.`, 200)).toMatchInlineSnapshot(`
      "Short.

      word word word word word word word word word word word word word word word word word word word word word word word word word word wo

      … (376 more characters)"
    `);
    expect(
      sanitizeMarkdown(`\`\`\`sh\n${"echo 1\n".repeat(100)}\`\`\`\n\nafter`, 200),
    ).toMatchInlineSnapshot(`
      "\`\`\`sh
      echo 1
      echo 1
      echo 1
      echo 1
      echo 1
      echo 1
      echo 1
      echo 1
      echo 1
      echo 1
      \`\`\`

      … (634 more characters)"
    `);
  });

  it("shows where links lead and leads nowhere", () => {
    expect(
      sanitize(
        '[the docs](https://example.com/x?y=1 "t"), [src/a.ts](src/a.ts), <https://example.com>, www.example.com',
      ),
    ).toMatchInlineSnapshot(
      `"the docs (https:&#8203;//example.com/x?y=1), src/a.ts, https:&#8203;//example.com, www&#8203;.example.com"`,
    );
    expect(
      sanitize("![pixel](https://example.com/p.png) and [![b](https://e.com/b.svg)](https://e.com)"),
    ).toMatchInlineSnapshot(`"pixel and \\[b\\](https:&#8203;//e.com)"`);
    expect(
      sanitize("[a][b]\n\n[b]: https://example.com\n\nA note[^1].\n\n[^1]: https://example.com"),
    ).toMatchInlineSnapshot(`
      "\\[a\\]\\[b\\]

      \\[b\\]: https:&#8203;//example.com

      A note\\[^1\\].

      \\[^1\\]: https:&#8203;//example.com"
    `);
  });

  it("has no tags, comments and entities of the agent's", () => {
    expect(
      sanitize(
        "<details><summary>More</summary>\n\nHidden <b>bold</b><br>\n\n</details>\n\nA `Map<string>` is a Map<string>.",
      ),
    ).toMatchInlineSnapshot(`
      "More

      Hidden bold

      A \`Map<string>\` is a Map&lt;string&gt;."
    `);
    expect(
      sanitize("before <!-- hidden --> after\n\n<!--\n\nmore\n\n--> shown <!-- loom:reply/1 -->"),
    ).toMatchInlineSnapshot(`
      "before after

      shown"
    `);
    expect(sanitize("<!-- never closed\n\nstill shown &#64;team &lt;img&gt;")).toMatchInlineSnapshot(`
      "never closed

      still shown &amp;#&#8203;64;team &amp;lt;img&amp;gt;"
    `);
    expect(
      sanitize("<img src=x onerror=alert(1)><script>alert(2)</script><<b>img src=y>"),
    ).toMatchInlineSnapshot(`"alert(2) &lt; img src=y&gt;"`);
  });

  it("mentions, references, closes and commands nothing", () => {
    expect(
      sanitize(
        "@org/team: this fixes #12, closes GH-7 and octo/repo#3\n/loom run\n\n- /loom approve\n\n> /loom cancel",
      ),
    ).toMatchInlineSnapshot(`
      "@&#8203;org/team: this fixes #&#8203;12, closes GH-&#8203;7 and octo/repo#&#8203;3 /&#8203;loom run

      - \\/&#8203;loom approve

      > \\/&#8203;loom cancel"
    `);
    expect(sanitize("fix\u200bes #\u200b1 @\u200bteam \u202eabc /\u200bloom run")).toMatchInlineSnapshot(
      `"fixes #&#8203;1 @&#8203;team abc /&#8203;loom run"`,
    );
    expect(sanitize("`fixes #1` and\n\n```\nfixes #2\n/loom run\n```")).toMatchInlineSnapshot(`
      "\`fixes #​1\` and

      \`\`\`text
      fixes #​2
      /loom run
      \`\`\`"
    `);
    expect(
      sanitize(
        "$x^2$ and $`y`$ and $$z$$\n\n```math\nx\n```\n\n```mermaid\ngraph\n```\n\n```suggestion\nx\n```",
      ),
    ).toMatchInlineSnapshot(`
      "&#36;x^2&#36; and &#36;\`y\`&#36; and &#36;&#36;z&#36;&#36;

      \`\`\`text
      x
      \`\`\`

      \`\`\`text
      graph
      \`\`\`

      \`\`\`text
      x
      \`\`\`"
    `);
  });

  it("does not let pieces come together that were apart", () => {
    for (const text of [
      "https:<b>//example.com",
      "https:<!-- x -->//example.com",
      "ww<i>w.example.com",
      "https:**//example.com**",
      "G<b>H-12, #<b></b>12, @<b></b>team",
      "<!-<b>- loom:x -->",
      "[x](https:)//example.com",
      "![](a)[y](https://example.com/(x))",
      "\\[x\\](https://example.com)",
      "**[x](https://example.com)**",
      "`a``b` ``c`d`` ```",
      "****\n\n** **\n\n__a__b__",
    ]) {
      sanitize(text);
    }
  });

  it("survives fences in fences", () => {
    expect(sanitize("````md\n```js\nx\n```\n@team\n````\nafter @team")).toMatchInlineSnapshot(`
      "\`\`\`\`md
      \`\`\`js
      x
      \`\`\`
      @team
      \`\`\`\`

      after @&#8203;team"
    `);
    expect(sanitize("~~~\n```\n/loom run\n~~~\n```")).toMatchInlineSnapshot(`
      "\`\`\`\`text
      \`\`\`
      /loom run
      \`\`\`\`"
    `);
    expect(sanitize("- a\n  ```\n  /loom run\n\n@team\n- b")).toMatchInlineSnapshot(`
      "- a

      \`\`\`text
      /loom run

      @team
      - b
      \`\`\`"
    `);
    expect(sanitize("> ```\n> /loom run\n\n/loom run")).toMatchInlineSnapshot(`
      "> \\\`\\\`\\\` /&#8203;loom run

      \\/&#8203;loom run"
    `);
  });

  it("is inert whatever was written", () => {
    const mark = fc.constantFrom(
      "- ",
      "  - ",
      "    * ",
      "1. ",
      "10) ",
      "# ",
      "###### ",
      "> ",
      ">> ",
      "```\n",
      "````js\n",
      "~~~\n",
      "\n",
      "\n\n",
      "    ",
      "\t",
      "**",
      "__",
      "`",
      "``",
      "<b>",
      "</b>",
      "<br>",
      "<!--",
      "-->",
      "| a | b |\n|---|---|\n| ",
      " | ",
      "|\n",
      "[",
      "](",
      ")",
      "![",
      "\\",
      "---\n",
      "===\n",
    );
    const text = fc
      .array(fc.oneof(mark, hostile, fc.constant(" words ")), { maxLength: 30 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(text, fc.integer({ min: 80, max: 3_000 }), (raw, max) => {
        const out = sanitizeMarkdown(raw, max);
        expectInert(out, ALLOWED);
        expect(out.length).toBeLessThanOrEqual(max);
        const html = marked.parse(out, { async: false, gfm: true, breaks: true });
        expect(html).not.toMatch(/<(?:a|img|input|h[123]|hr|del|script)\b/);
        expect(html).not.toMatch(/language-(?:suggestion|mermaid|math)/);
        expect(parseCommands(`x\n\n${out}\n\ny`).items).toEqual([]);
      }),
      { numRuns: propertyRuns(15) },
    );
  });

  it("keeps code as it was", () => {
    const source = fc.array(
      fc.constantFrom("a", " ", "  b", "@x", "<T>", "&", "\n", "\n\n", "`", "#1", "*"),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(source, (parts) => {
        const body = `x${parts.join("")}`.replace(/\s+$/, "");
        const out = sanitizeMarkdown(`\`\`\`\`\`ts\n${body}\n\`\`\`\`\``, 5_000);
        expect(out).toContain(`ts\n${body}\n`);
        expect(out).not.toMatch(CLOSING);
        expect(render(`${out}\n\nend`).text.trim()).toBe("end");
      }),
    );
  });

  it.each([
    ["backticks", "`".repeat(200_000)],
    ["runs of backticks", Array.from({ length: 600 }, (_, n) => "`".repeat(n)).join("a")],
    ["brackets", "[".repeat(200_000)],
    ["links", "[a](".repeat(50_000)],
    ["images", "![a](b".repeat(40_000)],
    ["comments", "<!-- ".repeat(60_000)],
    ["comment lines", "<!--\n".repeat(60_000)],
    ["tags", "<b ".repeat(80_000)],
    ["stars", "**a".repeat(80_000)],
    ["fences", "```\n".repeat(60_000)],
    ["open fences", "~~~a\n```b\n".repeat(30_000)],
    ["lists", "  - a\n".repeat(40_000)],
    ["pipes", "|".repeat(200_000)],
    ["tables", "|a|b|\n|-|-|\n".repeat(20_000)],
    ["table heads", "|\n-    x\n".repeat(30_000)],
    ["spaces", `a${" ".repeat(200_000)}b`],
    ["hashes", "# # ".repeat(60_000)],
    ["quotes", ">".repeat(200_000)],
    ["backslashes", "\\".repeat(200_000)],
  ])("takes many %s in time", (_, text) => {
    quickly(1_500, () => sanitizeMarkdown(text, 60_000));
  });
});
