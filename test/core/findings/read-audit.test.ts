import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EarlierFinding } from "../../../src/core/findings/earlier-finding.ts";
import { readAudit } from "../../../src/core/findings/read-audit.ts";
import type { Tree } from "../../../src/core/findings/read-finding.ts";
import { type AuditResult, auditResultSchema } from "../../../src/core/task/task-events.ts";
import { loadPromptTexts } from "../../../src/wiring/prompt-texts.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const earlier = (id: string): EarlierFinding => ({
  id,
  title: "",
  text: "",
  file: null,
  line: null,
  replies: [],
});

function read(text: string, known: readonly string[] = [], tree: Tree | null = null): AuditResult {
  const reading = readAudit(text, { earlier: { open: known.map(earlier), settled: [], ids: known }, tree });
  if (reading.kind === "unreadable") throw new Error(reading.problem);
  return auditResultSchema.parse(reading.result);
}

function yaml(body: string): string {
  return `I looked at it.\n\n\`\`\`yaml\n${body}\n\`\`\`\n`;
}

/** One finding with these lines. */
function one(lines: string, tree: Tree | null = null): AuditResult["findings"][number] | undefined {
  const text = yaml(`loom_findings:\n  findings:\n    - title: T\n${lines.replace(/^/gm, "      ")}`);
  return read(text, [], tree).findings[0];
}

