import { describe, expect, it } from "vitest";
import type { ParseOptions } from "../../../../src/core/plan/read/parse-plan.ts";
import { compileUnits } from "../../../../src/core/plan/read/parse-units.ts";
import { renderPlanReport } from "../../../../src/core/report/commands/plan-report.ts";
import { told } from "../../../support/read-plans.ts";

const ELSEWHERE: ParseOptions = { origin: "elsewhere" };

function compile(files: Record<string, string>, options = ELSEWHERE) {
  return compileUnits(
    Object.entries(files).map(([name, text]) => ({ name, text })),
    options,
  );
}

describe("compileUnits", () => {
  it("makes a stage of each unit, one after the other", () => {
    const { plan, graph, problems } = compile({
      "10-last.md": "Do the last thing.\n",
      "02-migrate-store.md":
        "---\neffort: high\ntimeout_secs: 21600\nno_progress_secs: 0\nacceptance: [npm test]\n---\n# Migrate the store\n\nMove it.\n",
      "01-first_step.md": "Start.\n",
      "PROGRESS.md": "not a unit",
    });
    expect(plan?.stages.map(({ id, name, dependencies }) => [id, name, dependencies])).toEqual([
      ["first-step", "first step", []],
      ["migrate-store", "Migrate the store", ["first-step"]],
      ["last", "last", ["migrate-store"]],
    ]);
    expect(plan?.stages[1]).toMatchObject({
      effort: "high",
      timeoutSecs: 21_600,
      noProgressSecs: 0,
      description: "# Migrate the store\n\nMove it.",
      acceptance: [{ command: "npm test" }],
    });
    expect(graph?.order).toEqual(["first-step", "migrate-store", "last"]);
    expect(problems.every(({ severity }) => severity === "warning")).toBe(true);
  });

  it("lets a unit name what it depends on, by id or by file", () => {
    const { plan } = compile({
      "01-a.md": "A",
      "02-b.md": "---\ndependencies: []\n---\nB",
      "03-c.md": "---\ndepends_on: [01-a, 02-b.md]\n---\nC",
    });
    expect(plan?.stages.map(({ dependencies }) => dependencies)).toEqual([[], [], ["a", "b"]]);
  });

  it("names the file and the line in it when something is wrong", () => {
    const parsed = compile({
      "01-a.md": "---\neffort: heroic\nretries: many\n---\nA",
      "02-a.md": "B",
      "03-c.md": "---\nfoo: [\n---\nC",
      "04-d.md": "---\neffort: low\nnever closed",
      "05-e.md": "\n",
      "06-f.md": "---\n- list\n---\nF",
      "07-g.md": "---\ndependencies: [nowhere]\n---\nG",
    });
    expect(told(parsed.problems.filter(({ severity }) => severity === "error"))).toMatchInlineSnapshot(`
      [
        "2 error 01-a.md: effort: \`heroic\` is not an effort. | Write \`low\`, \`medium\` or \`high\`.",
        "3 error 01-a.md: retries: \`retries\` must be a whole number, but is \`many\`. | Write, for example, \`retries: 2\`.",
        "1 error 02-a.md: id: The id \`a\` is taken by the stage in 01-a.md. | Give each stage an id of its own.",
        "3 error 03-c.md: The YAML can't be used here: flow sequence in block collection must be sufficiently indented and end with a ]. | Indent it like its neighbours, with spaces; close every bracket.",
        "1 error 04-d.md: The block that opens with \`---\` is never closed. | Close it with a line \`---\`.",
        "- error 05-e.md: The file does not say what to do. | Write it below the \`---\` block.",
        "2 error 06-f.md: The block above the text has to be a mapping. | Write lines such as \`effort: high\`.",
        "2 error 07-g.md: dependencies[0]: There is no stage \`nowhere\` to depend on. | Name the id of a stage of this plan.",
      ]
    `);
    expect(renderPlanReport(parsed, { file: "docs/units/" }).split("\n").slice(0, 2)).toMatchInlineSnapshot(`
      [
        "docs/units/01-a.md:2: error: \`heroic\` is not an effort.",
        "    Write \`low\`, \`medium\` or \`high\`.",
      ]
    `);
  });

  it("needs a unit", () => {
    expect(told(compile({ "README.md": "x" }).problems)).toMatchInlineSnapshot(`
      [
        "- error -: There is no unit file. | Name the files like \`01-first-step.md\`.",
      ]
    `);
  });

  it("reads units from Windows", () => {
    const { plan } = compile({ "01-a.md": "\uFEFF---\r\neffort: low\r\n---\r\n# Title\r\n\r\nText\r\n" });
    expect(plan?.stages[0]).toMatchObject({ effort: "low", name: "Title" });
  });
});
