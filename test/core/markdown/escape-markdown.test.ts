import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../src/core/command/parse-commands.ts";
import {
  code,
  escapeForCommit,
  escapeMarkdown,
  escapeSentence,
  escapeTitle,
  fenced,
  quoted,
} from "../../../src/core/markdown/escape-markdown.ts";
import { markdownTable } from "../../../src/core/markdown/markdown-table.ts";
import { commitMessage } from "../../../src/core/merge/trailers.ts";
import { cleanSubject } from "../../../src/core/session/short-answers.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { quickly } from "../../support/quickly.ts";
import { CLOSING, expectInert, hostile, render } from "../report/github/hostile-text.ts";

describe("escapeMarkdown", () => {
  it("leaves nothing active of whatever text, alone and at the start of a line", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const line = escapeMarkdown(text);
        expect(line).not.toContain("\n");
        expect(line).not.toMatch(/[<>]/);
        expectInert(line, ["p"]);
      }),
      { numRuns: propertyRuns(20) },
    );
  });

  it("stays in its cell", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const { tags } = render(markdownTable(["A", "B"], [[escapeMarkdown(a), code(b)]]));
        expect(tags.filter((tag) => tag === "td")).toHaveLength(4);
        expect(tags.filter((tag) => tag === "tr")).toHaveLength(4);
        const allowed = ["table", "thead", "tbody", "tr", "th", "td", "code"];
        expect(tags.filter((tag) => !allowed.includes(tag))).toEqual([]);
      }),
      { numRuns: propertyRuns(10) },
    );
  });

  it("shows the letters that were there", () => {
    expect(render(escapeMarkdown("Add `a_b` to *c* [d] <e> & f|g \\ h $5 ~i~")).text.trim()).toBe(
      "Add `a_b` to *c* [d] <e> & f|g \\ h $5 ~i~",
    );
  });

  it("breaks what GitHub would act on", () => {
    expect(escapeMarkdown("@org/team fixes #12, GH-7 and octo/repo#3")).toMatchInlineSnapshot(
      `"@&#8203;org/team fixes #&#8203;12, GH-&#8203;7 and octo/repo#&#8203;3"`,
    );
    expect(escapeMarkdown("![x](https://example.com/x.png) www.example.com <img>")).toMatchInlineSnapshot(
      `"!\\[x\\](https:&#8203;//example.com/x.png) www&#8203;.example.com &lt;img&gt;"`,
    );
    expect(escapeMarkdown("/loom run")).toMatchInlineSnapshot(`"\\/loom run"`);
    expect(escapeMarkdown("# Title")).toMatchInlineSnapshot(`"#&#8203; Title"`);
    expect(escapeMarkdown("1. one")).toMatchInlineSnapshot(`"1\\. one"`);
    expect(escapeMarkdown("- one\n- two")).toMatchInlineSnapshot(`"\\- one - two"`);
    expect(escapeMarkdown("\u001b[31mred\u202e \u200bx")).toMatchInlineSnapshot(`"red x"`);
    expect(escapeMarkdown("word ".repeat(100), 20)).toMatchInlineSnapshot(`"word word word word…"`);
  });
});

describe("escapeSentence", () => {
  it("keeps names between backticks as code, and escapes the rest", () => {
    expect(escapeSentence("The path `a|b` of @me fixes #1; see `x`.")).toMatchInlineSnapshot(
      `"The path \`a|b\` of @&#8203;me fixes #&#8203;1; see \`x\`."`,
    );
    fc.assert(
      fc.property(hostile, (text) => expectInert(escapeSentence(text), ["p", "code"])),
      { numRuns: propertyRuns(15) },
    );
  });
});

describe("quoted", () => {
  it("escapes each line", () => {
    expect(quoted("Please @team\n\n/loom run\n<!-- x -->\n```\ncode")).toMatchInlineSnapshot(`
      "> Please @&#8203;team
      >
      > \\/loom run
      > &lt;!-- x --&gt;
      > \\\`\\\`\\\`
      > code"
    `);
    expect(quoted("abc ".repeat(10), 12)).toMatchInlineSnapshot(`
      "> abc abc abc
      >
      > … (27 more characters)"
    `);
    fc.assert(
      fc.property(hostile, (text) => expectInert(quoted(text), ["p", "blockquote", "br"])),
      { numRuns: propertyRuns(10) },
    );
  });
});