describe("an agent's findings", () => {
  it("are read as the prompt asks for them", () => {
    expect(read(loadPromptTexts().tasks.findings, ["F2"])).toMatchInlineSnapshot(`
      {
        "earlier": [
          {
            "id": "F2",
            "state": "fixed",
          },
        ],
        "findings": [
          {
            "body": "\`sum\` subtracts \`discount\` in line 41, and \`cents\` in src/price.ts:12 has done so already.
      A basket of 10.00 with 1.00 off comes to 8.00. The test in test/sum.test.ts:20 has no discount.",
            "endLine": 43,
            "file": "src/basket/sum.ts",
            "id": "F1",
            "line": 41,
            "severity": "high",
            "suggestion": "const net = items.reduce((total, item) => total + cents(item), 0);",
            "title": "The discount is taken twice",
          },
        ],
        "notes": [],
        "summary": "Two or three sentences: what you looked at, what you found, what you could not check.",
      }
    `);
  });

  it("may be JSON, without the outer key, without a fence, or behind an example", () => {
    const findings = [{ severity: "low", title: "T", file: "a.ts", line: 3 }];
    const inner = JSON.stringify({ summary: "S", findings }, null, 2);
    const expected = {
      summary: "S",
      findings: [{ id: "F1", severity: "low", title: "T", file: "a.ts", line: 3 }],
    };
    for (const text of [
      `\`\`\`json\n{ "loom_findings": ${inner} }\n\`\`\``,
      `\`\`\`json\n${inner}\n\`\`\`\n\nThat is all.`,
      `\`\`\`\nloom_findings: ${JSON.stringify({ summary: "S", findings })}\n\`\`\``,
      `{ "loom_findings": ${inner} }`,
      `Done.\n\nloom_findings:\n  summary: S\n  findings:\n    - { severity: low, title: T, file: a.ts, line: 3 }\n`,
      yaml("loom_findings:\n  findings: [{ title: Example }]") +
        yaml(`loom_findings:\n  summary: S\n  findings: ${JSON.stringify(findings)}`),
      yaml(
        `loom_findings:\n  summary: S\n  findings:\n    - {severity: low, title: T, file: a.ts, line: 3}`,
      ).replace(/```\n$/, ""),
    ]) {
      expect(read(text)).toMatchObject(expected);
    }
    expect(read(yaml(`loom_findings: ${JSON.stringify(findings)}`)).findings).toHaveLength(1);
  });

  it("name lines in many ways", () => {
    const lines = (text: string): (number | null | undefined)[] => {
      const { line, endLine } = one(text) ?? {};
      return [line, endLine];
    };
    expect(lines("file: a.ts\nline: 12")).toEqual([12, null]);
    expect(lines('file: a.ts\nline: "12-14"')).toEqual([12, 14]);
    expect(lines("file: a.ts\nline: L12-L14")).toEqual([12, 14]);
    expect(lines("file: a.ts\nline: lines 12 to 14")).toEqual([12, 14]);
    expect(lines("file: a.ts\nline: [12, 14]")).toEqual([12, 14]);
    expect(lines("file: a.ts\nline: 14\nend_line: 12")).toEqual([12, 14]);
    expect(lines("file: a.ts\nline: 12\nend_line: 12")).toEqual([12, null]);
    expect(lines("file: a.ts:12-14")).toEqual([12, 14]);
    expect(lines("file: a.ts:12:5")).toEqual([12, null]);
    expect(lines("file: a.ts#L12-L14")).toEqual([12, 14]);
    expect(lines("file: a.ts\nline: 0")).toEqual([null, null]);
    expect(lines("file: a.ts\nline: -3")).toEqual([3, null]);
    expect(lines("file: a.ts\nline: 99999999999")).toEqual([null, null]);
    expect(lines("file: a.ts\nline: about the top")).toEqual([null, null]);
    expect(lines("line: 12")).toEqual([null, null]);
  });

  it("name files from the root, and none beyond it", () => {
    expect(one("file: ./src/a.ts")?.file).toBe("src/a.ts");
    expect(one("file: src\\a.ts")?.file).toBe("src/a.ts");
    expect(one('file: "`src/a.ts`"')?.file).toBe("src/a.ts");
    expect(one("path: src/a.ts")?.file).toBe("src/a.ts");
    expect(one("file: null")?.file).toBeNull();
    expect(one("file: ../../etc/passwd")?.file).toBeNull();
    expect(
      read(yaml("loom_findings:\n  findings: [{ title: T, file: a/../../b }]")).notes,
    ).toMatchInlineSnapshot(`
      [
        "1 finding had no severity that is known; it is taken as medium.",
        "1 finding named a file that can't be one of the repository.",
      ]
    `);
  });

  it("are as grave as their words say", () => {
    const of = (word: string): string | undefined => one(`severity: ${word}`)?.severity;
    expect(["Critical", "BLOCKER", "P0"].map(of)).toEqual(["critical", "critical", "critical"]);
    expect(["major", "error", "high (probably)"].map(of)).toEqual(["high", "high", "high"]);
    expect(["warning", "moderate"].map(of)).toEqual(["medium", "medium"]);
    expect(["nit", "minor"].map(of)).toEqual(["low", "low"]);
    expect(["note", "informational"].map(of)).toEqual(["info", "info"]);
    expect(["purple", "''"].map(of)).toEqual(["medium", "medium"]);
    expect(
      read(yaml("loom_findings:\n  findings: [{ title: A }, { title: B, severity: purple }]")).notes,
    ).toMatchInlineSnapshot(`
      [
        "2 findings had no severity that is known; they are taken as medium.",
      ]
    `);
  });

  it("are known by other words, and in groups", () => {
    const expected = { severity: "high", title: "T", body: "D", file: "a.ts", line: 3, endLine: 4 };
    for (const block of [
      "findings: [{ name: T, level: high, details: D, path: a.ts, start_line: 3, end-line: 4 }]",
      "findings: [{ Title: T, Severity: High, Description: D, Location: 'a.ts:3-4' }]",
      "findings:\n    Critical: []\n    High: [{ title: T, body: D, file: a.ts, lines: 3-4 }]",
    ]) {
      expect(read(yaml(`loom_findings:\n  ${block}`))).toMatchObject({ findings: [expected], notes: [] });
    }
  });

  it("come the most severe first, at most 50, and the rest is counted", () => {
    const findings = Array.from({ length: 70 }, (_, n) => ({
      title: `T${n}`,
      severity: n === 69 ? "critical" : n < 30 ? "low" : "high",
    }));
    const result = read(yaml(JSON.stringify({ loom_findings: { findings } })));
    expect(result.findings).toHaveLength(50);
    expect(result.findings[0]).toMatchObject({ id: "F1", title: "T69" });
    expect(result.findings.filter(({ severity }) => severity === "low")).toHaveLength(10);
    expect(result.notes).toMatchInlineSnapshot(`
      [
        "20 more findings were left out: only the most severe 50 are kept.",
      ]
    `);
  });

  it("name no place on the worker, and no side of a diff", () => {
    const tree = { root: "/tmp/x/tree", files: new Set(["src/a.ts", "b/in-b.ts"]) };
    expect(one("file: /tmp/x/tree/src/a.ts:12", tree)).toMatchObject({ file: "src/a.ts", line: 12 });
    expect(one("file: /tmp/x/tree/src/gone.ts", tree)?.file).toBe("src/gone.ts");
    expect(one("file: /src/a.ts", tree)?.file).toBe("src/a.ts");
    expect(one("file: b/src/a.ts", tree)?.file).toBe("src/a.ts");
    expect(one("file: b/in-b.ts", tree)?.file).toBe("b/in-b.ts");
    for (const file of ["/tmp/y/src/a.ts", "/etc/passwd", "C:\\w\\a.ts", "~/a.ts", "file:///tmp/a.ts"])
      expect(one(`file: '${file}'`, tree)?.file).toBeNull();
    expect(one("file: /src/a.ts")?.file).toBeNull();
  });

  it("are marked where they name a file that is not there; a folder is", () => {
    const tree = { root: "/tmp/x/tree", files: new Set(["src/a.ts"]) };
    const notes = (...files: string[]): readonly string[] =>
      read(
        yaml(
          `loom_findings:\n  findings:\n${files.map((file, at) => `    - {severity: low, title: T${at}, body: b, file: '${file}'}`).join("\n")}`,
        ),
        [],
        tree,
      ).notes;
    expect(notes("src/a.ts:3", "src", "src/")).toEqual([]);
    expect(notes("src/a.ts", "src/gone.ts:1")).toEqual([
      "1 finding names a file that is not in this commit: look twice.",
    ]);
    expect(notes("sr", "src/gone.ts:1")).toEqual([
      "2 findings name a file that is not in this commit: look twice.",
    ]);
  });

  it("suggest to the letter, or not at all", () => {
    const suggestion = (text: string): AuditResult => {
      const findings = [{ title: "T", severity: "low", file: "a.ts", line: 1, suggestion: text }];
      return read(yaml(JSON.stringify({ loom_findings: { findings } })));
    };
    expect(suggestion("a  \r\n\tb  \n").findings[0]?.suggestion).toBe("a  \n\tb  ");
    for (const text of ["x = '👩\u200d💻'", "a\u202eb", "a\u001b[0m", "soft\u00adhyphen"]) {
      const result = suggestion(text);
      expect(result.findings[0]?.suggestion).toBeNull();
      expect(result.notes).toEqual(["1 suggestion could not be used and was left out."]);
      // As it stands in the block itself, too.
      expect(one(`severity: low\nfile: a.ts\nline: 1\nsuggestion: |\n  ${text}`)?.suggestion).toBeNull();
    }
    // Where only the fixed text can be read, nobody knows what it was.
    const coloured = yaml("loom_findings:\n  findings: [{ title: T, file: a.ts, line: 1, suggestion: x }]");
    const result = read(coloured.replaceAll("findings:", "find\u001b[1mings:"));
    expect(result.findings[0]).toMatchObject({ file: "a.ts", suggestion: null });
  });

  it("are cut where they are too long, and that is said", () => {
    const long = "word ".repeat(2_000);
    const findings = [
      { title: long, severity: "low", body: long, file: "a.ts", line: 1, suggestion: long },
      { severity: "low", body: "First line\nsecond" },
      { severity: "low" },
      7,
      { title: "S", severity: "low", suggestion: "no line" },
      { title: "D", severity: "low", file: "a.ts", line: 1, suggestion: "```ts\nx\n```" },
      { title: "M", severity: "low", file: "a.ts", line: 1, suggestion: "<!-- loom:finding/review/F1 -->" },
    ];
    const result = read(yaml(JSON.stringify({ loom_findings: { summary: long, findings } })));
    expect(result.summary.length).toBeLessThan(2_100);
    expect(result.findings[0]?.title).toHaveLength(200);
    expect(result.findings[0]?.body).toMatch(/… \(\d+ more characters\)$/);
    expect(
      result.findings.map(({ title, suggestion }) => [title.slice(0, 10), suggestion]),
    ).toMatchInlineSnapshot(`
      [
        [
          "word word ",
          null,
        ],
        [
          "First line",
          null,
        ],
        [
          "S",
          null,
        ],
        [
          "D",
          null,
        ],
        [
          "M",
          null,
        ],
      ]
    `);
    expect(result.notes).toMatchInlineSnapshot(`
      [
        "The text of 1 finding was too long and is cut.",
        "4 suggestions could not be used and were left out.",
        "2 entries of the agent's list could not be read and were passed over.",
      ]
    `);
  });

  it("get ids that no other has, and keep those they had", () => {
    const findings =
      "loom_findings:\n  findings: [{ title: A }, { title: B, id: F2 }, { title: C, id: F2 }, { title: D, id: F9 }, { title: E, id: '../x' }]";
    expect(read(yaml(findings), ["F1", "F2"]).findings.map(({ id, title }) => `${id} ${title}`)).toEqual([
      "F3 A",
      "F2 B",
      "F4 C",
      "F5 D",
      "F6 E",
    ]);
  });

  it("say what became of earlier ones, if those are known", () => {
    const became = (text: string): AuditResult =>
      read(yaml(`loom_findings:\n  findings: []\n  earlier: ${text}`), ["F1", "F2", "F3"]);
    expect(
      became("[{ id: F1, state: fixed }, { id: f2, state: Resolved }, { id: F3, status: open }]").earlier,
    ).toEqual([
      { id: "F1", state: "fixed" },
      { id: "F2", state: "fixed" },
      { id: "F3", state: "stands" },
    ]);
    expect(became("{ F1: fixed, F2: stands }").earlier).toEqual([
      { id: "F1", state: "fixed" },
      { id: "F2", state: "stands" },
    ]);
    expect(became("[{ id: F1, state: fixed }, { id: F1, state: stands }]").earlier).toEqual([
      { id: "F1", state: "stands" },
    ]);
    expect(became("[{ id: F8, state: fixed }, F1]")).toMatchInlineSnapshot(`
      {
        "earlier": [],
        "findings": [],
        "notes": [
          "2 words about earlier findings named none that is known and were passed over.",
        ],
        "summary": "",
      }
    `);
    const again = read(
      yaml("loom_findings:\n  findings: [{ id: F1, title: T }]\n  earlier: [{ id: F1, state: fixed }]"),
      ["F1"],
    );
    expect(again).toMatchObject({ findings: [{ id: "F1" }], earlier: [] });
  });
});

describe("broken YAML", () => {
  it("is fixed where the keys show what was meant", () => {
    const broken = [
      "loom_findings:",
      "  summary: Two things: one, and another",
      "  findings:",
      "    - severity: high",
      "      title: `sum` is wrong: it rounds twice",
      "      file: src/a.ts",
      "      line: 12",
      "      body: |",
      "        First line.",
      "",
      "    Slipped out of its block: it did.",
      "      suggestion: |",
      "          if (a) {",
      "            b();",
      "          }",
      '    - title: "Quoted" and then not',
      "\tseverity: low",
      "      body: @team is mentioned",
      "        and it goes on: here",
      "  earlier:",
      "    - {id: F1, state: fixed}",
      "    - id: F2",
      "      state: stands",
    ].join("\n");
    expect(read(yaml(broken), ["F1", "F2"])).toMatchInlineSnapshot(`
      {
        "earlier": [
          {
            "id": "F1",
            "state": "fixed",
          },
          {
            "id": "F2",
            "state": "stands",
          },
        ],
        "findings": [
          {
            "body": "First line.

      Slipped out of its block: it did.",
            "endLine": null,
            "file": "src/a.ts",
            "id": "F3",
            "line": 12,
            "severity": "high",
            "suggestion": "if (a) {
        b();
      }",
            "title": "\`sum\` is wrong: it rounds twice",
          },
          {
            "body": "@team is mentioned
      and it goes on: here",
            "endLine": null,
            "file": null,
            "id": "F4",
            "line": null,
            "severity": "low",
            "suggestion": null,
            "title": ""Quoted" and then not",
          },
        ],
        "notes": [
          "The agent's answer was not in the form it was asked for; what could be read of it is here.",
        ],
        "summary": "Two things: one, and another",
      }
    `);
  });

  it("of JSON over many lines is fixed as well", () => {
    const broken = [
      "{",
      '  "loom_findings": {',
      '    "summary": "Two "things".",',
      '    "findings": [',
      "      {",
      '        "severity": "high",',
      '        "title": "Raw SQL",',
      '        "file": "src/a.ts",',
      '        "line": 3,',
      '        "end_line": null,',
      '        "body": "He writes "raw" SQL.\\nTwice."',
      "      },",
      "      {",
      '        "severity": "low",',
      '        "title": "No test",',
      '        "file": null,',
      '        "body": "None."',
      "      }",
      "    ],",
      '    "earlier": []',
      "  }",
      "}",
    ].join("\n");
    expect(read(yaml(broken))).toMatchObject({
      summary: 'Two "things".',
      findings: [
        {
          severity: "high",
          title: "Raw SQL",
          file: "src/a.ts",
          line: 3,
          endLine: null,
          body: 'He writes "raw" SQL.\nTwice.',
        },
        { severity: "low", title: "No test", file: null, body: "None." },
      ],
    });
  });

  it.each([
    ["a quote in JSON", '{"loom_findings": {"findings": [{"title": "T", "body": "He writes "raw" SQL."}]}}'],
    [
      "a quote in a list in one line",
      'loom_findings:\n  findings: [{title: T, body: "He writes "raw" SQL."}]\n  earlier: []',
    ],
    [
      "a quote in a list of such lines",
      'loom_findings:\n  findings: [\n    {title: T, body: "He writes "raw" SQL."},\n    {title: U}\n  ]\n  earlier: []',
    ],
    ["an item in one line", 'loom_findings:\n  findings:\n    - {title: T, body: "a "raw" b"}'],
    ["the end of the answer", 'loom_findings:\n  summary: S\n  findings: [{title: "T", body: "He wr'],
    ["keys that nobody knows", "loom_findings:\n  findings:\n    - what: T\n      why: `D: E"],
    ["entries that say nothing", "loom_findings:\n  findings:\n    - what: T\n    - 7"],
    ["groups that nobody knows", "loom_findings:\n  findings:\n    src/a.ts:\n      - title: T"],
    [
      "a list under another key",
      "loom_findings:\n  summary: |\n    My findings: none\n  results: [{title: T}]",
    ],
  ])("is not taken for nothing where it breaks at %s", (_, block) => {
    expect(readAudit(`\`\`\`yaml\n${block}\n\`\`\``)).toMatchObject({ kind: "unreadable" });
  });

  it.each([
    ["a broken summary", "loom_findings:\n  summary: `a: b\n  findings: []"],
    ["a broken summary, and an empty list below", "loom_findings:\n  summary: `a: b\n  findings:\n    []"],
    ["a broken summary in JSON", '{\n "summary": "a "b" c",\n "findings": [],\n "earlier": []\n}'],
    ["a key with nothing behind it", "loom_findings:\n  summary: S\n  findings:\n  earlier: []"],
    ["null", '{"loom_findings": {"summary": "S", "findings": null}}'],
    ["nothing of any severity", "loom_findings:\n  findings: { critical: [], high: [] }"],
    ["a word for it", "loom_findings:\n  summary: S\n  findings: none"],
    ["a sentence for it", "loom_findings:\n  findings: No issues were found."],
  ])("that says that nothing was found is believed: %s", (_, block) => {
    expect(read(`\`\`\`yaml\n${block}\n\`\`\``).findings).toEqual([]);
  });

  it("goes back to the agent where they don't", () => {
    const problem = (text: string): string => {
      const reading = readAudit(text);
      return reading.kind === "unreadable" ? reading.problem : "read";
    };
    expect(
      [
        "I found nothing.",
        "",
        yaml("loom_findings: nothing"),
        yaml("loom_findings:\n  summary: S"),
        yaml("loom_findings:\n  findings: [{ what: T }]"),
        '```json\n{"loom_findings": {"findings": [{"title": "a "b" c"}]}}\n```',
        '```json\n{"loom_findings": {"findings": [{"title": "cut o',
        yaml(`loom_findings:\n  summary: ${"x".repeat(200_001)}`),
      ].map(problem),
    ).toMatchInlineSnapshot(`
      [
        "Your last message has no \`loom_findings\` block. End with one fenced block of YAML that begins with \`loom_findings:\`, in the form that you were given.",
        "Your last message has no \`loom_findings\` block. End with one fenced block of YAML that begins with \`loom_findings:\`, in the form that you were given.",
        "Your \`loom_findings\` block is no YAML mapping. End with one fenced block of YAML that begins with \`loom_findings:\`, in the form that you were given.",
        "Your \`loom_findings\` block has no \`findings\`. If you found nothing, write \`findings: []\`.",
        "None of the entries under \`findings\` can be read: each needs a \`severity\`, a \`title\` and a \`body\`. End with one fenced block of YAML that begins with \`loom_findings:\`, in the form that you were given.",
        "Your \`loom_findings\` block can't be read as YAML: line 1: Unexpected scalar at node end. End with one fenced block of YAML that begins with \`loom_findings:\`, in the form that you were given.",
        "Your \`loom_findings\` block can't be read as YAML: line 1: Missing closing "quote. End with one fenced block of YAML that begins with \`loom_findings:\`, in the form that you were given.",
        "Your \`loom_findings\` block is longer than 200000 characters. Keep the most severe findings and shorten their texts.",
      ]
    `);
  });

  it("of any kind never throws and stays in bounds", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "```yaml\n",
        "```\n",
        "loom_findings:\n",
        "  findings:\n",
        "    - ",
        "title: ",
        "body: |\n",
        "line: ",
        "12-14",
        "\n",
        "\t",
        "  ",
        "'",
        '"',
        "[",
        "]",
        "{",
        "}",
        "&a ",
        "*a ",
        "- {id: F1, state: fixed}\n",
        "earlier:\n",
        "suggestion: |\n",
        "severity: ",
        "file: ",
        "src/a.ts",
        ":",
        ",",
        "~~~",
        "<!-- loom -->",
        "@",
      ),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 50 }), (pieces) => {
        const reading = readAudit(`\`\`\`yaml\nloom_findings:\n  findings:\n${pieces.join("")}`, {
          earlier: { open: [earlier("F1")], settled: [], ids: ["F1"] },
        });
        if (reading.kind === "unreadable") expect(reading.problem).toMatch(/\.$/);
        else {
          const result = auditResultSchema.parse(reading.result);
          expect(new Set(result.findings.map(({ id }) => id)).size).toBe(result.findings.length);
          for (const { line, endLine, file } of result.findings) {
            if (file === null) expect(line).toBeNull();
            if (endLine !== null) expect(endLine).toBeGreaterThan(line ?? endLine);
          }
        }
      }),
      { numRuns: propertyRuns(6) },
    );
  });

  it.each([
    ["brackets", "[".repeat(190_000)],
    ["items", "    - title: a\n".repeat(12_000)],
    ["broken items", "    - title: `a: b\n".repeat(9_000)],
    ["one broken text", `    - title: \`a\n      body: |\n${"        x: y\n".repeat(14_000)}`],
    ["spaces", `    - title:${" ".repeat(190_000)}\`x`],
    ["fences", "```yaml\nloom_findings\n".repeat(12_000)],
    ["aliases", `a: &a [1]\n${"b: *a\n".repeat(15_000)}`],
  ])("of many %s takes its time only once", (_, text) => {
    const before = process.cpuUsage();
    readAudit(`\`\`\`yaml\nloom_findings:\n  findings:\n${text}\n\`\`\``);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(4_000);
  });
});
