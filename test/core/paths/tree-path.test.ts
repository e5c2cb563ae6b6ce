import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveInTree } from "../../../src/core/paths/tree-path.ts";

function resolve(folder: string, path: string): string {
  const resolved = resolveInTree(folder, path);
  return resolved.kind === "inside" ? `${resolved.path} = ${resolved.fromRoot}` : resolved.reason;
}

describe("resolveInTree", () => {
  it.each([
    [".", "src/a.ts", "src/a.ts = src/a.ts"],
    [".", "./src//a.ts", "src/a.ts = src/a.ts"],
    ["api", "src/a.ts", "src/a.ts = api/src/a.ts"],
    ["api", "../docs/*.md", "docs/*.md = docs/*.md"],
    ["a/b", "../c.ts", "a/c.ts = a/c.ts"],
    ["a/b", "../../c.ts", "c.ts = c.ts"],
    ["api", "api/src/a.ts", "api/src/a.ts = api/src/a.ts"],
    [".", "src/", "src/ = src/"],
    [".", "./", ". = "],
    ["api", ".", ". = api/"],
    ["api", "..", ". = "],
    [".", "a..b/c..", "a..b/c.. = a..b/c.."],
    [".", "../a", "leads out of the work tree"],
    ["a", "../../b", "leads out of the work tree"],
    [".", "a/../b", "leads out of the work tree"],
    [".", "a/..", "leads out of the work tree"],
    [".", "{a,../b}", "leads out of the work tree"],
    [".", "..\\a", "leads out of the work tree"],
    [".", "/etc", "is absolute"],
    [".", "C:\\x", "is absolute"],
    [".", "\\\\server", "is absolute"],
    [".", "~/x", "begins with `~`"],
    [".", "-rf", "begins with `-`"],
    [".", "!a", "begins with `!`"],
    [".", "./-rf", "begins with `-`"],
    ["api", "../-rf", "begins with `-`"],
    [".", ".//~/x", "begins with `~`"],
    [".", "./C:/x", "is absolute"],
    [".", "a/-rf", "a/-rf = a/-rf"],
    [".", " ", "is empty"],
    [".", "a\nb", "holds a line break"],
    [".", "a".repeat(1001), "is longer than 1000 characters"],
  ])("from %j takes %j: %s", (folder, path, expected) => {
    expect(resolve(folder, path)).toBe(expected);
  });

  it("never lets a path out", () => {
    const steps = fc.array(fc.constantFrom("a", "..", ".", "", "b*", "{a,..}", "-c", "~", "!d"), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(steps, steps, (folder, path) => {
        const base = folder.filter((step) => step === "a").join("/") || ".";
        const resolved = resolveInTree(base, path.join("/"));
        if (resolved.kind === "refused") return;
        for (const result of [resolved.path, resolved.fromRoot]) {
          expect(result.split(/[/{},]/)).not.toContain("..");
          expect(result.startsWith("/")).toBe(false);
        }
        expect(resolved.path).not.toMatch(/^[-~!]/);
      }),
    );
  });
});
