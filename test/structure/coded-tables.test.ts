import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");

const CODE = /\.(?:ts|mjs|js)$/;
const ANY = /./;
/** What else lies in a folder of sources or tests is data, which may say what it likes. */
const FOLDERS: readonly (readonly [folder: string, files: RegExp])[] = [
  ...["src", "workers", "playground", "demo", "bench", "test"].map((folder) => [folder, CODE] as const),
  ...[".ci", ".github", "build", "docs"].map((folder) => [folder, ANY] as const),
];
const PAGES = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"];

type Mention = { readonly file: string; readonly code: string };

/** What files name in brackets, such as (T14) or (F14, T21); a list may go on in the next line of a comment. */
function mentionsIn(file: string): Mention[] {
  const text = readFileSync(join(ROOT, file), "utf8").replace(/\n[ \t]*(?:\*(?!\/)|\/\/|#)?[ \t]*/g, " ");
  return Array.from(text.matchAll(/\(([A-Z]\d+(?:, ?[A-Z]\d+)*)\)/g)).flatMap(([, codes = ""]) =>
    codes.split(/, ?/).map((code) => ({ file, code })),
  );
}

const files = FOLDERS.flatMap(([folder, names]) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && names.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
);
const mentions = [...files, ...PAGES].flatMap(mentionsIn);

function numbered(letter: string, last: number): string[] {
  return Array.from({ length: last }, (_, index) => `${letter}${index + 1}`);
}

const TABLES = [
  { page: "docs/threat-model.md", letter: "T", codes: numbered("T", 46) },
  { page: "docs/reliability.md", letter: "F", codes: numbered("F", 31).filter((code) => code !== "F9") },
];

describe.each(TABLES)("$page", ({ page, letter, codes }) => {
  const row = new RegExp(`^\\| (${letter}\\d+) \\|(.*)\\|$`, "gm");
  const rows = Array.from(readFileSync(join(ROOT, page), "utf8").matchAll(row), ([, id = "", text = ""]) => {
    const cells = text.split("|").map((cell) => cell.trim());
    const [, does = "", heldBy = ""] = cells;
    const tests = Array.from(heldBy.matchAll(/`([^`]+)`/g), ([, path = ""]) => path);
    return { id, cells, tests, isOpen: does.startsWith("**open**") };
  });

  it("has a row for each code, in order", () => {
    expect(rows.map(({ id }) => id)).toEqual(codes);
    for (const { id, cells } of rows) expect([id, cells.length]).toEqual([id, 3]);
    for (const { id, cells, isOpen } of rows) expect([id, cells.indexOf("")]).toEqual([id, isOpen ? 2 : -1]);
  });

  it("names a test that is there for every row that is not said to be open", () => {
    for (const { id, tests, isOpen } of rows) expect([id, tests.length === 0]).toEqual([id, isOpen]);
    const named = rows.flatMap(({ id, tests }) => tests.map((path) => ({ id, path })));
    expect(named.filter(({ path }) => !/^test\/.+\.test\.ts$/.test(path))).toEqual([]);
    expect(named.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
    const twice = rows.filter(({ tests }) => new Set(tests).size < tests.length);
    expect(twice.map(({ id }) => id)).toEqual([]);
  });

  it("explains every code of its letter that sources and documents name", () => {
    const own = mentions.filter(({ code }) => code.startsWith(letter));
    expect(own.length).toBeGreaterThan(0);
    expect(own.filter(({ code }) => !codes.includes(code))).toEqual([]);
  });
});

it("no code stands anywhere that none of these tables explains", () => {
  const letters = TABLES.map(({ letter }) => letter);
  expect(mentions.filter(({ code }) => !letters.includes(code.charAt(0)))).toEqual([]);
});
