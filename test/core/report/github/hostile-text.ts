import fc from "fast-check";
import { marked } from "marked";
import { expect } from "vitest";
import { parseCommands } from "../../../../src/core/command/parse-commands.ts";

/** Pieces that do something on GitHub, and what stands between them. */
const piece = fc.oneof(
  fc.constantFrom(
    ..."@ # ` ``` ~~~ ``` | || \\ \\| < > & [ ] ( ) ! * _ - + = / : $ . , 1. 7) \n \r\n \u2028 \t \u0000 \u001b[31m \u001b]8;;x\u0007".split(
      " ",
    ),
    " ",
    "    ",
    "@team",
    "@org/team",
    "octo@example.com",
    "#12",
    "GH-7",
    "fixes #1",
    "Closes: octo/repo#2",
    "resolved https://github.com/octo/repo/issues/3",
    "fix\u200bes #\u200b4",
    "www.example.com",
    "https://example.com/?leak=1",
    "![x](https://example.com/x.png)",
    "[x]: https://example.com",
    "[x][y]",
    "<https://example.com>",
    "<img src=x>",
    "<!-- loom:panel my-run -->",
    "<!-- loom:stage my-run build -->",
    "<!--",
    "-->",
    "</details>",
    "<script>",
    "/loom run",
    "/LOOM\u00a0cancel",
    "\u202e",
    "\u200b",
    "\u{e0041}",
    "# Heading",
    "- item",
    "> quote",
    "---",
    "| a | b |\n|---|---|",
    "&#64;team",
    "$$x$$",
    "[^1]",
  ),
  fc.string({ maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 4 }),
);
export const hostile = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));

export const CLOSING =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)\b[\s:]*(?:[\w.-]+\/[\w.-]+)?(?:#\d|GH-\d|https?:\/\/\S+\/(?:issues|pull)\/\d)/i;
const MENTION = /(?:^|[^\w`])@[a-z\d]/i;
const INVISIBLE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** The text of what GitHub would show, where it looks for mentions and references, and the elements around it. */
export function render(markdown: string): { text: string; tags: string[] } {
  const html = marked.parse(markdown, { async: false, gfm: true, breaks: true });
  const tags = [...html.matchAll(/<\/?([a-z][a-z0-9]*)[^>]*>/gi)].map(([, name = ""]) => name);
  const text = html
    .replace(/<code[\s\S]*?<\/code>/g, "")
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#8203;", "\u200b")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&#36;", "$")
    .replaceAll("&amp;", "&");
  return { text, tags };
}

export function expectInert(markdown: string, allowed: readonly string[]): void {
  const { text, tags } = render(markdown);
  expect(tags.filter((tag) => !allowed.includes(tag))).toEqual([]);
  expect(text).not.toMatch(MENTION);
  expect(text).not.toMatch(/#\d/);
  expect(text).not.toMatch(/\bGH-\d/i);
  expect(text).not.toMatch(/https?:\/\/|www\./i);
  expect(text).not.toMatch(CLOSING);
  expect(markdown).not.toMatch(CLOSING);
  expect(markdown).not.toMatch(INVISIBLE);
  expect(markdown).not.toMatch(/<!--\s*loom/i);
  expect(parseCommands(markdown).items).toEqual([]);
}
