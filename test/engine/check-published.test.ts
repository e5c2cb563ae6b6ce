import { describe, expect, it } from "vitest";
import type { CommitContent } from "../../src/engine/check-content.ts";
import { checkPublished } from "../../src/engine/check-published.ts";
import { outline } from "../support/verify-world.ts";

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
        "  warned .npmrc: look at it before you merge: it decides where packages come from, or runs while they are installed",
        "  warned src/-rf: look at it before you merge: it begins with a dash, so that programs may take it for an option",
        "  warned src/p\\u{430}th.ts: look at it before you merge: it mixes Latin letters with Cyrillic ones that look alike",
        "  warned .gitattributes: hides changes from readers: \`[attr]quiet -diff\` and 1 more lines",
        "  warned big/.gitattributes: is too large to be looked into; it may hide changes",
        "  warned sub/.GitAttributes: hides changes from readers: \`*.js quiet\`",
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

  it("is counted where there is much of it", async () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}/.npmrc`, ""]));
    const verdict = await checkPublished(contentOf(many), {});
    expect(verdict?.children).toHaveLength(21);
    expect(verdict?.children.at(-1)?.detail).toMatchInlineSnapshot(
      `"10 more files to look at before you merge"`,
    );
  });
});
