import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/**
 * `parse` and `parseDocument` of the package `yaml` take any depth, which can end the whole process where the stack is
 * nearly full, and minutes for 200 KB of quotes. What others wrote is read by `compose-yaml.ts` alone, which stops early.
 */
const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const FOLDERS = ["src", "workers", "playground", "demo", "bench"];

/** They write, build or look at what was read. */
const HARMLESS = new Set([
  ...["stringify", "isAlias", "isMap", "isNode", "isScalar", "isSeq", "LineCounter"],
  ...["Pair", "Scalar", "YAMLMap", "YAMLSeq"],
]);

/** Who reads, what with, and why that is safe. */
const READERS: Readonly<Record<string, { readonly names: readonly string[]; readonly why: string }>> = {
  "src/core/plan/compose-yaml.ts": {
    names: ["Composer", "Lexer", "Parser"],
    why: "the bounded reader: it counts tokens, depth and mistakes while it reads",
  },
  "src/app/setup/set-up-app.ts": { names: ["parse"], why: "app.yml of Loom's own package" },
  "src/adapters/harness/script.ts": {
    names: ["parseDocument"],
    why: "at most 1 MB, and only once the bounded reader found nothing wrong with it",
  },
  "demo/task-script.ts": { names: ["parse"], why: "a plan that comes with the demo" },
  "demo/open-demo-world.ts": { names: ["parse"], why: "app.yml of Loom's own package" },
  "bench/support/loom-world.ts": { names: ["parse"], why: "files of the bench" },
};

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
);

const IMPORT = /\b(?:import|export)\s+([^;"']*?)\s*from\s*["']yaml["']|(?:import|require)\(\s*["']yaml["']/g;

/** The names that it takes from the package, `*` for all of them; types read nothing. */
function takenIn(code: string): string[] {
  return Array.from(code.matchAll(IMPORT)).flatMap(([, clause = "*"]) => {
    if (clause.startsWith("type ")) return [];
    const inside = /^\{([^}]*)\}$/.exec(clause)?.[1];
    if (inside === undefined) return ["*"];
    return inside
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => name.split(/\s+as\s+/, 1)[0] ?? "");
  });
}

describe("YAML that others wrote", () => {
  it("is read by one module, which stops early", () => {
    const found = files
      .map((file) => {
        const names = takenIn(readFileSync(join(ROOT, file), "utf8")).filter((name) => !HARMLESS.has(name));
        return [file, names.sort()] as const;
      })
      .filter(([, names]) => names.length > 0);
    expect(Object.fromEntries(found)).toEqual(
      Object.fromEntries(Object.entries(READERS).map(([file, { names }]) => [file, [...names]])),
    );
  });

  it("is found to be read however the package is imported", () => {
    const code = [
      'import { isSeq, type Node, parse } from "yaml";',
      'import {\n  parseDocument as read,\n} from "yaml";',
      'import * as yaml from "yaml";',
      "import YAML from 'yaml';",
      'import type { Document } from "yaml";',
      'export { parseAllDocuments } from "yaml";',
      'const { parse } = await import("yaml");',
    ].join("\n");
    expect(takenIn(code)).toEqual(["isSeq", "parse", "parseDocument", "*", "*", "parseAllDocuments", "*"]);
  });
});