describe("code", () => {
  it("can't be left, and closes nothing from a commit message", () => {
    expect(code("echo `id` | grep fixes #12")).toMatchInlineSnapshot(`"\`echo 'id' | grep fixes #​12\`"`);
    expect(code("npm i @scope/pkg")).toBe("`npm i @scope/pkg`");
    expect(code(" \u200b")).toBe("(empty)");
    fc.assert(
      fc.property(hostile, (text) => {
        const { text: outside, tags } = render(`x ${code(text)} y`);
        expect(tags.filter((tag) => tag !== "code" && tag !== "p")).toEqual([]);
        if (tags.includes("code")) expect(outside.trim()).toBe("x  y");
        expect(code(text)).not.toMatch(CLOSING);
        expect(code(text)).not.toMatch(/<!--\s*loom/i);
        expect(parseCommands(code(text)).items).toEqual([]);
      }),
      { numRuns: propertyRuns(10) },
    );
  });
});

describe("fenced", () => {
  it("counts what is cut and outgrows the fences inside", () => {
    expect(fenced("one\n````\n/loom run\n```\nfixes #1")).toMatchInlineSnapshot(`
      "\`\`\`\`\`text
      one
      \`\`\`\`
      /loom run
      \`\`\`
      fixes #​1
      \`\`\`\`\`"
    `);
    expect(fenced("0123456789", { maxChars: 4, cutBefore: 100 })).toMatchInlineSnapshot(`
      "(106 bytes before this left out)

      \`\`\`text
      6789
      \`\`\`"
    `);
  });

  it("can't be left by any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const block = fenced(text);
        const { text: outside, tags } = render(`${block}\n\nend`);
        expect(tags.filter((tag) => !["pre", "code", "p"].includes(tag))).toEqual([]);
        expect(outside.trim()).toBe("end");
        expect(block).not.toMatch(CLOSING);
        expect(block).not.toMatch(/<!--\s*loom/i);
        expect(parseCommands(block).items).toEqual([]);
      }),
      { numRuns: propertyRuns(10) },
    );
  });
});

describe("titles and bodies that may become a commit message", () => {
  it("mention nobody and close nothing, code or not", () => {
    expect(escapeTitle("/loom run `x` <b> @team fixes #1")).toMatchInlineSnapshot(
      `"loom run 'x' ‹b› @​team fixes #​1"`,
    );
    expect(escapeForCommit("See `@org/team`. Fixes: #12. For #12.")).toMatchInlineSnapshot(
      `"See \`@​org/team\`. Fixes: #​12. For #12."`,
    );
    fc.assert(
      fc.property(hostile, (text) => {
        const title = escapeTitle(text);
        expect(title).not.toMatch(/@[a-z\d]/i);
        expect(title).not.toMatch(CLOSING);
        expect(title).not.toMatch(/[\n<>`]/);
        expect(parseCommands(title).items).toEqual([]);
        const body = escapeForCommit(fenced(text));
        expect(body).not.toMatch(/@[a-z\d]/i);
        expect(body).not.toMatch(CLOSING);
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});

describe("hostile lengths", () => {
  it.each([
    ["mentions", "@a".repeat(200_000)],
    ["backticks", "`".repeat(200_000)],
    ["closing words", "fixes ".repeat(60_000)],
    ["slashes", "fixes a/".repeat(50_000)],
    ["comments", "<!-- ".repeat(60_000)],
    ["spaces", " ".repeat(200_000)],
    ["escapes", "\u001b]".repeat(100_000)],
  ])("of %s are taken in time", (_, text) => {
    quickly(1_500, () => {
      for (const pass of [escapeMarkdown, escapeSentence, escapeTitle, quoted, code, escapeForCommit])
        pass(text);
      fenced(text);
    });
  });
});

describe("words that keep checks from running", () => {
  const WORDS = [
    ...["[skip ci]", "[ci skip]", "[no ci]", "[skip actions]", "[actions skip]", "[Skip CI]", "[ci-skip]"],
    ...["[skip-ci]", "[skip circleci]", "[azurepipelines skip]", "***NO_CI***", "***no_ci***"],
    ...["skip-checks: true", "skip-checks:true", "Request-Checks: true"],
  ];

  it.each(WORDS)("are broken in titles, subjects and bodies: %s", (word) => {
    const seen = (text: string): string => text.replaceAll("\u200b", "");
    const title = escapeTitle(`Count words ${word}`);
    expect(title).not.toContain(word);
    expect(seen(title)).toBe(`Count words ${word}`);
    const body = escapeForCommit(`Words.\n\n\n${word}`);
    expect(body).not.toContain(word);
    expect(seen(body)).toBe(`Words.\n\n\n${word}`);
    const message = commitMessage({ subject: word, body: word, run: "a-1", stage: "one", attempt: 1 });
    expect(message).not.toContain(word);
    expect(cleanSubject(`Count words ${word}`)).toBeNull();
  });

  it("are told from others in brackets", () => {
    const text = "Read [the docs](ci) of a[0], [skipper] and the ci; skip [no cinema], 3***4, checks: true";
    expect(escapeForCommit(text)).toBe(text);
  });
});
