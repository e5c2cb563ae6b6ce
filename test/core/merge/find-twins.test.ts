import { describe, expect, it } from "vitest";
import { findTwins } from "../../../src/core/merge/find-twins.ts";

describe("findTwins", () => {
  it("finds a new file that differs from another in case or in how its letters are put together", () => {
    expect(findTwins(["readme.md"], ["readme.md", "Readme.md"])).toEqual([["Readme.md", "readme.md"]]);
    expect(findTwins(["\u00e9.md"], ["\u00e9.md", "e\u0301.md"])).toEqual([["e\u0301.md", "\u00e9.md"]]);
    expect(findTwins([], ["a.ts", "A.ts"])).toEqual([["A.ts", "a.ts"]]);
  });

  it("finds a link beside a folder through which a checkout would write", () => {
    expect(findTwins(["a/x"], ["a/x", "A"])).toEqual([["A", "a"]]);
    expect(findTwins(["A"], ["A", "a/hooks/post-checkout"])).toEqual([["a", "A"]]);
  });

  it("lets a file be renamed in case, and pairs of the base be", () => {
    expect(findTwins(["README.md"], ["readme.md"])).toEqual([]);
    expect(findTwins(["Docs/a", "docs/b"], ["Docs/a", "docs/b", "docs/c"])).toEqual([]);
  });
});
