import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../src/core/command/parse-commands.ts";
import { quickly } from "../../support/quickly.ts";

const verbsIn = (body: string): string[] => parseCommands(body).commands.map(({ verb }) => verb);

const UNSEEN: readonly (readonly [string, string])[] = [
  ["a processing instruction", "<?\n/loom approve\n?>"],
  ["a processing instruction with empty lines", "<?php\n\n/loom approve\n\n?>"],
  ["a processing instruction inside of a sentence", "Fine <?x\n/loom approve\n?> by me"],
  ["a processing instruction that is never closed", "<?x\n\n/loom approve"],
  ["character data", "<![CDATA[\n/loom approve\n]]>"],
  ["character data with empty lines", "<![CDATA[\n\n/loom approve\n\n]]>"],
  ["character data inside of a sentence", "Fine <![CDATA[\n/loom approve\n]]> by me"],
  ["a declaration", "<!DOCTYPE html\n/loom approve\n>"],
  ["a declaration inside of a sentence", "Fine <!ELEMENT a\n/loom approve\n> by me"],
  ["a comment", "<!--\n/loom approve\n-->"],
  ["a comment that begins like an empty one", "<!-->\n/loom approve\n-->"],
  ["a comment with dashes", "<!----\n/loom approve\n---->"],
  ["a comment behind a tag", "<div><!--\n\n/loom approve\n\n--></div>"],
  ["a comment inside of a sentence", "Fine <!-- x\n/loom approve\n--> by me"],
  ["a comment in a list", "- item\n  <!--\n  /loom approve\n  -->"],
  ["the title of a link", '[x](https://example.com "\n/loom approve\n")'],
  ["the title of a link, in single quotes", "[x](https://example.com '\n/loom approve\n')"],
  ["the title of a link, in parentheses", "[x](https://example.com (\n/loom approve\n))"],
  ["the address of a link", '[x](\n/loom "approve"\n)'],
  ["the label of a link", "[x][\n/loom approve\n]\n\n[ /loom approve ]: https://example.com"],
  ["the definition of a link", '[x]: https://example.com "\n/loom approve\n"'],
  ["the address in a definition", '[x]:\n/loom "approve"'],
  ["a definition below another", '[x]: https://example.com\n[y]:\n/loom "approve"'],
  ["a definition whose name has two lines", '[x\ny]:\n/loom "approve"'],
  ["a definition in a list", '- [x]:\n/loom "approve"'],
  ["a definition with an address in brackets", "[x]: <https://example.com>\n'\n/loom approve\n'"],
  ["a footnote that nothing refers to", "[^1]: words\n/loom approve"],
  ["a footnote with only a command", "[^note]:\n/loom approve"],
  ["the words in place of a picture", "![\n/loom approve\n](https://example.com/x.png)"],
  ["the title of a picture", '![x](https://example.com/x.png "\n/loom approve\n")'],
  ["an attribute", '<a title="\n/loom approve\n">x</a>'],
  ["an attribute in single quotes", "<a title='\n/loom approve\n'>x</a>"],
  ["an attribute with a bracket in it", '<a title=">\n/loom approve\n">x</a>'],
  ["an attribute with spaces around its sign", '<a title = "\n/loom approve\n">x</a>'],
  ["a tag without quotes", "<a x=1\n/loom approve\n>x</a>"],
  ["an attribute inside of a sentence", 'Fine <span title="\n/loom approve\n">by</span> me'],
  ["an attribute of a block", '<div title="\n/loom approve\n">x</div>'],
  ["an attribute of a block that is never closed", '<div title="\n\n/loom approve\n\n">x</div>'],
  ["an attribute of a picture", '<img alt="\n/loom approve\n" src="x">'],
  ["a folded part", "<details>\n<summary>Log</summary>\n\n/loom approve\n\n</details>"],
  ["a folded part inside of another", "<details>\n<details>\n</details>\n\n/loom approve\n</details>"],
  ["a folded part behind a tag", "<div><details>\n\n/loom approve\n\n</details></div>"],
  ["what is struck out", "<del>\n\n/loom approve\n\n</del>"],
  ["a formula", "$$\n/loom approve\n$$"],
  ["a code span", "`\n/loom approve\n`"],
  ["a fence", "~~~\n/loom approve\n~~~"],
  ["code in HTML", "<pre>\n\n/loom approve\n\n</pre>"],
  ["code in HTML behind a tag", "<div><pre>\n\n/loom approve\n\n</pre></div>"],
  ["a quote", "> /loom approve"],
  ["a quote in HTML", "<blockquote>\n\n/loom approve\n\n</blockquote>"],
  ["the title of a link, below a no-break space", '[docs](https://example.com "\n\u00a0\n/loom approve\n")'],
  ["an attribute, below a no-break space", 'Fine <a title="\n\u00a0\n/loom approve\n">x</a>'],
  ["an attribute, below a form feed", 'Fine <a title="\n\f\n/loom approve\n">x</a>'],
  ["an attribute, below a byte order mark", 'Fine <a title="\n\ufeff\n/loom approve\n">x</a>'],
  ["a comment, below a no-break space", "Fine <!--\n\u00a0\n/loom approve\n-->"],
  ["a code span, below a no-break space", "Fine `\n\u00a0\n/loom approve\n`"],
  ["a quote, below a no-break space", "> quote\n\u00a0\n/loom approve"],
  ["a fence that a no-break space keeps open", "```\nx\n```\u00a0\n/loom approve\n```"],
  ["a footnote below a sentence", "Looks good.\n[^1]: note\n/loom approve"],
  ["a second comment that stays open", "<!-- a --> <!--\n\n/loom approve"],
  ["a comment behind code", "<pre>x</pre> <!--\n\n/loom approve"],
  ["a comment behind the end of another", "<!--\nx\n--> <!--\n\n/loom approve"],
  ["a comment that only Markdown takes for closed", "<div><!--\n\n-->\n\n/loom approve"],
  ["an attribute behind a comment", '<!-- a --> <a title="\n\n/loom approve'],
  ["a folded part inside of a sentence", "Words <details>\n\n/loom approve\n\n</details>"],
  ["a folded part in its paragraph", "Words <details>\n/loom approve\n</details>"],
  ["a folded part closed in a comment", "<details>\n<!-- </details> -->\n\n/loom approve\n\n</details>"],
  ["a folded part closed in code", "<details>\n\n`</details>`\n\n/loom approve\n\n</details>"],
  ["a folded part closed by another name", "<details>\n</detailsx>\n\n/loom approve\n\n</details>"],
  ["a folded part behind words", "<div>log <details>\nx\n\n/loom approve\n\n</details></div>"],
  ["a folded part behind a comment", "<!-- x --><details>\n\n/loom approve\n\n</details>"],
  ["an attribute in an address", 'x](<a title=")\n/loom approve\n">y</a>'],
  ["an attribute in the words for a picture", '![<a title="]\n/loom approve\n">y</a>'],
  ["an attribute in a formula", '$$ <a title="$$\n/loom approve\n">x</a>'],
  ["an attribute in a declaration", 'a <!a<b title=">\n/loom approve\n">x</b>'],
  ["an attribute in what is no tag", "a <a ' = \"<b title='\">\n/loom approve\n'>x</b>"],
  ["an attribute behind a backslash in HTML", '<div>\\<a title="\n/loom approve\n">x</a></div>'],
  ["an attribute behind a backtick in HTML", '<div>`<a title="`\n/loom approve\n">x</a></div>'],
  ["a definition with an escaped bracket", "[x]: <a\\>b>\n'\n/loom approve\n'"],
  ["a definition with a no-break space", "[x]: a\u00a0b\n'\n/loom approve\n'"],
  ["what only old browsers show", "Fine <ruby>ok<rp>\n/loom approve\n</rp></ruby>"],
  ["a template", "Words <template>\n/loom approve\n</template>"],
  ["text that runs backwards", "<bdo dir=rtl>\n/loom approve\n</bdo>"],
  ["what tildes strike out", "~~a\n/loom approve\nb~~"],
  ["what a tag strikes out", "Fine <del>\n/loom approve\n</del>"],
  ["what a tag shows as code", "Fine <code>\n/loom approve\n</code>"],
  ["what single tildes strike out", "~a\n/loom approve\nb~"],
  ["a formula between single signs", "$a\n/loom approve\nb$"],
  ["a fence that one of a list seems to be", "-    ```\n  ```\n/loom approve\n```"],
  ["a fence below a number that begins no list", "text\n2. a\n   ```\n/loom approve\n   ```"],
  ["a quote in a list", "- > quote\n  /loom approve"],
  ["a comment that ends with its list", "- a\n  <!--\n-->\n\n/loom approve"],
  ["letters too small to read", `${"<sub>".repeat(60)}\n\n/loom approve`],
  ["a folded part that a table keeps open", "<details>\n<table><tr><td>\n\n</details>\n\n/loom approve"],
  ["what a block keeps struck out", "<del><p>x</del>\n\n/loom approve"],
  ["a column that a table does not have", "| a |\n|---|\n/loom revise | drop all tests"],
  ["a formula with an empty line", "$$\n\n/loom approve\n\n$$"],
  ["words that turn the reading direction", "\u202eFine.\n/loom approve"],
  ["a comment with two dashes and a folded part", "a <!-- -- <details> -->\n\n/loom approve"],
  ["the words for a picture in the title of no link", 'x](u "![")\n/loom approve\n](y)'],
  ["code that begins before an indented fence", "text `\n     ```\n     a\n     ```\n/loom approve\n`"],
  ["what is struck out in the address of no link", "a ](<del>)\n/loom approve"],
  [
    "letters that are not these",
    "\u{e002f}\u{e006c}\u{e006f}\u{e006f}\u{e006d} approve\n⁄loom approve\n∕loom approve",
  ],
];

