import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const FOLDERS = ["src", "workers", "playground", "demo", "bench"];

/** Who may import whom, besides itself. An adapter is a layer of its own: none may import another but `os`. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  ports: ["core"],
  engine: ["core", "ports"],
  adapters: ["core", "ports"],
  wiring: ["core", "ports", "engine", "adapters"],
  app: ["core", "engine", "ports", "wiring"],
  // The commands that start processes: a local run is a worker, `loom app` is the App.
  cli: ["core", "engine", "ports", "wiring", "workers", "app", "package.json"],
  workers: ["core", "engine", "ports", "wiring"],
  // A GitHub that knew Loom's mind would be no test of it.
  playground: [],
  demo: ["core", "engine", "ports", "wiring", "workers", "cli", "adapters", "app", "playground"],
  bench: ["core", "engine", "ports", "wiring", "workers", "cli", "adapters", "app", "playground", "demo"],
};

/** Packages and Node modules per layer; what is not listed may use what it needs. */
const MAY_USE: Record<string, RegExp> = {
  core: /^(zod|yaml)$/,
  ports: /^$/,
  engine: /^$/,
};

/**
 * The order of `core`: a folder imports those before it and itself, never one behind it. So whoever reads `plan` need not
 * know what a run is, and a decision can't depend on the words that a report has for it.
 */
const CORE_ORDER = [
  // What all of them use: ids, errors, tables; then texts, and what is found in them.
  ...["", "text", "secrets", "markdown", "paths", "network"],
  ...["graph", "plan", "roster", "command", "config"],
  ...["failure", "policy", "model-api", "sandbox", "codebase", "setup", "budget"],
  ...["session", "verify", "merge"],
  // Prompts tell an agent of its run, so they come behind it.
  ...["run", "drill", "prompt", "task", "planning", "findings"],
  "report",
];

/** Decisions that still carry the sentence that explains them. Each is to become a code that `report` turns into words. */
const SENTENCES_IN_DECISIONS = ["src/core/run/decide.ts → ../report/texts/failure-texts.ts"];

type Import = { file: string; target: string; path: string; from: string; to: string };

function layerOf(path: string): string {
  const parts = path.split("/");
  if (parts[0] !== "src") return parts[0] ?? "";
  return parts[1] === "adapters" ? `adapters/${parts[2]}` : (parts[1] ?? "");
}

/** Such as `plan` for `src/core/plan/rules/check-size.ts`; empty for the files that lie in `core` itself. */
function coreFolderOf(path: string): string {
  const [folder = "", ...rest] = path.split("/").slice(2);
  return rest.length === 0 ? "" : folder;
}

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
);

const specifiers = (file: string): string[] =>
  Array.from(
    readFileSync(join(ROOT, file), "utf8").matchAll(
      /^(?:import|export)\s*(?:[^"'`;=]*?\bfrom\s*)?["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']/gm,
    ),
    (match) => match[1] ?? match[2] ?? "",
  );

const imports: Import[] = files.flatMap((file) =>
  specifiers(file)
    .filter((target) => target.startsWith("."))
    .map((target) => {
      const to = relative(ROOT, resolve(ROOT, dirname(file), target));
      return { file, target, path: to, from: layerOf(file), to: layerOf(to) };
    }),
);

function isAllowed({ from, to }: Import): boolean {
  if (from === to || (from.startsWith("adapters/") && to === "adapters/os")) return true;
  const group = (layer: string): string => layer.split("/")[0] ?? layer;
  return (MAY_IMPORT[group(from)] ?? []).includes(group(to));
}

describe("imports", () => {
  it("are found at all", () => {
    expect(imports.length).toBeGreaterThan(100);
  });

  it("follow the directions of the architecture", () => {
    const wrong = imports.filter((one) => !isAllowed(one)).map((one) => `${one.file} → ${one.target}`);
    expect(wrong).toEqual([]);
  });

  it("follow the order of core", () => {
    const folders = new Set(files.filter((file) => layerOf(file) === "core").map(coreFolderOf));
    expect([...folders].sort()).toEqual([...CORE_ORDER].sort());
    const upwards = imports
      .filter(({ from, to }) => from === "core" && to === "core")
      .filter(
        ({ file, path }) => CORE_ORDER.indexOf(coreFolderOf(path)) > CORE_ORDER.indexOf(coreFolderOf(file)),
      )
      .map(({ file, target }) => `${file} → ${target}`);
    expect(upwards.sort()).toEqual(SENTENCES_IN_DECISIONS);
  });

  it("bring no package and no Node module into the pure layers", () => {
    const wrong = files.flatMap((file) =>
      specifiers(file)
        .filter((target) => !target.startsWith("."))
        .filter((target) => !(MAY_USE[layerOf(file)] ?? /./).test(target))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it("read no clock and no randomness in the core", () => {
    const wrong = files
      .filter((file) => layerOf(file) === "core")
      .filter((file) =>
        /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bprocess\.\w/.test(
          readFileSync(join(ROOT, file), "utf8"),
        ),
      );
    expect(wrong).toEqual([]);
  });

  it("form no cycle", () => {
    const next = new Map<string, string[]>();
    for (const { file, path } of imports) next.set(file, [...(next.get(file) ?? []), path]);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" → "));
      if (done.has(file) || path.includes(file)) return;
      for (const target of next.get(file) ?? []) visit(target, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });
});
