import { describe, expect, it } from "vitest";
import { embeddedRepositories, mayEmbedRepository } from "../../../src/core/merge/embedded-repositories.ts";

describe("embeddedRepositories", () => {
  it("finds folders that git would take for a repository", () => {
    expect(embeddedRepositories(["x/HEAD", "x/objects/a", "x/refs/heads/b", "y/HEAD", "z/refs/a"])).toEqual([
      "x",
    ]);
    expect(embeddedRepositories(["HEAD", "objects/a", "refs/b"])).toEqual([""]);
    expect(embeddedRepositories(["a/b/head", "a/b/Objects/x", "a/b/REFS/x"])).toEqual(["a/b"]);
    expect(embeddedRepositories(["w/HEAD", "w/commondir"])).toEqual(["w"]);
  });

  it("finds nothing in common folder names", () => {
    expect(embeddedRepositories(["src/objects/a.ts", "src/refs/b.ts", "HEAD/x", "src/head.ts"])).toEqual([]);
  });
});

describe("mayEmbedRepository", () => {
  it("is true for every path that can complete one", () => {
    for (const path of ["HEAD", "x/HEAD", "x/objects/a", "x/refs/a", "x/commondir", "objects/a"]) {
      expect(mayEmbedRepository(path)).toBe(true);
    }
    expect(mayEmbedRepository("src/header.ts")).toBe(false);
  });
});