const SEEN: readonly (readonly [string, string])[] = [
  ["behind a link", "See [x](https://example.com 'title').\n/loom approve"],
  ["behind a link to itself", "See [the log][log] and <https://example.com>\n/loom approve"],
  ["behind a picture", "![x](https://example.com/x.png)\n/loom approve"],
  ["behind a comment", "<!-- template -->\n/loom approve"],
  ["behind tags", '<b title="x">Fine</b> by <a href="y">me</a>\n/loom approve'],
  ["behind an address of mail", "Ask <me@example.com>\n/loom approve"],
  ["behind a tag that is named", "The `<details>` stay open\n/loom approve"],
  ["below a folded part", "<details>\nlog\n</details>\n\n/loom approve"],
  ["below a folded part in one line", "<details><summary>x</summary>y</details>\n\n/loom approve"],
  ["below an instruction", "<?x?>\n\n/loom approve"],
  ["below character data", "<![CDATA[x]]>\n\n/loom approve"],
  ["below a definition", "[x]: https://example.com\n\n/loom approve"],
  ["below words in brackets", "[Bug]: it does not start\n/loom approve"],
  ["below boxes", "- [x] done\n- [ ] not\n\n/loom approve"],
  ["in a part that shows", "<div align=center>\n\n/loom approve\n\n</div>"],
  ["below less and more", "a < b and c > d, 5 <6\n/loom approve"],
  ["below a plan in a fence", "# Plan\n\n```yaml\nsteps: [<a title='\n<!--\n```\n\n/loom approve"],
  ["below a fence in a list", "1. Run\n   ```html\n   <details>\n   ```\n2. Look\n\n/loom approve"],
  ["below a folded log", "<details>\n<summary>Log</summary>\n\n```\n<x\n```\n\n</details>\n\n/loom approve"],
  ["below a quote", "> [x\n> ~~a `b\n\n/loom approve"],
  ["below a comment of several lines", "<!--\nThank you!\n\n- one\n-->\n\n/loom approve"],
  ["below a table", "| a | b |\n|---|---|\n| 1 | `<x` |\n\n/loom approve"],
  ["below a pasted picture", '<img width="9" alt="Image" src="https://example.com/x" />\n\n/loom approve'],
  ["below keys", "Press <kbd>Ctrl</kbd> and H<sub>2</sub>O, ~5 times, for $5 (see #7) @ada\n/loom approve"],
  ["below nested links", "[![build](https://e.com/a.svg)](https://e.com/b_(c)) is green\n/loom approve"],
  ["above anything", "/loom approve\n\n<details>\n<!-- [x]: ``` ~~"],
  ["below prices", "It costs $5 or $$10.\n\n/loom approve"],
];

