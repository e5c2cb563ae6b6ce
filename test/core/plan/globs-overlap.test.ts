import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { eachCandidatePair, globsOverlap } from "../../../src/core/plan/globs-overlap.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { quickly } from "../../support/quickly.ts";

describe("globsOverlap", () => {
  it.each([
    ["src/a.ts", "src/a.ts", true],
    ["src/a.ts", "src/b.ts", false],
    ["src/*.ts", "src/a.ts", true],
    ["src/*.ts", "src/a.js", false],
    ["src/*.ts", "src/sub/a.ts", false],
    ["src/**", "src/sub/a.ts", true],
    ["src/**/*.ts", "src/a.ts", true],
    ["**/*.ts", "docs/**", true],
    ["**/*.ts", "**/*.js", false],
    ["a*c", "ab?", true],
    ["a*b", "a*c", false],
    ["*a*b*c*", "*c*b*a*", true],
    ["src/{a,b}.ts", "src/b.ts", true],
    ["src/{a,b}.ts", "src/c.ts", false],
    ["{src,lib}/{a,b}/*", "lib/b/x", true],
    ["src/[ab].ts", "src/a.ts", true],
    ["src", "src/a.ts", true],
    ["src/", "src/deep/a.ts", true],
    ["src/aa", "src/a", false],
    ["Makefile", "**/*.ts", false],
    ["a\\*b", "a*b", true],
    ["a\\*b", "axb", false],
    ["", "anything/at/all", true],
  ])("%j and %j: %j", (a, b, expected) => {
    expect(globsOverlap(a, b)).toBe(expected);
    expect(globsOverlap(b, a)).toBe(expected);
  });

  it("takes no long time for patterns full of stars and braces", () => {
    const stars = `${"*a".repeat(400)}b`;
    const braces = "{a,b}".repeat(150);
    expect(quickly(1_000, () => globsOverlap(stars, `${"*a".repeat(400)}c`))).toBe(false);
    expect(quickly(1_000, () => globsOverlap(braces, stars))).toBe(true);
  });

  const segment = fc.constantFrom("a", "b", "ab", "*", "a*", "*b", "?", "{a,b}", "**", "[ab]");
  const glob = fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/"));
  const path = fc
    .array(fc.constantFrom("a", "b", "ab", "aab"), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join("/"));

  it("never misses a path that both match", () => {
    fc.assert(
      fc.property(glob, glob, path, (a, b, common) => {
        if (picomatch.isMatch(common, a) && picomatch.isMatch(common, b))
          expect(globsOverlap(a, b)).toBe(true);
      }),
      { numRuns: propertyRuns(10) },
    );
  });

  it("compares every two globs that can overlap", () => {
    fc.assert(
      fc.property(fc.uniqueArray(glob, { maxLength: 6 }), (globs) => {
        const pairs = new Set<string>();
        eachCandidatePair(globs, (a, b) => {
          pairs.add([a, b].sort().join(" "));
          return true;
        });
        for (const a of globs) {
          for (const b of globs) {
            if (a !== b && globsOverlap(a, b)) expect(pairs).toContain([a, b].sort().join(" "));
          }
        }
      }),
    );
  });
});
