import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "../../../../src/adapters/git/trees/make-folder.ts";
import { tempFolder } from "../../../support/git-repo.ts";

it("makes what is missing, for its owner alone, and leaves what is there", () => {
  const folder = tempFolder();
  const path = join(folder, "a", "b", "c");
  makeFolder(path);
  makeFolder(path);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

it("ends where no folder can be made", () => {
  const file = join(tempFolder(), "file");
  writeFileSync(file, "");
  expect(() => makeFolder(join(file, "a", "b"))).toThrow("ENOTDIR");
  expect(() => makeFolder("/proc/loom/a/b")).toThrow("/proc/loom'");
});
