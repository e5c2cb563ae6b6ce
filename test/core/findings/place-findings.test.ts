import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PlacedFinding, placeFindings } from "../../../src/core/findings/place-findings.ts";
import type { Finding } from "../../../src/core/task/task-events.ts";
import { parseDiff } from "../../../src/core/text/parse-diff.ts";

const DIFF = [
  "diff --git a/src/a.ts b/src/a.ts",
  "--- a/src/a.ts",
  "+++ b/src/a.ts",
  "@@ -10,4 +10,5 @@",
  " ten",
  "+  eleven",
  "+    twelve",
  " thirteen",
  " fourteen",
  "-gone",
  "@@ -40,2 +40,2 @@",
  "-old",
  "+\tforty",
  " forty-one",
  "diff --git a/src/old.ts b/src/new.ts",
  "similarity index 90%",
  "rename from src/old.ts",
  "rename to src/new.ts",
  "--- a/src/old.ts",
  "+++ b/src/new.ts",
  "@@ -1 +1 @@",
  "-x",
  "+y",
  "diff --git a/gone.ts b/gone.ts",
  "deleted file mode 100644",
  "--- a/gone.ts",
  "+++ /dev/null",
  "@@ -1 +0,0 @@",
  "-x",
].join("\n");

function finding(fields: Partial<Finding>): Finding {
  return {
    id: "F1",
    severity: "low",
    title: "t",
    body: "",
    file: "src/a.ts",
    line: null,
    endLine: null,
    suggestion: null,
    ...fields,
  };
}

function place(fields: Partial<Finding>): Omit<PlacedFinding, "finding"> | null {
  const [placed] = placeFindings([finding(fields)], parseDiff(DIFF)).onLines;
  if (!placed) return null;
  const { finding: _, ...rest } = placed;
  return rest;
}

