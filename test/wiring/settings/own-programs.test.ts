import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../../src/wiring/folders/package-root.ts";
import { ownPrograms } from "../../../src/wiring/settings/own-programs.ts";
import { tempFolder } from "../../support/git-repo.ts";

describe("what Loom runs from", () => {
  it("is protected where it lies in the repository", () => {
    expect(ownPrograms(packageRoot(), "/usr/bin/node")).toEqual(["dist", "node_modules"]);
    const inside = ownPrograms(dirname(packageRoot()), "/usr/bin/node");
    expect(inside).toHaveLength(2);
    expect(inside[0]).toMatch(/^[^/]+\/dist$/);
  });

  it("is protected as a node that came with the project, also behind a link", () => {
    const root = tempFolder();
    mkdirSync(join(root, "tools"));
    writeFileSync(join(root, "tools/node"), "");
    const link = join(tempFolder(), "node");
    symlinkSync(join(root, "tools/node"), link);
    expect(ownPrograms(root, link)).toEqual(["tools/node"]);
  });

  it("is nothing of a repository elsewhere, nor where there is none", () => {
    expect(ownPrograms(tempFolder())).toEqual([]);
    expect(ownPrograms(null)).toEqual([]);
  });
});
