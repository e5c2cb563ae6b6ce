import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BYTES_PER_TOKEN,
  composePrompt,
  PROMPT_BUDGET_TOKENS,
} from "../../../src/core/prompt/compose-prompt.ts";
import type { Part } from "../../../src/core/prompt/fit-parts.ts";
import { type Change, type ChangePrompt, fitChange } from "../../../src/core/task/fit-change.ts";
import { splitDiff } from "../../../src/core/task/split-diff.ts";
import { nowPart } from "../../../src/core/task/task-parts.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const PLACE = "/shown/change.diff";

function diffOf(path: string, lines: readonly string[]): string {
  const head = `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}`;
  return `${[head, `@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join("\n")}\n`;
}

/** So many lines of ten characters each, with their mark and their end. */
function lines(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${name}${String(n).padStart(8 - name.length, "0")}`);
}

function change(sizes: Readonly<Record<string, number>>, beyond: Change["beyond"] = null): Change {
  const files = Object.keys(sizes);
  const diff = files.map((path) => diffOf(path, lines(path.slice(0, 2), sizes[path] ?? 0))).join("");
  return { diff, files, place: PLACE, beyond };
}

function promptFor(given: Change, other: readonly Part[] = []): ChangePrompt {
  return fitChange(given, (shown) =>
    composePrompt(["Rules."], [...other, ...shown, nowPart("Go.")], () => "0".repeat(16)),
  );
}

/** The files whose diffs stand in a text, and whether all of them end where they should. */
function filesIn(text: string): string[] {
  return [...text.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, path]) => path ?? "");
}

