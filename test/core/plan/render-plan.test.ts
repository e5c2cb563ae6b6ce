import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Plan } from "../../../src/core/plan/plan.ts";
import { compileUnits } from "../../../src/core/plan/read/parse-units.ts";
import { renderPlan } from "../../../src/core/plan/render-plan.ts";
import { planText } from "../../support/plan-text.ts";
import { read, told } from "../../support/read-plans.ts";

function again(plan: Plan): unknown {
  const { plan: copy, problems } = read(renderPlan(plan));
  if (!copy) throw new Error(told(problems).join("\n"));
  return withoutLines(copy);
}

function withoutLines(plan: Plan): unknown {
  return { ...plan, stages: plan.stages.map((stage) => ({ ...stage, line: 0 })) };
}

describe("renderPlan", () => {
  it("keeps everything a folder of units says", () => {
    const { plan } = compileUnits(
      [
        {
          name: "01-a.md",
          text: "---\nno_progress_secs: 0\nsandbox: { enabled: false, filesystem: { denyRead: [a/] }, network: { setup: [a.example.com] }, limits: { file_mb: 5 } }\n---\nFence:\n```\nx\n```\n",
        },
        {
          name: "02-integration-verify.md",
          text: "---\nstage_type: standard\nretries: 0\nwiring: [{source: a, pattern: 'b(', literal: true}]\n---\nB\n",
        },
      ],
      { origin: "elsewhere" },
    );
    expect(plan && again(plan)).toEqual(plan && withoutLines(plan));
  });

  it("parses to the same plan, whatever the texts are", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
      .filter((one) => one.trim() !== "" && !one.includes("\0"));
    const stage = fc.record(
      {
        name: text,
        description: fc.array(text, { maxLength: 3 }).map((lines) => lines.join("\n")),
        acceptance: fc.array(
          fc.record({
            command: text,
            exit_code: fc.nat(255),
            stdout_contains: fc.array(text, { maxLength: 2 }),
          }),
          { maxLength: 2 },
        ),
        setup: fc.array(text, { maxLength: 2 }),
        effort: fc.constantFrom("low", "medium", "high"),
        stage_type: fc.constantFrom("standard", "knowledge", "code-review"),
        critical: fc.boolean(),
        timeout_secs: fc.integer({ min: 1, max: 1000 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(stage, { minLength: 1, maxLength: 3 }), (stages) => {
        const { plan, problems } = read(
          planText(stages.map((fields, index) => ({ id: `s${index}`, ...fields }))),
        );
        if (!plan) throw new Error(told(problems).join("\n"));
        expect(again(plan)).toEqual(withoutLines(plan));
      }),
    );
  });
});
