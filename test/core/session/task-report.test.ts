import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { downstreamContextSchema, renderDownstream } from "../../../src/core/session/downstream-context.ts";
import { parseTaskReport } from "../../../src/core/session/task-report.ts";

const FULL = `Done.

## Task Report

Added \`sum\`. \`npm test\`: 3 passed.

### Files
- src/sum.ts

## Downstream Context

- Key Interfaces Introduced: \`sum(a, b)\` in src/sum.ts
- Patterns Established: none
- Integration Points:
  - src/index.ts exports it,
    for everybody
  - src/cli.ts
- **Assumptions**: numbers are whole
- **Warnings:** [none yet]
`;

describe("a report", () => {
  it("is the sections of the last message, field by field", () => {
    expect(parseTaskReport(FULL)).toEqual({
      report: "Added `sum`. `npm test`: 3 passed.\n\n### Files\n- src/sum.ts",
      downstream: {
        keyInterfaces: ["`sum(a, b)` in src/sum.ts"],
        patterns: [],
        integrationPoints: ["src/index.ts exports it, for everybody", "src/cli.ts"],
        assumptions: ["numbers are whole"],
        warnings: [],
        other: "",
      },
      missing: [],
    });
  });

  it("may have headings of other levels, cases and decorations", () => {
    for (const [one, two] of [
      ["# TASK REPORT", "# downstream context"],
      ["### Task report:", "### **Downstream Context**"],
      ["## 1. Task Report ##", "## 2. Downstream Context"],
      ["# Task Report", "### Downstream Context"],
    ]) {
      const { report, downstream, missing } = parseTaskReport(`${one}\r\n\r\ndone\r\n${two}\r\nall is well`);
      expect({ report, other: downstream?.other, missing }).toEqual({
        report: "done",
        other: "all is well",
        missing: [],
      });
    }
  });

  it("may give its fields as headings with lists, text and code below", () => {
    const { downstream } = parseTaskReport(`## Downstream Context

Mind these.

### Key Interfaces Introduced

1. \`sum\`

\`\`\`ts
function sum(a: number): number;
\`\`\`

### Warnings
It is slow,
very slow.

It is new.

### Elsewhere
more
`);
    expect(downstream).toEqual({
      keyInterfaces: ["`sum`\nfunction sum(a: number): number;"],
      patterns: [],
      integrationPoints: [],
      assumptions: [],
      warnings: ["It is slow, very slow.", "It is new."],
      other: "Mind these.\n\n### Elsewhere\nmore",
    });
  });

  it("is missing when its heading stands in a code block, has nothing below it, or is not there", () => {
    const missing = (text: string) => parseTaskReport(text).missing;
    expect(missing("")).toEqual(["Task Report", "Downstream Context"]);
    expect(missing("```\n## Task Report\nx\n```\n## Downstream Context\n- Warnings: none")).toEqual([
      "Task Report",
    ]);
    expect(missing("## Task Report\n\n## Downstream Context\n \n")).toEqual([
      "Task Report",
      "Downstream Context",
    ]);
    expect(missing("the Task Report says\n#### Downstream Context\nx")).toEqual([
      "Task Report",
      "Downstream Context",
    ]);
  });

  it("ends where a question or the completion block begins", () => {
    const { report, downstream } = parseTaskReport(
      "## Task Report\ndone\n### Question\nWhich?\n## Downstream Context\n- Warnings: one\n\n```loom-completion\nstatus: complete\n```\n",
    );
    expect(report).toBe("done");
    expect(downstream).toMatchObject({ warnings: ["one"], other: "" });
  });

  it("counts the last section of a name that says something", () => {
    const text = "## Task Report\nfirst\n## Task Report\nsecond\n## Task Report\n";
    expect(parseTaskReport(text).report).toBe("second");
  });

  it("is cut, and the cut counted", () => {
    const { report, downstream } = parseTaskReport(
      `## Task Report\n${"x".repeat(9_000)}\n## Downstream Context\nWarnings:\n${"- w\n".repeat(30)}`,
    );
    expect(report?.slice(-30)).toBe("xxxxx\n… (1000 more characters)");
    expect(downstream?.warnings.slice(-2)).toEqual(["w", "… and 10 more"]);
  });

  it("can be read again after it was written out", () => {
    const { downstream } = parseTaskReport(FULL);
    if (!downstream) throw new Error("there is one");
    expect(renderDownstream(downstream)).toMatchInlineSnapshot(`
      "Key Interfaces Introduced:
      - \`sum(a, b)\` in src/sum.ts
      Integration Points:
      - src/index.ts exports it, for everybody
      - src/cli.ts
      Assumptions:
      - numbers are whole"
    `);
    expect(parseTaskReport(`## Downstream Context\n${renderDownstream(downstream)}`).downstream).toEqual(
      downstream,
    );
  });

  it("is never more than so much, whatever an agent says", () => {
    const piece = fc.constantFrom(
      "## Task Report\n",
      "## Downstream Context\n",
      "- Warnings: x\n",
      "```\n",
      "  - ",
      "\0",
      "**Assumptions**\n",
      "word ",
      "\n",
      "#".repeat(500),
      "x".repeat(3_000),
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 60 }), (pieces) => {
        const { report, downstream } = parseTaskReport(pieces.join(""));
        if (downstream) downstreamContextSchema.parse(downstream);
        expect(JSON.stringify({ report, downstream }).length).toBeLessThan(90_000);
      }),
    );
  });

  it("takes no time that grows faster than the text", () => {
    for (const text of [
      "- ".repeat(500_000),
      "#".repeat(1_000_000),
      "* _".repeat(300_000),
      " ".repeat(900_000),
    ]) {
      expect(parseTaskReport(`## Downstream Context\n${text}`)).toBeDefined();
    }
  });
});
