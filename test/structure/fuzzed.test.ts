import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

/** What reads words of others is called like this, in the pure part of Loom. */
const READER = /^(?:read|parse|find|scan|split|judge|examine|decode)-.*\.ts$/;

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");

/** No target of test/fuzz comes to them, and why none has to. */
const SPARED: Readonly<Record<string, string>> = {
  "src/core/codebase/find-concerns.ts": "compares names of files, and counts their letters",
  "src/core/drill/judge-settings.ts": "the operator's own settings",
  "src/core/merge/find-twins.ts": "compares names, which test/core holds to many of them",
  "src/core/policy/judge-command.ts": "reads with split-shell, which is fuzzed, and compares words",
  "src/core/verify/judge-command.ts": "compares codes and texts that it was given",
  "src/core/verify/judge-strictly.ts": "turns outcomes of a verdict",
};

/** All that a module needs at run time, in the order in which it is found. */
function reachedFrom(file: string, reached: Set<string>): void {
  if (reached.has(file) || !existsSync(file)) return;
  reached.add(file);
  const code = readFileSync(file, "utf8");
  const imports = code.matchAll(/^(?:import|export)\s+(?!type\b)(?:[^"';]*?\bfrom\s*)?"(\.[^"]+)"/gm);
  for (const [, target = ""] of imports) reachedFrom(resolve(dirname(file), target), reached);
}

it("every reader of words of others is fuzzed, or it is said why not", () => {
  const reached = new Set<string>();
  const fuzz = join(ROOT, "test/fuzz");
  for (const name of readdirSync(fuzz)) if (name.endsWith(".ts")) reachedFrom(join(fuzz, name), reached);
  const readers = readdirSync(join(ROOT, "src/core"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && READER.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  expect(readers.length).toBeGreaterThan(40);
  const missed = readers.filter((file) => !reached.has(file)).map((file) => relative(ROOT, file));
  expect(missed.sort()).toEqual(Object.keys(SPARED).sort());
});
