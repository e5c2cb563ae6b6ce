import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
/** To be imported by the program that is looked at, which writes down what it loads in the file LOADED_MODULES. */
export const MODULES_HOOK = pathToFileURL(resolve(import.meta.dirname, "fixtures/note-modules.mjs")).href;

export type Loaded = {
  /** Opened and compiled, one after the other. */
  readonly files: number;
  /** Of the sources and of packages, that are in those files. */
  readonly modules: number;
  readonly packages: readonly string[];
  readonly kilobytes: number;
};

/** What a program that has ended had loaded. */
export function readLoaded(list: string): Loaded {
  const urls = new Set(readFileSync(list, "utf8").split("\n"));
  const files = [...urls]
    .filter((url) => url.startsWith("file:") && url !== MODULES_HOOK)
    .map((url) => fileURLToPath(url));
  const modules = files.flatMap(modulesIn);
  const packages = modules.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return {
    files: files.length,
    modules: modules.length,
    packages: [...new Set(packages)].sort(),
    kilobytes: Math.round(files.reduce((sum, file) => sum + readFileSync(file).length, 0) / 1000),
  };
}

/** What the build put into a file stands in its source map; a file of a package is itself. */
function modulesIn(file: string): string[] {
  const map = `${file}.map`;
  if (!file.startsWith(join(ROOT, "dist/src/")) || !existsSync(map)) return [file];
  const { sources }: { sources: string[] } = JSON.parse(readFileSync(map, "utf8"));
  return sources.map((source) => resolve(file, "..", source));
}

export function assertBelow(loaded: Loaded, most: Omit<Loaded, "packages">): void {
  const { packages: _, ...counts } = loaded;
  const over = Object.entries(counts).filter(([name, count]) => count > most[name as keyof typeof most]);
  expect(over).toEqual([]);
}
