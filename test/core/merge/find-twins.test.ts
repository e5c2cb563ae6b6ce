import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findTwins } from "../../../src/core/merge/find-twins.ts";
import { foldPath } from "../../../src/core/paths/fold-path.ts";

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

  it("finds one deep below folders that are twins in the base already", () => {
    expect(findTwins(["A/x/y", "a/X/z"], ["A/x/y", "a/X/z", "A/X/y"])).toEqual([
      ["A/X", "a/X"],
      ["A/X/y", "A/x/y"],
    ]);
  });

  it("says of any change what comparing all paths with each other says", () => {
    const name = fc.constantFrom("a", "A", "b", "B.", "b", "\u00e9", "e\u0301");
    const paths = fc.uniqueArray(
      fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/")),
    );
    fc.assert(
      fc.property(paths, paths, (base, after) => {
        expect(findTwins(base, after).map(([path]) => path)).toEqual(
          freshOnes(base, after).filter(hasTwin(base, after)),
        );
      }),
    );
  });
});

const prefixes = (paths: readonly string[]): string[] => [
  ...new Set(paths.flatMap((path) => path.split("/").map((_, at, all) => all.slice(0, at + 1).join("/")))),
];

const freshOnes = (base: readonly string[], after: readonly string[]): string[] => {
  const before = new Set(prefixes(base));
  return prefixes(after).filter((path) => !before.has(path));
};

/** Of two new ones, the later is the twin of the earlier. */
const hasTwin =
  (base: readonly string[], after: readonly string[]) =>
  (path: string): boolean => {
    const fresh = freshOnes(base, after);
    const others = prefixes(after).filter(
      (one) => !fresh.includes(one) || fresh.indexOf(one) < fresh.indexOf(path),
    );
    return others.some((one) => one !== path && foldPath(one) === foldPath(path));
  };
