import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { keepLiterals } from "../support/keep-literals.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** Where people and agents read Loom's sentences: a file, or a folder with the names of its files that count. */
const TEXTS: readonly (readonly [path: string, files: RegExp])[] = [
  ["README.md", /$/],
  ["CONTRIBUTING.md", /$/],
  ["docs", /\.md$/],
  ["src", /\.ts$/],
  ["workers", /\.ts$/],
  ["prompts", /\.md$/],
  ["demo", /\.(?:md|yaml|ts)$/],
  ["playground/pages", /\.(?:ts|js)$/],
  [".github/ISSUE_TEMPLATE", /\.yml$/],
  [".github/pull_request_template.md", /$/],
];

/** Each with its plain word. Only what has no ordinary use here: a word that is often right does not belong in the list. */
const WORDS: readonly (readonly [word: string, plain: string])[] = [
  ["anew", "again"],
  ["once more", "again"],
  ["besides", "also, or: in addition"],
  ["errands?", "task"],
  ["heed(?:s|ed|ing)?", "obey, respect"],
  ["mend(?:s|ed|ing)?", "fix"],
  ["in vain", "without success"],
  ["begun", "started"],
  ["put(?:s|ting)? (?:\\w+ )?away", "archive, clean up"],
  ["lays out", "show, restore"],
  ["whoever", "the person who"],
  ["and the like|or the like", "and similar"],
  ["wish(?:es|ed)?", "request"],
  ["shall", "will, should"],
  ["grave(?:st|r|ly)?", "severe, the worst"],
  ["dear(?:er|est)?", "expensive"],
  ["foretold", "predicted"],
  ["for ever", "forever"],
  ["amiss", "wrong"],
  ["(?:there|where|here)(?:of|by|in|upon|with)", "name the thing"],
  ["nothing of it", "none of it"],
  ["(?:nothing|anything) behind it", "nothing after it"],
  ["is that of|are those of", "turn the sentence round"],
  ["it rests", "say what happens, or: it is based"],
  ["(?:come|comes|came) to no end", "did not finish"],
  ["(?:is|are|was) owed", "is required"],
  ["(?:its|their|that|those) very", "exactly"],
  ["belongs? into", "belongs in"],
  ["be of use|is of use", "be useful"],
];

/** Exact lines, without the space around them, that may use such a word: a quotation, say. */
const ALLOWED: ReadonlySet<string> = new Set<string>([]);

const PATTERNS = WORDS.map(([word, plain]) => ({
  pattern: new RegExp(String.raw`(?<![\w-])(?:${word.replaceAll(" ", String.raw`\s+`)})(?![\w-])`, "gi"),
  plain,
}));

function filesOf([path, names]: (typeof TEXTS)[number]): string[] {
  if (!statSync(join(ROOT, path)).isDirectory()) return [path];
  return readdirSync(join(ROOT, path), { recursive: true })
    .map((name) => join(path, String(name)))
    .filter((name) => names.test(name) && statSync(join(ROOT, name)).isFile());
}

/** Of code only what stands in quotes: names and comments are for those who change it. */
function readText(file: string): string {
  const text = readFileSync(join(ROOT, file), "utf8");
  return /\.(?:ts|js)$/.test(file) ? keepLiterals(text) : text;
}

/** Each with its place and the plain word; a phrase may go on in the next line. */
function findWords(file: string, text: string): string[] {
  const lines = text.split("\n");
  return PATTERNS.flatMap(({ pattern, plain }) =>
    [...text.matchAll(pattern)].flatMap(({ index, 0: found }) => {
      const line = text.slice(0, index).split("\n").length;
      if (ALLOWED.has((lines[line - 1] ?? "").trim())) return [];
      return [`${file}:${line}: "${found.replace(/\s+/g, " ")}" → ${plain}`];
    }),
  );
}

describe("the sentences that people and agents read", () => {
  it.each(TEXTS)("in %s use plain words", (...place) => {
    const files = filesOf(place);
    expect(files).not.toEqual([]);
    expect(files.flatMap((file) => findWords(file, readText(file)))).toEqual([]);
  });

  it("use a word of the list only on lines that are still there", () => {
    const lines = new Set(
      TEXTS.flatMap(filesOf).flatMap((file) =>
        readText(file)
          .split("\n")
          .map((line) => line.trim()),
      ),
    );
    expect([...ALLOWED].filter((line) => !lines.has(line))).toEqual([]);
    expect(TEXTS.filter(([path]) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});

describe("the search for private words", () => {
  it("finds whole words and phrases, in any case and over the end of a line", () => {
    expect(findWords("a.md", "Amend it.\nMend it, in\n  vain. Recommended.\nStart Anew")).toEqual([
      'a.md:4: "Anew" → again',
      'a.md:2: "Mend" → fix',
      'a.md:2: "in vain" → without success',
    ]);
  });

  it("reads the quoted parts of code, not names, comments or patterns", () => {
    const code = [
      "const wish = /mend'\"`/g; // anew",
      `/* besides */ say(\`one \${wish("in vain", { begun: 1 })} heed\`, 'it\\'s anew');`,
      'const half = all / 2; say("a // shall \\" grave");',
    ].join("\n");
    expect(findWords("a.ts", keepLiterals(code)).sort()).toEqual([
      'a.ts:2: "anew" → again',
      'a.ts:2: "heed" → obey, respect',
      'a.ts:2: "in vain" → without success',
      'a.ts:3: "grave" → severe, the worst',
      'a.ts:3: "shall" → will, should',
    ]);
  });
});
