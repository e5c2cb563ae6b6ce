import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const FOLDERS = ["src", "workers", "playground", "demo"];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
);

const codeOf = (file: string): string => withoutComments(readFileSync(join(ROOT, file), "utf8"));

/** With the lines where they were. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, (comment) => comment.replace(/[^\n]/g, " "));
}

type Pattern = (code: string) => number[];

const offsets = (code: string, pattern: RegExp): number[] =>
  Array.from(code.matchAll(pattern), ({ index }) => index);

const KEYED_BY_TEXT = "(?:Readonly<|Partial<)*Record<string,";

/** `const WORDS: Record<string, string> = { … }`, which also has what every object has. */
const literalTables: Pattern = (code) =>
  offsets(code, new RegExp(String.raw`(?:const|let) \w+: ${KEYED_BY_TEXT}[^=;]*?(?:=>[^=;]*?)?= ?\{`, "g"));

/** `name in WORDS` as a condition; with a word in quotes on its left it is how unions are told apart. */
const variablesIn: Pattern = (code) =>
  offsets(
    code,
    /(?:[(!]|&& |\|\| |\? |= |=> |return )[\w.]+(?:\(\))? in [A-Za-z_][\w.]*(?=\)|;|,| && | \|\| | \? )/g,
  );

/** `values[name]`, where this file says that any text may be a key of `values` and `table` did not make it. */
const uncheckedLookups: Pattern = (code) => {
  const own = new Set(Array.from(code.matchAll(/const (\w+): [^\n]*?=\s*table\(/g), ([, name = ""]) => name));
  const named = Array.from(
    code.matchAll(new RegExp(String.raw`\b(\w+)\??: ${KEYED_BY_TEXT}`, "g")),
    ([, name = ""]) => name,
  ).filter((name) => !own.has(name) && !ENVIRONMENTS.has(name));
  return named.flatMap((name) =>
    offsets(code, new RegExp(String.raw`\b${name}(?:\?\.)?\[[^\]"'\d][^\]]*\]`, "g")).filter(
      (at) => !lineAt(code, at).includes("Object.hasOwn("),
    ),
  );
};

/** Read by names that Loom knows, all of them in capitals; what a person names is read with `ownValue`. */
const ENVIRONMENTS = new Set(["env", "exported"]);

function lineAt(code: string, at: number): string {
  const end = code.indexOf("\n", at);
  return code.slice(code.lastIndexOf("\n", at - 1) + 1, end === -1 ? code.length : end);
}

const PATTERNS: readonly (readonly [string, Pattern])[] = [
  ["are no literals that answer to `constructor`: `table({ … })` is", literalTables],
  ["are not asked with `in`, which finds what is inherited: `Object.hasOwn` does not", variablesIn],
  ["are read with `ownValue` where they were made elsewhere", uncheckedLookups],
];

describe("tables with text for keys", () => {
  it.each(PATTERNS)("%s", (_, pattern) => {
    const wrong = files.flatMap((file) => {
      const code = codeOf(file);
      return pattern(code).map(
        (at) => `${file}:${code.slice(0, at).split("\n").length} ${lineAt(code, at).trim()}`,
      );
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    [literalTables, "const WORDS: Readonly<Record<string, string>> = {\n  a: b,\n};"],
    [literalTables, "const made: Record<string, (a: A) => B> = {};"],
    [variablesIn, "if (event in BUILDERS) go();"],
    [variablesIn, "return name.id in options.words;"],
    [
      uncheckedLookups,
      "function f(values: Readonly<Record<string, string>>, k: string) { return values[k]; }",
    ],
    [uncheckedLookups, "const found: Record<string, unknown> = JSON.parse(text);\nfound[key] = 1;"],
  ])("is found by the pattern (%#)", (pattern, code) => {
    expect(pattern(code)).toHaveLength(1);
  });

  it.each([
    [literalTables, "const WORDS: Readonly<Record<string, string>> = table({\n  a: b,\n});"],
    [literalTables, "const WORDS: Readonly<Record<Kind, string>> = { a: b };"],
    [variablesIn, 'if ("attempt" in event) go();'],
    [variablesIn, "for (const name in names) go();"],
    [variablesIn, 'say("the stage in plan, or not");'],
    [uncheckedLookups, "const WORDS: Record<string, string> = table({ a });\nreturn WORDS[word];"],
    [uncheckedLookups, "function f(values: Record<string, string>) { return values[0] + values.name; }"],
  ])("is not found in what is right (%#)", (pattern, code) => {
    expect(pattern(code)).toEqual([]);
  });
});