describe("a change in a prompt", () => {
  it("is there as a whole where it fits, and nothing is said about it", () => {
    const prompt = promptFor(change({ "a.ts": 2, "b.ts": 1 }));
    expect(prompt).toMatchObject({ seen: { files: 2, shown: 2, readable: 2 }, rest: null });
    expect(prompt.metrics.cut).toEqual([]);
    expect(prompt.task).toMatchInlineSnapshot(`
      "## The change

      As a diff; lines that begin with \`+\` are new:

      \`\`\`diff
      diff --git a/a.ts b/a.ts
      new file mode 100644
      --- /dev/null
      +++ b/a.ts
      @@ -0,0 +1,2 @@
      +a.000000
      +a.000001
      \`\`\`

      \`\`\`diff
      diff --git a/b.ts b/b.ts
      new file mode 100644
      --- /dev/null
      +++ b/b.ts
      @@ -0,0 +1,1 @@
      +b.000000
      \`\`\`

      It touches 2 files:

      \`\`\`text
      a.ts
      b.ts
      \`\`\`

      ## Now

      Go.
      "
    `);
  });

  it("keeps the most files, each of them whole, and says where the rest can be read", () => {
    const given = change({
      "aa.lock": 20_000,
      "b1.ts": 2_000,
      "c1.ts": 9_000,
      "d1.ts": 2_000,
      "e1.ts": 9_000,
    });
    const prompt = promptFor(given);
    expect(filesIn(prompt.task)).toEqual(["b1.ts", "d1.ts"]);
    expect(prompt.seen).toEqual({ files: 5, shown: 2, readable: 5 });
    expect(prompt.task.split("+d1001999")[1]).toMatchInlineSnapshot(`
      "
      \`\`\`

      Not all of it fits here. The diff is in the file \`/shown/change.diff\` too, and you can read it with the tools that read files. Read there what is left out here, by these lines:

      \`\`\`text
      1-20005 aa.lock
      22011-31015 c1.ts
      33021-42025 e1.ts
      \`\`\`

      It touches 5 files:

      \`\`\`text
      aa.lock
      b1.ts
      c1.ts
      d1.ts
      e1.ts
      \`\`\`

      ## Now

      Go.
      "
    `);
    expect(prompt.metrics.cut).toEqual(["the diff"]);
    expect(prompt.rest).toBe(given.diff);
    const [, first = 0, last = 0] = /^(\d+)-(\d+) c1\.ts$/m.exec(prompt.task)?.map(Number) ?? [];
    const there = prompt.rest?.split("\n").slice(first - 1, last) ?? [];
    expect([there[0], there.at(-1)]).toEqual(["diff --git a/c1.ts b/c1.ts", "+c1008999"]);
  });

  it("begins with one where none fits", () => {
    const prompt = promptFor(change({ "a1.ts": 12_000 }));
    expect(prompt.seen).toEqual({ files: 1, shown: 0, readable: 1 });
    expect(prompt.task).toContain("+a1000000\n");
    expect(prompt.task.length).toBeGreaterThan(39_000);
    expect(prompt.task).toContain("1-12005 a1.ts\n");
    expect(prompt.task).not.toMatch(/left out\)/);
  });

  it("counts what no agent is given", () => {
    const given = change({ "a1.ts": 10, "b1.ts": 10 }, { files: 7, bytes: 1_234 });
    const prompt = promptFor(given);
    expect(prompt.seen).toEqual({ files: 7, shown: 1, readable: 1 });
    expect(prompt.task.split("+a1000009\n```")[1]).toMatchInlineSnapshot(`
      "

      Not all of it fits here. The diff is in the file \`/shown/change.diff\` too, and you can read it with the tools that read files. Read there what is left out here, by these lines:

      \`\`\`text
      16-30 b1.ts
      \`\`\`

      1234 more bytes of the diff, about 6 files, are too much to be given to you: read these files themselves.

      It touches 2 files:

      \`\`\`text
      a1.ts
      b1.ts
      \`\`\`

      ## Now

      Go.
      "
    `);
    expect(prompt.rest).toBe(given.diff);
    expect(promptFor(change({ "a1.ts": 12_000 }, { files: 3, bytes: 1 })).seen).toEqual({
      files: 3,
      shown: 0,
      readable: 0,
    });
  });

  it("gives way to what is worth more, and then says so as well", () => {
    const body = {
      name: "the body",
      priority: 50,
      lead: "",
      text: "word ".repeat(16_000),
      language: "text",
    } as const;
    const prompt = promptFor(change({ "a1.ts": 500, "b1.ts": 3_000 }), [{ ...body, keep: "start" }]);
    expect(filesIn(prompt.task)).toEqual(["a1.ts"]);
    expect(prompt.seen).toEqual({ files: 2, shown: 1, readable: 2 });
    expect(prompt.task).toContain(PLACE);
  });

  it("never shows a part of a file's diff among others, never more than fits, and loses none", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 2, maxLength: 30 }), (sizes) => {
        const given = change(Object.fromEntries(sizes.map((size, n) => [`f${n}.ts`, size])));
        const { task, seen, rest, metrics } = promptFor(given);
        const shown = filesIn(task);
        expect(metrics.bytes).toBeLessThanOrEqual(PROMPT_BUDGET_TOKENS * BYTES_PER_TOKEN);
        for (const { text, path } of splitDiff(given.diff))
          expect(task.includes(text)).toBe(shown.includes(path ?? ""));
        expect(seen).toEqual({ files: sizes.length, shown: shown.length, readable: sizes.length });
        const listed = task.match(/^\d+-\d+ f\d+\.ts$/gm) ?? [];
        expect(shown.length + listed.length).toBe(sizes.length);
        expect(rest === null).toBe(listed.length === 0);
      }),
      { numRuns: propertyRuns(0.4) },
    );
  });
});

describe("a diff, file by file", () => {
  it("names renamed, removed, binary and strange files, and keeps the two pieces of one together", () => {
    const link =
      "diff --git a/l b/l\ndeleted file mode 100644\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n";
    const diff = [
      "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n",
      "diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-diff --git a/x b/x\n",
      "diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n",
      'diff --git "a/t\\tb" "b/t\\tb"\n--- "a/t\\tb"\n+++ "b/t\\tb"\n@@ -1 +1 @@\n-a\r\n+b\u202e\n',
      link,
    ].join("");
    const files = splitDiff(diff);
    expect(
      files.map(({ path, first, last }) => `${first}-${last} ${JSON.stringify(path)}`),
    ).toMatchInlineSnapshot(`
      [
        "1-4 "new"",
        "5-10 "gone"",
        "11-12 "i.png"",
        "13-18 "t\\tb"",
        "19-31 "l"",
      ]
    `);
    expect(files[3]?.text).toContain("-a␍\n+b⟨U+202E⟩");
    expect(splitDiff("")).toEqual([]);
  });
});
