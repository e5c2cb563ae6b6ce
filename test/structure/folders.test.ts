import { readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDERS = ["src", "workers", "playground", "demo", "bench"];

/** A project of its own that the demo works on, laid out as such projects are. */
const SAMPLE = "demo/sample";

/** A folder with more has two jobs, and is split by them. */
const MOST_FILES = 22;

type Folder = { readonly path: string; readonly files: number; readonly folders: number };

const folders: Folder[] = FOLDERS.flatMap(within).filter(({ path }) => !path.startsWith(`${SAMPLE}/`));

function within(path: string): Folder[] {
  const entries = readdirSync(join(ROOT, path), { withFileTypes: true });
  const below = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
  const files = entries.length - below.length;
  return [{ path: relative(ROOT, join(ROOT, path)), files, folders: below.length }, ...below.flatMap(within)];
}

describe("folders", () => {
  it("are found at all", () => {
    expect(folders.length).toBeGreaterThan(100);
  });

  it("have about twenty files at most", () => {
    const large = folders.filter(({ files }) => files > MOST_FILES);
    expect(large.map(({ path, files }) => `${path}: ${files} files`)).toEqual([]);
  });

  it("hold more than a single file", () => {
    const lonely = folders.filter(({ files, folders: below }) => files === 1 && below === 0);
    expect(lonely.map(({ path }) => path)).toEqual([]);
  });
});
