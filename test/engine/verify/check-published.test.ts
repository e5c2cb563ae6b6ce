import { describe, expect, it } from "vitest";
import type { CommitContent } from "../../../src/engine/verify/check-content.ts";
import { checkPublished } from "../../../src/engine/verify/check-published.ts";
import { outline } from "../../support/verify-world.ts";

type Files = Readonly<Record<string, string | null>>;

/** `null`: it is there, and too large to be read. */
function contentOf(after: Files, before: Files = {}, diff = ""): CommitContent {
  return {
    diff: async (maxBytes) => ({
      text: diff.slice(0, maxBytes),
      cut: diff.length > maxBytes ? { bytes: 1, files: 1 } : null,
    }),
    find: async () => Object.keys(after),
    read: async (path) => after[path] ?? null,
    baseFiles: async () => Object.keys(before),
    readBase: async (path) => before[path] ?? null,
    changed: async () => new Set([...Object.keys(after), ...Object.keys(before)]),
    naming: () => () => false,
  };
}

describe("what a change publishes", () => {
  it("is not talked about when nothing is special", async () => {
    expect(
      await checkPublished(contentOf({ "src/a.ts": "", ".gitattributes": "* text=auto\n" }), {}),
    ).toBeNull();
  });

  it("is pointed out where it acts on others' machines, hides a diff or looks like something else", async () => {
    const told: string[] = [];
    const verdict = await checkPublished(
      contentOf(
        {
          ".npmrc": "registry=https://example.org\n",
          ".gitattributes": "[attr]quiet -diff\n*.lock -diff\n*.ts quiet\n",
          "sub/.GitAttributes": "*.js quiet\n",
          "big/.gitattributes": null,
          "src/p\u0430th.ts": "",
          "src/-rf": "",
        },
        { ".gitattributes": "*.lock -diff\n" },
      ),
      { onDoubt: ({ rule, what }) => void told.push(`${rule} ${what.split(":")[0]}`) },
    );
    // Settings of package managers are everyday work.
    expect(told).toEqual([
      "odd-name src/-rf",
      "odd-name src/p\\u{430}th.ts",
      "hidden-diff .gitattributes",
      "hidden-diff big/.gitattributes",
      "hidden-diff sub/.GitAttributes",
    ]);
    expect(verdict && outline(verdict)).toMatchInlineSnapshot(`
      [
        "warned published files",
        "  warned .gitattributes: hides changes from readers: \`[attr]quiet -diff\` and 1 more lines",
        "  warned big/.gitattributes: is too large to be looked into; it may hide changes",
        "  warned sub/.GitAttributes: hides changes from readers: \`*.js quiet\`",
        "  warned .npmrc: look at it before you merge: it decides where packages come from, or runs while they are installed",
        "  warned odd names: look at them before you merge: \`src/-rf\` begins with a dash, so that programs may take it for an option; \`src/p\\u{430}th.ts\` mixes Latin letters with Cyrillic ones that look alike",
      ]
    `);
  });

  it("is searched for text that nobody sees, and that is said where it is too large for that", async () => {
    const diff = "diff --git a/a.ts b/a.ts\n+++ b/a.ts\n@@ -0,0 +1 @@\n+x = '\u202e'\n";
    const small = await checkPublished(contentOf({ "a.ts": "" }, {}, diff), {});
    expect(small && outline(small)).toEqual([
      "warned published files",
      "  warned a.ts: reverses the direction of text",
    ]);
    const large = await checkPublished(contentOf({ "a.ts": "" }, {}, " ".repeat(16_000_001)), {});
    expect(large && outline(large)).toMatchInlineSnapshot(`
      [
        "warned published files",
        "  warned hidden text: the change is too large to be searched to its end",
      ]
    `);
  });

  it("is pointed out where git takes code for binary, and searched all the same", async () => {
    const binary = (path: string) =>
      `diff --git a/${path} b/${path}\nindex 1..2 100644\nBinary files /dev/null and b/${path} differ\n`;
    const diff = [
      ...["zero.js", "u16.ps1", "big.ts", "photo.png", "bin/deploy", "bin/tool", "hidden.py"].map(binary),
      'diff --git "a/\\303\\274 b.ts" "b/\\303\\274 b.ts"\nBinary files /dev/null and "b/\\303\\274 b.ts" differ\n',
      "diff --git a/x and b/y.js b/x and b/y.js\nBinary files a/x and b/y.js and b/x and b/y.js differ\n",
      "diff --git a/old.js b/old.js\nBinary files a/old.js and /dev/null differ\n",
      "diff --git a/a.bin b/a.js\nsimilarity index 100%\nrename from a.bin\nrename to a.js\n",
      "diff --git a/b.txt b/b.js\nsimilarity index 100%\nrename from b.txt\nrename to b.js\n",
      "diff --git a/c.js b/c.ts\nsimilarity index 100%\nrename from c.js\nrename to c.ts\n",
    ].join("");
    const verdict = await checkPublished(
      contentOf(
        {
          "zero.js": "exports.a = 1; // \0\nrun(); // \u202e\n",
          "u16.ps1": "\ufffd\ufffde\0v\0i\0l\0",
          "big.ts": null,
          "photo.png": "\0",
          "bin/deploy": "#!/bin/sh\n\0\n",
          "bin/tool": "ELF\0",
          "hidden.py": "ok()\revil()\n",
          "\u00fc b.ts": "\0",
          "x and b/y.js": "\0",
          "a.js": "\0",
          "b.js": "fine();\n",
          "c.ts": "\0",
        },
        { "old.js": "\0" },
        diff,
      ),
      {},
    );
    expect(verdict && outline(verdict)).toMatchInlineSnapshot(`
      [
        "warned published files",
        "  warned zero.js: is not shown in diffs, because it holds zero bytes; it also reverses the direction of text",
        "  warned u16.ps1: is not shown in diffs, because it holds zero bytes",
        "  warned big.ts: is not shown in diffs, and was not looked into",
        "  warned bin/deploy: is not shown in diffs, because it holds zero bytes",
        "  warned ü b.ts: is not shown in diffs, because it holds zero bytes",
        "  warned x and b/y.js: is not shown in diffs, because it holds zero bytes",
        "  warned a.js: is not shown in diffs, because it holds zero bytes",
        "  warned hidden.py: holds a character in the middle of a line that ends it for some programs",
      ]
    `);
  });

  it("tells of each kind, the worst first, however many there are of another", async () => {
    const many = (count: number, name: (at: number) => string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), ""]));
    const diff = "diff --git a/z.js b/z.js\n+++ b/z.js\n@@ -0,0 +1 @@\n+// \u202e\n";
    const files = {
      ...many(20, (at) => `!;${at}.txt`),
      ...many(22, (at) => `p${at}/.npmrc`),
      ".gitattributes": "src/** -diff\n",
      "p\u0430ckage.json": "",
      "z.js": "",
    };
    const verdict = await checkPublished(contentOf(files, {}, diff), {});
    const lines = verdict ? outline(verdict) : [];
    expect(lines.slice(0, 4)).toMatchInlineSnapshot(`
      [
        "warned published files",
        "  warned .gitattributes: hides changes from readers: \`src/** -diff\`",
        "  warned z.js: reverses the direction of text",
        "  warned p0/.npmrc: look at it before you merge: it decides where packages come from, or runs while they are installed",
      ]
    `);
    expect(lines.slice(-2)).toMatchInlineSnapshot(`
      [
        "  warned more: 2 more files to look at before you merge",
        "  warned odd names: look at them before you merge: \`!;0.txt\`, \`!;1.txt\`, \`!;10.txt\` and 17 more (each holds characters that a shell would act on); \`p\\u{430}ckage.json\` mixes Latin letters with Cyrillic ones that look alike",
      ]
    `);
  });

  it("names what is new at the root, begins with a dot and is known to no table, in one line", async () => {
    const files = {
      ".foorc": "",
      ".bar/a": "",
      ".bar/b": "",
      ".old/new": "",
      ".eslintrc.json": "",
      "sub/.foorc": "",
    };
    const verdict = await checkPublished(contentOf(files, { ".old/x": "" }), {});
    expect(verdict && outline(verdict)).toMatchInlineSnapshot(`
      [
        "warned published files",
        "  warned new dot files: look at them before you merge: tools may read \`.bar\`, \`.foorc\` unasked",
      ]
    `);
  });

  it("is counted where there is much of it", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}/.npmrc`, ""]));
    const verdict = await checkPublished(contentOf(many), {});
    expect(verdict?.children).toHaveLength(21);
    expect(verdict?.children.at(-1)?.detail).toMatchInlineSnapshot(
      `"10 more files to look at before you merge"`,
    );
  });
});
