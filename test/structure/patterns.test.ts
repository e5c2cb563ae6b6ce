import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { quickly } from "../support/quickly.ts";

/**
 * A pattern such as `/\s+$/` tries every start of a run, and walks to the end of the run from each: 60,000 blanks in the
 * middle of a text stop a process for many seconds (T25). `trimEnd()` does not, nor does `/(?<!\s)\s+$/`, which begins at
 * the start of a run only. Which patterns do is seen by running them, since `/,\s*$/` is fine and `/\)[^=]*$/` is not, and
 * neither are `/^\s*class/m` and `/\[[^\]]*\]/`, which look for no end at all.
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

/** Of each kind that patterns tell apart; those that a pattern names are tried besides. */
const KINDS = ["\n", "\r", "\t", " ", "0", "5", "a", "m", "z", "A", "M", "Z", "_", "-", ".", "!", "~", "é"];
const PRINTABLE = ["\n", "\r", "\t", ...Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))];
// Some letter of it ends every run, whichever letters a pattern takes.
const TAIL = PRINTABLE.toReversed().join("");
const texts = new Map<string, readonly string[]>();

/** Once with what ends the run, and once without what a bracket is closed with. */
function textsOf(letter: string): readonly string[] {
  const run = `x\n${letter.repeat(12_000)}`;
  const made = texts.get(letter) ?? [`${run}${TAIL}${TAIL}`, `${run}\u0001`];
  texts.set(letter, made);
  return made;
}

/** A linear pattern needs some hundredths of it, a quadratic one several times as much. */
const LIMIT_MS = 8;

function isSlow(pattern: RegExp): boolean {
  return [...lettersFor(pattern.source)].flatMap(textsOf).some((text) => {
    // One that is held to a place looks from there alone.
    const shown = pattern.sticky ? text.slice(2) : text;
    try {
      quickly(LIMIT_MS, () => shown.replace(pattern, ""));
      return false;
    } catch {
      return true;
    }
  });
}

function lettersFor(source: string): Set<string> {
  const written = source.replace(/\\u\{?([0-9a-f]{4,5})\}?|\\x([0-9a-f]{2})/gi, (_, long, short) =>
    String.fromCodePoint(Number.parseInt(long ?? short, 16)),
  );
  return new Set([...KINDS, ...written]);
}

/** Slow on long texts, and shown short ones alone: `cap` is the line of code that sees to it. */
const BOUNDED: Readonly<
  Record<string, { readonly why: string; readonly file?: string; readonly cap: string }>
> = {
  "src/core/command/split-words.ts": {
    why: "words of more than a name's length are not looked at",
    cap: "if (word.length > MAX_CHARS) return word;",
  },
  "src/core/plan/globs-overlap.ts": {
    why: "a path of a plan has at most 1,000 letters",
    file: "src/core/paths/tree-path.ts",
    cap: "const MAX_LENGTH = 1000;",
  },
  "src/core/report/terminal/cost-line.ts": {
    why: "the digits of a number",
    cap: "String(Math.round(n)).replace(",
  },
  "src/core/setup/plain-requirements.ts": {
    why: "lines of more than 500 letters are not looked at",
    cap: 'if (text.length > LONGEST) return "";',
  },
  "playground/pages/markdown/render-markdown.ts": {
    why: "the playground's GitHub, on loopback; what people say there has an end",
    file: "playground/model/checks/check-body.ts",
    cap: "const LONGEST = 65_536;",
  },
};

/** Put together when they are used, of Loom's own words, or for paths of the playground's GitHub. */
const MADE_LATER = [
  "playground/faults.ts",
  "playground/model/reviews/code-owners.ts",
  "playground/rest/match-route.ts",
  "playground/rest/validate/create-open-api-validator.ts",
  "src/adapters/local/run-files.ts",
  "src/adapters/sandbox/processes/ps-reader.ts",
  "src/adapters/sandbox/provider/limits/group-memory.ts",
  "src/adapters/sandbox/provider/limits/watch-limits.ts",
  "src/core/paths/protected-paths.ts",
  "src/core/model-api/model-api.ts",
  "src/core/verify/synthesize-gate.ts",
];

const isBounded = ({ at }: Found): boolean => Object.keys(BOUNDED).some((file) => at.startsWith(`${file}:`));

const codeOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

const MAKES = "new RegExp(";

/** Those that modules make with `new RegExp` while they are loaded. */
async function patternsMadeIn(modules: readonly string[]): Promise<Found[]> {
  const made: Found[] = [];
  const { RegExp: original } = globalThis;
  globalThis.RegExp = new Proxy(original, {
    construct(target, [source, flags]) {
      const pattern = new target(source, flags);
      const frames = new Error().stack?.split("\n").slice(1) ?? [];
      const [, file, line] = frames.map((frame) => FRAME.exec(frame)).find((found) => found !== null) ?? [];
      if (file !== undefined) made.push({ at: `${file}:${line} ${pattern}`, pattern });
      return pattern;
    },
  });
  try {
    for (const file of modules) await import(join(ROOT, file));
  } finally {
    globalThis.RegExp = original;
  }
  return made;
}

const FRAME = /\/((?:src|workers|playground)\/[^:?]+\.ts):(\d+):\d+\)?$/;

describe("a pattern", () => {
  it("takes linear time, whatever run of letters it is shown", () => {
    const found = files.flatMap((file) => patternsIn(file, codeOf(file)));
    expect(found.length).toBeGreaterThan(1_000);
    const judged = new Map<string, boolean>();
    const slow = found.filter(({ pattern }) => {
      const known = judged.get(String(pattern)) ?? isSlow(pattern);
      judged.set(String(pattern), known);
      return known;
    });
    expect(slow.filter((one) => !isBounded(one)).map(({ at }) => at)).toEqual([]);
    expect(slow.filter(isBounded)).toHaveLength(Object.keys(BOUNDED).length);
  });

  it("that is slow is kept from long texts by a line that is still there", () => {
    for (const [name, { file = name, cap }] of Object.entries(BOUNDED))
      expect(codeOf(file), name).toContain(cap);
  });

  it("takes linear time as well when it is put together from parts", async () => {
    const makers = files.filter((file) => codeOf(file).includes(MAKES));
    const made = await patternsMadeIn(makers);
    expect(made.length).toBeGreaterThan(20);
    expect(made.filter(({ pattern }) => isSlow(pattern)).map(({ at }) => at)).toEqual([]);
    const seen = new Set(made.map(({ at }) => at.slice(0, at.indexOf(":"))));
    expect(makers.filter((file) => !seen.has(file) && !MADE_LATER.includes(file))).toEqual([]);
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
    ["/^\\s*class/m", true],
    ["/^[^\\S\\r\\n]*class/m", false],
    ["/<([^>]+)>/", true],
    ["/<([^<>]+)>/", false],
    ["/[\\d.]+ ?ms/", true],
    ["/(?<![\\d.])[\\d.]+ ?ms/", false],
    ["/q*w/", true],
  ])("that is slow is known: %s", (written, slow) => {
    const [found] = patternsIn("x.ts", `text.replace(${written}, "")`);
    expect(found && isSlow(found.pattern)).toBe(slow);
  });
});