describe("a finding", () => {
  it("stands on its line in a file with any number of hunks", () => {
    const hunks = Array.from({ length: 150_000 }, (_, n) => `@@ -${n * 8 + 1} +${n * 8 + 1} @@\n-x\n+y`);
    const diff = parseDiff(`diff --git a/big b/big\n--- a/big\n+++ b/big\n${hunks.join("\n")}\n`);
    const { onLines } = placeFindings([finding({ file: "big", line: 149_999 * 8 + 1 })], diff);
    expect(onLines).toMatchObject([{ path: "big", line: 1_199_993 }]);
  });

  it("stands on the line that it names, added or not", () => {
    expect(place({ line: 11 })).toEqual({
      path: "src/a.ts",
      startLine: null,
      line: 11,
      shortened: false,
      suggestion: null,
    });
    expect(place({ line: 14 })).toMatchObject({ line: 14 });
    expect(place({ file: "src/new.ts", line: 1 })).toMatchObject({ path: "src/new.ts", line: 1 });
  });

  it("stands on all its lines when one hunk has them, otherwise on those it has", () => {
    expect(place({ line: 11, endLine: 13, suggestion: "x" })).toMatchObject({
      startLine: 11,
      line: 13,
      shortened: false,
    });
    expect(place({ line: 8, endLine: 11, suggestion: "x" })).toMatchObject({
      startLine: 10,
      line: 11,
      shortened: true,
      suggestion: null,
    });
    expect(place({ line: 14, endLine: 40 })).toMatchObject({ startLine: null, line: 14, shortened: true });
    expect(place({ line: 20, endLine: 100 })).toMatchObject({ startLine: 40, line: 41, shortened: true });
  });

  it("is not moved onto the change from beside it", () => {
    for (const line of [7, 8, 9, 15, 16, 17, 39, 42]) expect(place({ line })).toBeNull();
    for (const file of ["src/old.ts", "gone.ts", "other.ts", "a.ts", null])
      expect(place({ file, line: 1 })).toBeNull();
    expect(place({ line: null })).toBeNull();
    const one = finding({ line: 9 });
    expect(placeFindings([one], parseDiff(DIFF))).toEqual({ onLines: [], elsewhere: [one] });
  });

  it("gets back the indentation that YAML took from its suggestion", () => {
    expect(place({ line: 11, endLine: 12, suggestion: "if (x) {\n\n  y();\n}" })?.suggestion).toBe(
      "  if (x) {\n\n    y();\n  }",
    );
    expect(place({ line: 40, suggestion: "x" })?.suggestion).toBe("\tx");
    expect(place({ line: 11, suggestion: "      kept" })?.suggestion).toBe("      kept");
    expect(place({ line: 10, suggestion: "x" })?.suggestion).toBe("x");
  });

  it("gets back the indentation of a first line that alone has lost it", () => {
    const inside = parseDiff(
      "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -0,0 +1,4 @@\n+    if (x) {\n+        y();\n+    }\n+    z();\n",
    );
    const suggested = (line: number, endLine: number | null, suggestion: string) =>
      placeFindings([finding({ line, endLine, suggestion })], inside).onLines[0]?.suggestion;
    expect(suggested(1, 3, "if (w) {\n        y();\n    }")).toBe("    if (w) {\n        y();\n    }");
    expect(suggested(4, null, "if (w) {\n        z();\n    }")).toBe("    if (w) {\n        z();\n    }");
    expect(suggested(4, null, "z(\n    1);")).toBe("    z(\n        1);");
    expect(suggested(4, null, "z();\nw();")).toBe("    z();\n    w();");
  });

  it("stands on no hunk without lines, such as the last one of a diff that is cut", () => {
    const cut = parseDiff("--- a/src/a.ts\n+++ b/src/a.ts\n@@ -9,3 +10,3 @@\n-a\n");
    expect(placeFindings([finding({ line: 8, endLine: 12 })], cut).onLines).toEqual([]);
  });

  it("is placed only where GitHub takes it", () => {
    /** Read from the text once more, in another way: the numbers of all lines on the right side, by file and hunk. */
    const accepted = new Map<string, number[][]>([
      [
        "src/a.ts",
        [
          [10, 11, 12, 13, 14],
          [40, 41],
        ],
      ],
      ["src/new.ts", [[1]]],
    ]);
    const any = fc.record({
      file: fc.constantFrom("src/a.ts", "src/new.ts", "src/old.ts", "gone.ts", null),
      line: fc.option(fc.integer({ min: 1, max: 50 })),
      endLine: fc.option(fc.integer({ min: 1, max: 60 })),
      suggestion: fc.constantFrom(null, "x"),
    });
    fc.assert(
      fc.property(fc.array(any, { maxLength: 8 }), (list) => {
        const findings = list.map((fields, index) => finding({ ...fields, id: `F${index}` }));
        const { onLines, elsewhere } = placeFindings(findings, parseDiff(DIFF));
        expect([...onLines.map((one) => one.finding), ...elsewhere].map(({ id }) => id).sort()).toEqual(
          findings.map(({ id }) => id).sort(),
        );
        for (const { finding: from, path, startLine, line, suggestion } of onLines) {
          const hunk = accepted.get(path)?.find((lines) => lines.includes(line));
          expect(hunk).toBeDefined();
          if (startLine !== null) {
            expect(startLine).toBeLessThan(line);
            expect(hunk).toContain(startLine);
          }
          const [first, last] = [from.line ?? 0, from.endLine ?? from.line ?? 0].sort((a, b) => a - b);
          expect(startLine ?? line).toBeGreaterThanOrEqual(first ?? 0);
          expect(line).toBeLessThanOrEqual(last ?? 0);
          if (suggestion !== null) expect([startLine ?? line, line]).toEqual([first, last]);
        }
        for (const { file, line, endLine } of elsewhere) {
          const all = accepted.get(file ?? "")?.flat() ?? [];
          const [first, last] = [line ?? 0, endLine ?? line ?? 0].sort((a, b) => a - b);
          if (line !== null)
            expect(all.filter((one) => one >= (first ?? 0) && one <= (last ?? 0))).toEqual([]);
        }
      }),
    );
  });
});
