import { describe, expect, it } from "vitest";
import { readRepositoryConfig } from "../../../src/core/config/repository/read-repository-config.ts";
import { isId } from "../../../src/core/ids.ts";
import { runnerLabel } from "../../../src/core/plan/runner-label.ts";
import { aRun } from "../../support/a-run.ts";
import { problemsOf, stageFrom, withStages } from "../../support/read-plans.ts";

const NONE = [
  "@@",
  "___",
  "-gpu",
  ".gpu",
  "my runner",
  "a,b",
  "a/b",
  "a:b",
  "a*",
  "größe",
  "gpu\u200b",
  "ＧＰＵ",
  "аrm", // a Cyrillic letter
  "a".repeat(64),
  "nul",
  "con",
  "",
];

describe("the label of a runner", () => {
  it.each([
    ["gpu", "gpu"],
    ["Linux_Large", "linux-large"],
    ["linux.large", "linux-large"],
    ["X64", "x64"],
    ["ubuntu-22.04", "ubuntu-22-04"],
    ["gpu-", "gpu"],
  ])("that is written %s is %s, in plans, loom.yml and for workers", (written, label) => {
    expect(runnerLabel(written)).toBe(label);
    expect(stageFrom(`runs_on: ${written}\nacceptance: [x]`).runsOn).toBe(label);
    expect(readRepositoryConfig(`version: 1\nruns_on: ${written}\n`).config?.runsOn).toBe(label);
    expect(isId(label), "a queue can have it in its name").toBe(true);
  });

  it.each(NONE)("is not %j, and nothing runs anywhere because of it", (written) => {
    expect(runnerLabel(written)).toBeNull();
    const field = `runs_on: ${JSON.stringify(written)}`;
    const told = problemsOf(withStages(`- id: one\n  acceptance: [x]\n  ${field}`));
    expect(told.filter((line) => line.includes("error stages[0].runs_on"))).toHaveLength(1);
    expect(readRepositoryConfig(`version: 1\n${field}\n`).config).toBeNull();
  });

  it("is suggested where one is near", () => {
    const told = (written: string): string[] =>
      problemsOf(withStages(`- id: one\n  acceptance: [x]\n  runs_on: ${JSON.stringify(written)}`));
    expect([...told("My Runner"), ...told("@@")]).toMatchInlineSnapshot(`
      [
        "9 error stages[0].runs_on: \`runs_on\` must be a label of letters, digits and dashes, 63 at most, but is \`My Runner\`. | Write \`runs_on: my-runner\`.",
        "9 error stages[0].runs_on: \`runs_on\` must be a label of letters, digits and dashes, 63 at most, but is \`@@\`. | Write, for example, \`runs_on: linux\`.",
      ]
    `);
  });

  it("that a run under way has stays what it was", () => {
    const { run } = aRun([
      { id: "one", runs_on: "My Runner" },
      { id: "two", runs_on: "@@" },
    ]);
    expect([...run.stages.values()].map(({ plan }) => plan.runsOn)).toEqual(["my-runner", null]);
  });
});