describe("a command", () => {
  it.each(UNSEEN)("in %s does nothing", (_, body) => {
    expect(verbsIn(body)).toEqual([]);
    expect(verbsIn(`Words.\n\n${body}\n`)).toEqual([]);
    expect(verbsIn(body.replaceAll("\n", "\r\n"))).toEqual([]);
  });

  it.each(SEEN)("%s is done", (_, body) => {
    expect(verbsIn(body)).toEqual(["approve"]);
  });

  it("is answered where something above it could hide it", () => {
    const { items } = parseCommands("Looks good.\n[^1]: note\n/loom approve");
    expect(items).toMatchInlineSnapshot(`
      [
        {
          "kind": "mistake",
          "line": 3,
          "message": "Something above the command could hide it from readers, so it does not count. Give the command in a comment of its own.",
          "suggestion": "/loom approve [sha]",
        },
      ]
    `);
  });

  it.each([
    "<a b='",
    "<a b=' b='",
    "](",
    "![",
    "][",
    "<?",
    "<![CDATA[",
    "<!x ",
    "$$ ",
    "<a ",
    '](x "',
    "<details>",
    "[x]: y\n",
  ])("is looked for in linear time below many of %j", (mark) => {
    quickly(500, () => parseCommands(`${mark.repeat(60_000 / mark.length)}\n/loom approve`));
    quickly(500, () => parseCommands(`${`${mark}\n`.repeat(60_000 / mark.length)}\n/loom approve`));
  });
});
