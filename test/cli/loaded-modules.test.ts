import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { makeProject, type Project } from "../scenario/project.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const HOOK = pathToFileURL(resolve(import.meta.dirname, "../support/fixtures/note-modules.mjs")).href;

type Loaded = {
  /** Opened and compiled, one after the other. */
  readonly files: number;
  /** Of the sources and of packages, that are in those files. */
  readonly modules: number;
  readonly packages: readonly string[];
  readonly kilobytes: number;
};

/** What one command of the build has loaded by the time it ends. */
async function loadedBy(project: Project, ...args: string[]): Promise<Loaded> {
  const list = join(project.notes, "modules");
  rmSync(list, { force: true });
  const { code, stderr } = await project
    .with({ env: { NODE_OPTIONS: `--import=${HOOK}`, LOADED_MODULES: list } })
    .loom(...args);
  expect([code, stderr]).toEqual([0, ""]);
  const urls = new Set(readFileSync(list, "utf8").split("\n"));
  const files = [...urls]
    .filter((url) => url.startsWith("file:") && url !== HOOK)
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

/**
 * Start-up costs what is opened and compiled. These are ceilings without a clock: whoever meets one has made a command load what it
 * does not need, or raises it and says why. Probot, BullMQ, ioredis and Octokit are the App's alone.
 */
describe("what a command loads", () => {
  const project = (): Project => makeProject({ stages: [{ id: "one", acceptance: ["test -f one.txt"] }] });

  it("is next to nothing for the version", async () => {
    const loaded = await loadedBy(project(), "--version");
    expect(loaded.packages).toEqual([]);
    assertBelow(loaded, { files: 8, modules: 20, kilobytes: 25 });
  });

  it("is what reading takes, to check a plan", async () => {
    const loaded = await loadedBy(project(), "plan", "check", "PLAN.md");
    expect(loaded.packages).toEqual([...GIT, ...READING].sort());
    assertBelow(loaded, { files: 24, modules: 420, kilobytes: 1350 });
  });

  it("is nothing of the App, to run a plan and to look at it", async () => {
    const here = project();
    for (const args of [["run", "PLAN.md"], ["status"]]) {
      const loaded = await loadedBy(here, ...args);
      expect(loaded.packages).toEqual([...GIT, ...READING, ...WIDTH].sort());
      assertBelow(loaded, { files: 25, modules: 1040, kilobytes: 2800 });
    }
  });
});

const GIT = [
  ...["simple-git", "@simple-git/args-pathspec", "@simple-git/argv-parser", "debug", "ms"],
  ...["@kwsites/file-exists", "@kwsites/promise-deferred"],
];
const READING = ["commander", "re2js", "yaml", "zod"];
const WIDTH = ["ansi-regex", "get-east-asian-width", "string-width", "strip-ansi"];

function assertBelow(loaded: Loaded, most: Omit<Loaded, "packages">): void {
  const { packages: _, ...counts } = loaded;
  const over = Object.entries(counts).filter(([name, count]) => count > most[name as keyof typeof most]);
  expect(over).toEqual([]);
}
