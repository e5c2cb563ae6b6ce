import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { createPatterns } from "../../../src/adapters/text/patterns.ts";
import { UserError } from "../../../src/core/errors.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { BY_THE_CLOCK } from "../../support/quickly.ts";

const patterns = createPatterns();

function matches(glob: string, ...paths: string[]): boolean[] {
  return paths.map(patterns.glob(glob));
}

function millis(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

describe("globs", () => {
  it("keeps a star inside one folder and lets two stars cross folders", () => {
    expect(matches("src/*.ts", "src/a.ts", "src/b/a.ts", "src/.ts")).toEqual([true, false, true]);
    expect(matches("src/**/*.ts", "src/a.ts", "src/b/c/a.ts", "lib/a.ts")).toEqual([true, true, false]);
    expect(matches("src/**", "src/a/b.ts", "src")).toEqual([true, false]);
    expect(matches("**/test/**", "test/a", "a/b/test/c/d", "a/tests/b")).toEqual([true, true, false]);
  });

  it("sees files whose name begins with a dot", () => {
    expect(matches("**", ".env", "a/.github/b.yml")).toEqual([true, true]);
    expect(matches("*", ".gitignore")).toEqual([true]);
  });

  it("knows alternatives, sets and escapes", () => {
    expect(matches("{src,test}/**/*.{js,ts}", "src/a.ts", "test/b/c.js", "lib/a.ts")).toEqual([
      true,
      true,
      false,
    ]);
    expect(matches("v[0-9].[!x]", "v1.y", "v1.x", "va.y", "v1./")).toEqual([true, false, false, false]);
    expect(matches("[[:alpha:]]1", "a1", "11")).toEqual([true, false]);
    expect(matches("a\\*b", "a*b", "axb")).toEqual([true, false]);
    expect(matches("src/{a/**,b}.ts", "src/a/x/y.ts", "src/b.ts")).toEqual([true, true]);
  });

  it("takes a folder with a slash for all that is in it, and forgives ./ in front", () => {
    expect(matches("./src/auth/", "src/auth/a.ts", "src/auth/b/c.ts", "src/author.ts")).toEqual([
      true,
      true,
      false,
    ]);
    expect(matches("/README.md", "README.md")).toEqual([true]);
  });

  it("lets a name with brackets or parentheses mean itself", () => {
    expect(matches("app/[id]/page.tsx", "app/[id]/page.tsx", "app/i/page.tsx")).toEqual([true, true]);
    expect(matches("app/(auth)/page.tsx", "app/(auth)/page.tsx", "app/auth/page.tsx")).toEqual([true, false]);
  });

  it("agrees with picomatch on the syntax both know", () => {
    const part = fc.constantFrom(
      "a",
      "b",
      "ab",
      ".a",
      "*",
      "*.a",
      "a*",
      "?",
      "**",
      "[ab]",
      "[^a]",
      "{a,b}",
      "a-b",
      "+a",
    );
    const name = fc.constantFrom("a", "b", "ab", ".a", "b.a", "a-b", "+a", "abc");
    fc.assert(
      fc.property(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.array(name, { minLength: 1, maxLength: 4 }),
        (glob, path) => {
          // Whether `a/**` is true of `a` itself differs even within picomatch; here it is not.
          fc.pre(glob.length === 1 || glob.at(-1) !== "**");
          const [pattern, file] = [glob.join("/"), path.join("/")];
          expect({ pattern, file, is: patterns.glob(pattern)(file) }).toEqual({
            pattern,
            file,
            is: picomatch(pattern, { dot: true })(file),
          });
        },
      ),
      { numRuns: propertyRuns(20) },
    );
  });

  it("answers at once where a backtracking matcher would not", BY_THE_CLOCK, () => {
    const hostile = `${"*a".repeat(30)}*b`;
    expect(millis(() => patterns.glob(hostile)("a".repeat(4000)))).toBeLessThan(1000);
    expect(millis(() => patterns.glob("**/*a/".repeat(20))("a/".repeat(1000)))).toBeLessThan(1000);
  });
});

describe("regular expressions", () => {
  it("looks at lines, as grep does", () => {
    const wired = patterns.regex("^use auth::\\w+;$");
    expect(wired("mod a;\nuse auth::login;\nfn main() {}\n")).toBe(true);
    expect(wired("// use auth::login;")).toBe(false);
    expect(patterns.regex("a.b")("a\nb")).toBe(false);
  });

  it("answers at once on catastrophic patterns", BY_THE_CLOCK, () => {
    const text = `${"a".repeat(100_000)}b`;
    for (const source of ["(a+)+$", "(a|aa)+$", "(.*a){12}c", "([a-z]+)*\\d"])
      expect(millis(() => patterns.regex(source)(text))).toBeLessThan(2000);
  });
});

describe("malformed patterns", () => {
  const sentences = (make: (source: string) => unknown, sources: string[]) =>
    sources.map((source) => {
      try {
        make(source);
        return `${source}: accepted`;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return `${error.message} ${error.next}`;
      }
    });

  it("are refused with a sentence and what to write instead", () => {
    expect(
      sentences(patterns.glob, ["", "src/{a,b", "[ab", "!src/**", "+(a|b)", "file{1..9}", "[z-a]"]),
    ).toMatchInlineSnapshot(`
      [
        "The file pattern is empty. Write what it should match.",
        "The file pattern \`src/{a,b\` can't be read: a brace is never closed. Close the brace, or write \`\\{\` for the character.",
        "The file pattern \`[ab\` can't be read: a bracket is never closed. Close the bracket, or write \`\\[\` for the character.",
        "The file pattern \`!src/**\` can't be read: it begins with \`!\`. Name the files that are meant, not those that are not.",
        "The file pattern \`+(a|b)\` can't be read: \`+(a|b)\` is an extended group. Write alternatives as \`{one,other}\`.",
        "The file pattern \`file{1..9}\` can't be read: \`{1..9}\` is a range. Write every member, such as \`{1,2,3}\`.",
        "The file pattern \`[z-a]\` can't be read: invalid character class range: \`z-a\`. Fix it; \`*\`, \`**\`, \`?\`, \`[ab]\` and \`{a,b}\` are known.",
      ]
    `);
    expect(
      sentences(patterns.regex, ["(a", "(?=x)", "(a)\\1", "a{2000}", "x".repeat(1001)]),
    ).toMatchInlineSnapshot(`
      [
        "The pattern \`(a\` can't be read: missing closing ): \`(a\`. Use RE2 syntax: no look-around, no back-references, no repeat above 1000.",
        "The pattern \`(?=x)\` can't be read: invalid or unsupported Perl syntax: \`(?=\`. Use RE2 syntax: no look-around, no back-references, no repeat above 1000.",
        "The pattern \`(a)\\1\` can't be read: invalid escape sequence: \`\\1\`. Use RE2 syntax: no look-around, no back-references, no repeat above 1000.",
        "The pattern \`a{2000}\` can't be read: invalid repeat count: \`{2000}\`. Use RE2 syntax: no look-around, no back-references, no repeat above 1000.",
        "The pattern has 1001 characters; 1000 are allowed. Split it into several shorter ones.",
      ]
    `);
  });
});
