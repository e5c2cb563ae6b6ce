import { describe, expect, it } from "vitest";
import { planReportJson, renderPlanReport } from "../../../../src/core/report/commands/plan-report.ts";
import { read, withStages } from "../../../support/read-plans.ts";

const GOOD = withStages(`
- { id: base, acceptance: [npm test] }
- { id: left, acceptance: [npm test], dependencies: [base] }
- { id: right, acceptance: [npm test], dependencies: [base] }
- { id: verify, stage_type: integration-verify, dependencies: [left, right] }
`);
const BAD = withStages(
  "- { id: a, dependencies: [b] }\n- { id: b, dependencies: [a] }\n- { id: c, acceptance: [npm test] }",
);

function report(text: string): string {
  return renderPlanReport(read(text), { file: "docs/PLAN.md" });
}

describe("renderPlanReport", () => {
  it("shows how the stages of a valid plan follow each other", () => {
    expect(report(GOOD)).toMatchInlineSnapshot(`
      "docs/PLAN.md is valid.

        level  stages
            1  base
            2  left, right
            3  verify

      4 stages in 3 levels. 2 of 4 stages can run beside others, 2 at a time.

      Critical path (3 stages): base → left → verify
      "
    `);
  });

  it("shows what the plan asks of the sandbox", () => {
    const stages = `- { id: base, acceptance: [npm test], sandbox: { network: { setup: [p.example.com] }, excluded_commands: ["rm\\e[31m -rf"] } }`;
    const fields =
      "  sandbox: { network: { allowed_domains: [a.example.com] }, filesystem: { allow_write: [docs/**] } }\n";
    expect(report(withStages(stages, fields))).toMatchInlineSnapshot(`
      "docs/PLAN.md is valid.

        level  stages
            1  base

      1 stage in 1 level.

      Critical path (1 stage): base

      Asks of the sandbox:
        Agents may reach: a.example.com
        Set-up commands may reach: p.example.com (base)
        Agents may write: docs/**
        Agents may not run: rm -rf (base)
      "
    `);
  });

  it("shows every problem with its place and what to do", () => {
    expect(report(BAD)).toMatchInlineSnapshot(`
      "docs/PLAN.md:7: error: These stages wait for each other: a → b → a.
          Remove one of these dependencies.

      docs/PLAN.md:7: warning: Nothing proves the stage \`a\`.
          Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.

      docs/PLAN.md:8: warning: Nothing proves the stage \`b\`.
          Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.

      docs/PLAN.md is not valid: 1 error, 2 warnings.
      "
    `);
  });

  it("says it when a plan is valid but not without remarks", () => {
    expect(report(withStages("- id: alone"))).toMatchInlineSnapshot(`
      "docs/PLAN.md:7: warning: Nothing proves the stage \`alone\`.
          Add \`acceptance\`, such as a test command, or \`truths\`, \`artifacts\` or \`wiring\`.

      docs/PLAN.md is valid, with 1 warning.

        level  stages
            1  alone

      1 stage in 1 level.

      Critical path (1 stage): alone
      "
    `);
  });

  it("cuts what is too much, and counts it", () => {
    const stages = Array.from(
      { length: 60 },
      (_, n) => `- { id: s${n}, dependencies: [${n > 14 ? `s${n - 1}` : ""}] }`,
    );
    const lines = report(withStages(stages.join("\n"))).split("\n");
    expect(lines.filter((line) => line.includes("…"))).toMatchInlineSnapshot(`
      [
        "… and 10 more problems.",
        "      1  s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, … (3 more)",
        "      …  and 6 more levels",
        "Critical path (46 stages): s14 → s15 → s16 → s17 → s18 → s19 → s20 → s21 → s22 → s23 → s24 → s25 → s26 → s27 → s28 → s29 → s30 → s31 → s32 → s33 → … (26 more)",
      ]
    `);
  });

  it("does not let a plan write into the terminal", () => {
    const text = report(withStages('- { id: "a\\e[31m\\rb", name: x }'));
    expect(text).not.toMatch(/[\u001b\r]/);
  });
});

describe("planReportJson", () => {
  it("has the graph of a valid plan", () => {
    expect(planReportJson(read(GOOD))).toMatchInlineSnapshot(`
      {
        "problems": [],
        "profile": {
          "batches": [
            [
              "base",
            ],
            [
              "left",
              "right",
            ],
            [
              "verify",
            ],
          ],
          "criticalPath": [
            "base",
            "left",
            "verify",
          ],
          "levels": 3,
          "parallelEligible": 2,
          "stages": 4,
          "width": 2,
        },
        "stages": [
          {
            "dependencies": [],
            "id": "base",
            "level": 0,
          },
          {
            "dependencies": [
              "base",
            ],
            "id": "left",
            "level": 1,
          },
          {
            "dependencies": [
              "base",
            ],
            "id": "right",
            "level": 1,
          },
          {
            "dependencies": [
              "left",
              "right",
            ],
            "id": "verify",
            "level": 2,
          },
        ],
        "valid": true,
      }
    `);
  });

  it("has no stages when they make no graph", () => {
    expect(planReportJson(read(BAD))).toMatchObject({ valid: false, stages: [], profile: null });
  });

  it("puts synthesis stages last", () => {
    const json = planReportJson(read(withStages("- { id: all, synthesis: true }\n- { id: a }")));
    expect(json.stages.map(({ id, level }) => [id, level])).toEqual([
      ["all", 1],
      ["a", 0],
    ]);
    expect(json.profile).toMatchObject({ levels: 2, width: 1, criticalPath: ["a", "all"] });
  });

  it("has the graph of a plan with other mistakes", () => {
    const json = planReportJson(read(withStages("- { id: a, retries: many }")));
    expect(json).toEqual({
      valid: false,
      problems: [
        {
          severity: "error",
          path: "stages[0].retries",
          line: 7,
          message: "`retries` must be a whole number, but is `many`.",
          fix: "Write, for example, `retries: 2`.",
        },
      ],
      stages: [{ id: "a", level: 0, dependencies: [] }],
      profile: { stages: 1, levels: 1, width: 1, parallelEligible: 0, batches: [["a"]], criticalPath: ["a"] },
    });
  });
});
