import { describe, expect, it } from "vitest";
import {
  code,
  escapeForCommit,
  escapeMarkdown,
  escapeSentence,
  escapeTitle,
  fenced,
  quoted,
} from "../../../../src/core/markdown/escape-markdown.ts";
import { commitMessage, recordMessage } from "../../../../src/core/merge/trailers.ts";
import { sanitizeMarkdown } from "../../../../src/core/report/github/markdown/sanitize-markdown.ts";

const KEYWORDS = [
  "close",
  "closes",
  "closed",
  "fix",
  "fixes",
  "fixed",
  "resolve",
  "resolves",
  "resolved",
].flatMap((word) => [word, word.toUpperCase(), word.charAt(0).toUpperCase() + word.slice(1)]);
const BETWEEN = [
  " ",
  ": ",
  " : ",
  ":",
  "  ",
  "\t",
  " `",
  " <",
  " (",
  " **",
  "              ",
  " [",
  " [it](",
];
const REFERENCES = [
  "#1",
  "GH-1",
  "gh-1",
  "octo/repo#1",
  "octo-org/my.repo#12",
  "octo#1",
  "https://github.com/octo/repo/issues/1",
  "http://github.com/octo/repo/issues/1",
  "HTTPS://GITHUB.COM/octo/repo/issues/1",
  "https://www.github.com/octo/repo/issues/1",
  "https://github.com/octo/repo/pull/1",
  "https://ghe.example.com:8443/octo/repo/issues/1#issuecomment-5",
];

/** As GitHub reads: a keyword, a sign or spaces, and right behind it what it refers to. */
const CLOSES =
  /(?<![A-Za-z0-9])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[^\p{L}\p{N}#]{0,200}(?:it\]\()?(?:(?:[\w.-]+(?:\/[\w.-]+)?)?(?:#|GH-)\d|https?:\/\/[\w.:-]+\/[\w.-]+\/[\w.-]+\/(?:issues|pull)\/\d)/iu;

const texts = KEYWORDS.flatMap((word) =>
  BETWEEN.flatMap((between) => REFERENCES.map((reference) => `${word}${between}${reference}`)),
);

/** What a reader sees of it, with the spaces of no width that are written as entities. */
const rendered = (markdown: string): string =>
  markdown
    .replaceAll("&#8203;", "\u200b")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replace(/\\(?=[!-/:-@[-`{-~])/g, "");

describe("what closes an issue on GitHub", () => {
  it("is recognised by this test at all", () => {
    expect(texts.filter((text) => !CLOSES.test(text))).toEqual([]);
    expect(CLOSES.test("prefixes #1, and a fix for it")).toBe(false);
  });

  it.each([
    [
      "a commit's subject",
      (text: string) => commitMessage({ subject: text, body: "", run: "r", stage: "s", attempt: 1 }),
    ],
    [
      "a commit's body",
      (text: string) =>
        commitMessage({ subject: "x", body: `Done.\n\n${text}\n`, run: "r", stage: "s", attempt: 1 }),
    ],
    [
      "the message of a record",
      (text: string) => recordMessage({ text: `x\n\n${text}`, run: "r", status: "done" }),
    ],
    ["a pull request's title", escapeTitle],
    ["the body of a pull request", escapeForCommit],
    ["a line", (text: string) => escapeMarkdown(text)],
    ["code", (text: string) => escapeForCommit(code(text))],
    ["a code block", (text: string) => escapeForCommit(fenced(text))],
    ["a quote", (text: string) => escapeForCommit(quoted(text))],
    ["a sentence", (text: string) => escapeForCommit(escapeSentence(text))],
    ["an agent's answer", (text: string) => escapeForCommit(sanitizeMarkdown(text, 4_000))],
    [
      "an answer with code",
      (text: string) => escapeForCommit(sanitizeMarkdown(text.replace(/\S+$/, "`$&`"), 4_000)),
    ],
  ])("closes none from %s", (_, write) => {
    expect(texts.filter((text) => CLOSES.test(write(text)) || CLOSES.test(rendered(write(text))))).toEqual(
      [],
    );
  });

  it("is left alone where nothing closes", () => {
    for (const text of [
      "Part of #12.",
      "See https://github.com/o/r/issues/1",
      "prefixes #1",
      "It is fixed now.",
    ])
      expect(escapeForCommit(text)).toBe(text);
  });
});
