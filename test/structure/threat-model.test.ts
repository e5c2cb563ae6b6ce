import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const text = readFileSync(join(ROOT, "docs/threat-model.md"), "utf8");
const rows = Array.from(text.matchAll(/^\| (T\d+) \|(.*)\|$/gm), ([, id = "", cells = ""]) => {
  const [, defence = "", heldBy = ""] = cells.split("|");
  return { id, defence, tests: Array.from(heldBy.matchAll(/`([^`]+)`/g), ([, path = ""]) => path) };
});

describe("docs/threat-model.md", () => {
  it("has a row for each attack, in order", () => {
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 46 }, (_, index) => `T${index + 1}`));
  });

  it("names a test that is there for every row that is not said to be open", () => {
    const open = rows.filter(({ defence }) => defence.trim().startsWith("**open**"));
    for (const { id, tests } of rows.filter((row) => !open.includes(row)))
      expect([id, tests.length > 0]).toEqual([id, true]);
    expect(rows.flatMap(({ tests }) => tests).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    expect(open.every(({ tests }) => tests.length === 0)).toBe(true);
  });

  it("explains every code that the sources name", () => {
    const known = new Set(rows.map(({ id }) => id));
    const unknown = ["src", "workers", "playground", "test"].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".ts"))
        .flatMap((file) => {
          const named = readFileSync(join(ROOT, folder, file), "utf8").matchAll(/\((T\d+(?:, T\d+)*)\)/g);
          return Array.from(named).flatMap(([, codes = ""]) => codes.split(", "));
        })
        .filter((code) => !known.has(code)),
    );
    expect(unknown).toEqual([]);
  });
});
