import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { quickly } from "../support/quickly.ts";

/**
 * A pattern such as `/\s+$/` tries every start of a run, and walks to the end of the run from each: 60,000 blanks in the
 * middle of a text stop a process for many seconds (T25). `trimEnd()` does not, nor does `/(?<!\s)\s+$/`, which begins at
 * the start of a run only. Which patterns do is seen by running them, since `/,\s*$/` is fine and `/\)[^=]*$/` is not.
 */
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const FOLDERS = ["src", "workers", "playground"];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
);

type Found = { readonly at: string; readonly pattern: RegExp };

/** Comments are passed over; a pattern stands where a value can, and ends at a slash outside of brackets. */
const TOKEN =
  /\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/[^\n]*|(?<=(?:[(,=:[!&|?{;]|=>|return)\s*)\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])*)\/([dgimsuvy]*)(?!\w)/g;

function patternsIn(name: string, code: string): Found[] {
  return Array.from(code.matchAll(TOKEN)).flatMap(({ 0: written, 1: source, 2: flags = "", index }) => {
    const pattern = source === undefined ? null : compiled(source, flags);
    if (pattern === null) return [];
    return [{ at: `${name}:${code.slice(0, index).split("\n").length} ${written}`, pattern }];
  });
}

/** null for other text between two slashes. */
function compiled(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

/** Whether it looks for the end of a text or a line; all others are not judged here. */
const hasEnd = ({ pattern }: Found): boolean => /(?<!\\)(?:\\\\)*\$/.test(pattern.source);

const LETTERS = [
  "\n",
  "\r",
  "\t",
  ...Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)),
];
// Some letter of it ends every run, whichever letters a pattern takes.
const TAIL = LETTERS.toReversed().join("");
const TEXTS = LETTERS.map((letter) => `x\n${letter.repeat(8_000)}${TAIL}${TAIL}`);
/** A linear pattern needs some hundredths of it, a quadratic one several times as much. */
const LIMIT_MS = 15;

function isSlow(pattern: RegExp): boolean {
  return TEXTS.some((text) => {
    try {
      quickly(LIMIT_MS, () => text.replace(pattern, ""));
      return false;
    } catch {
      return true;
    }
  });
}

/** Slow on long texts, and shown short ones alone. */
const BOUNDED: Readonly<Record<string, string>> = {
  "src/core/command/split-words.ts": "words of more than a name's length are not looked at",
  "src/core/report/cost-line.ts": "the digits of a number",
  "src/core/setup/plain-requirements.ts": "lines of more than 500 letters are not looked at",
};
const isBounded = ({ at }: Found): boolean => Object.keys(BOUNDED).some((file) => at.startsWith(`${file}:`));

describe("a pattern that looks for an end", () => {
  it("takes linear time, whatever run of letters it is shown", () => {
    const found = files.flatMap((file) => patternsIn(file, readFileSync(join(ROOT, file), "utf8")));
    expect(found.length).toBeGreaterThan(500);
    const slow = found.filter(hasEnd).filter(({ pattern }) => isSlow(pattern));
    expect(slow.filter((one) => !isBounded(one)).map(({ at }) => at)).toEqual([]);
    expect(slow.filter(isBounded)).toHaveLength(Object.keys(BOUNDED).length);
  });

  it("is found wherever it stands", () => {
    const code = [
      "// not /a$/ and not (/b$/)",
      "/* nor (/c$/) */ const D = /d[/]$/gi;",
      'const url = `<a href="$${site.replace(/\\/+$/, "")}">`; // e',
      "return /f$/.test(text) || (a / b) / c;",
      "const SLOW =\n  /g$/;",
    ].join("\n");
    expect(patternsIn("x.ts", code).map(({ at }) => at)).toEqual([
      "x.ts:2 /d[/]$/gi",
      "x.ts:3 /\\/+$/",
      "x.ts:4 /f$/",
      "x.ts:6 /g$/",
    ]);
  });

  it.each([
    ["/\\s+$/", true],
    ["/[. ]+$/", true],
    ["/\\n*<!-- x -->\\s*$/", true],
    ["/\\)[^=]*$|=>$/", true],
    ["/[ \\t]+#+[ \\t]*$/", true],
    ["/\\s+$/gm", true],
    ["/^\\s+$/", false],
    ["/(?<!\\s)\\s+$/", false],
    ["/(?<!\\s)\\s+#+\\s*$/", false],
    ["/,[ \\t]*$/", false],
    ["/\\.[^./]*$/", false],
    ["/:.*$/s", false],
    ["/\\s$/", false],
  ])("is judged rightly: %s", (written, slow) => {
    const [found] = patternsIn("x.ts", `text.replace(${written}, "")`).filter(hasEnd);
    expect(found && isSlow(found.pattern)).toBe(slow);
  });
});
