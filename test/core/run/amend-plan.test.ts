import { describe, expect, it } from "vitest";
import type { Plan } from "../../../src/core/plan/plan.ts";
import { parsePlan } from "../../../src/core/plan/read/parse-plan.ts";
import { amendTexts } from "../../../src/core/report/texts/amend-texts.ts";
import { type Amendment, amendPlan } from "../../../src/core/run/amend-plan.ts";
import type { Run } from "../../../src/core/run/run.ts";
import { aRun, failure } from "../../support/a-run.ts";
import { planText, type StageFields } from "../../support/plan-text.ts";

const STAGES: StageFields[] = [
  { id: "core" },
  { id: "api", dependencies: ["core"] },
  { id: "page", dependencies: ["core"] },
  { id: "docs", dependencies: ["api", "page"] },
];

function planOf(stages: readonly StageFields[], fields: Record<string, unknown> = {}): Plan {
  const { plan, problems } = parsePlan(planText(stages, fields), { origin: "elsewhere" });
  if (!plan) throw new Error(problems[0]?.message);
  return plan;
}

const without = (id: string): StageFields[] => STAGES.filter((stage) => stage.id !== id);
const withStage = (id: string, fields: Record<string, unknown>): StageFields[] =>
  STAGES.map((stage) => (stage.id === id ? { ...stage, ...fields } : stage));

/** `core` is merged, `api` is open as #7, `page` is being worked on. */
function midway(): Run {
  const story = aRun(STAGES).starts("core").passes("core").starts("api").starts("page");
  story.commits("api").verifies("api");
  story.add({
    type: "stage-published",
    at: new Date(story.now).toISOString(),
    stage: "api",
    attempt: 1,
    commit: story.run.stages.get("api")?.commit ?? "",
    branch: `loom/${story.run.id}/api`,
    pr: 7,
  });
  return story.run;
}

const problemsOf = (amendment: Amendment): readonly string[] =>
  amendment.kind === "refused" ? amendment.problems.map(amendTexts.problem) : [amendment.kind];

describe("a changed plan", () => {
  it("is no change when it only looks different", () => {
    const moved = planOf(
      [...STAGES].map((one) => ({ ...one, dependencies: one.dependencies ?? [] })).toReversed(),
    );
    expect(amendPlan(midway(), moved)).toEqual({ kind: "unchanged" });
  });

  it("may add, change and remove what is not finished", () => {
    const next = planOf([
      { id: "core", name: "The core" },
      { id: "api", dependencies: ["core"] },
      { id: "page", dependencies: ["core"], description: "Do the page well." },
      { id: "help", dependencies: ["page"], files: ["help/**"] },
    ]);
    expect(amendPlan(midway(), next)).toEqual({
      kind: "amended",
      added: ["help"],
      removed: ["docs"],
      changed: [
        { id: "core", fields: ["name"] },
        { id: "page", fields: ["description"] },
      ],
      kept: ["core", "api"],
      fields: [],
    });
  });

  it("names what changes besides the stages", () => {
    const next = planOf(STAGES, {
      gate: ["npm test"],
      max_parallel: 2,
      sandbox: { network: { allowed_domains: ["example.com"] } },
    });
    expect(amendPlan(midway(), next)).toMatchObject({
      fields: ["max_parallel", "sandbox", "gate"],
      changed: [],
    });
  });

  it("can't touch what is merged, offered, left out or somebody's", () => {
    const by = { at: "2026-01-31T12:00:00Z", stage: "page", by: "mia" };
    const taken = aRun(STAGES)
      .starts("core")
      .passes("core")
      .skips("api", "Skipped by ada.")
      .starts("page")
      .add({ type: "stage-taken", ...by, branch: "loom/x/page" }).run;
    expect(
      [
        amendPlan(midway(), planOf(without("core").map((one) => ({ ...one, dependencies: [] })))),
        amendPlan(midway(), planOf(withStage("core", { description: "Do it again.", files: ["src/**"] }))),
        amendPlan(midway(), planOf(withStage("api", { dependencies: ["core", "page"] }))),
        amendPlan(taken, planOf([STAGES[0] ?? { id: "" }])),
      ].map((one) => problemsOf(one).join("\n")),
    ).toMatchInlineSnapshot(`
      [
        "\`core\` is merged, so it can't be removed. Leave it as it was, and add a stage that depends on \`core\` and changes its work.
      \`api\` is open as #7, so its \`dependencies\` can't change. Leave it as it was, and add a stage that depends on \`api\`; or close its pull request first, which stops the stage.",
        "\`core\` is merged, so its \`description\`, \`files\` can't change. Leave it as it was, and add a stage that depends on \`core\` and changes its work.",
        "\`api\` is open as #7, so its \`dependencies\` can't change. Leave it as it was, and add a stage that depends on \`api\`; or close its pull request first, which stops the stage.",
        "\`api\` is skipped, so it can't be removed. Leave it as it was, and add a new stage for what is to be done.
      \`page\` is in the hands of mia, so it can't be removed. Leave it as it was, and add a stage that depends on \`page\` and changes its work.",
      ]
    `);
  });

  it("can't add to what comes after everything, once that is done", () => {
    const stages = [{ id: "one" }, { id: "sum", synthesis: true }];
    const run = aRun(stages).starts("one").passes("one").starts("sum").passes("sum").run;
    expect(problemsOf(amendPlan(run, planOf([...stages, { id: "two" }])))).toMatchInlineSnapshot(`
      [
        "\`sum\` comes after all other stages and is merged, so nothing can be added (\`two\`). Plan that as a run of its own.",
      ]
    `);
    const open = aRun(stages).starts("one").passes("one").starts("sum").run;
    expect(amendPlan(open, planOf([...stages, { id: "two" }])).kind).toBe("amended");
  });

  it("may do anything to what is blocked, and reopens a run that ended so", () => {
    const run = aRun(STAGES)
      .starts("core")
      .fails("core", failure("refused", "No."))
      .blocks("core", failure("refused", "No."))
      .finishes("blocked").run;
    expect(amendPlan(run, planOf([{ id: "other" }]))).toMatchObject({ kind: "amended", kept: [] });
  });

  it("can't come to a run that is over, nor have more stages than the repository allows", () => {
    const done = aRun([{ id: "one" }])
      .starts("one")
      .passes("one")
      .finishes("completed").run;
    const at = "2026-01-31T12:00:00Z";
    const ending = aRun(STAGES).add({ type: "cancel-requested", at, by: "mia" }).run;
    const many = planOf([...STAGES, { id: "more" }]);
    expect([
      ...problemsOf(amendPlan(done, planOf([{ id: "one" }, { id: "two" }]))),
      ...problemsOf(amendPlan(ending, many)),
      ...problemsOf(amendPlan(midway(), many, { maxStages: 4 })),
      amendTexts.planMerged(7),
      amendTexts.planClosed(7),
      amendTexts.planClosed(null),
      amendTexts.editedMeanwhile("1a2b3c4d5e6f"),
      amendTexts.editRefused("1a2b3c4d5e6f", "PLAN.md", "It has no block. Add one."),
      amendTexts.changedMeanwhile(),
      amendTexts.busy(),
      amendTexts.brokenConfig(),
      amendTexts.noPlan(),
      amendTexts.missing("PLAN.md"),
      amendTexts.tooLarge("PLAN.md"),
      ...amendTexts.errors([
        { severity: "warning", path: "", line: null, message: "It only warns.", fix: "Look." },
        { severity: "error", path: "stages[1].files", line: 12, message: "A.", fix: "B." },
      ]),
    ]).toMatchInlineSnapshot(`
      [
        "The run is completed, so its plan can't change. \`/loom run\` on an issue starts a new one.",
        "The run is cancelled, so its plan can't change. \`/loom run\` on an issue starts a new one.",
        "The plan has 5 stages now, and this repository allows 4 (\`limits.max_stages\`). Split it into two runs.",
        "The plan's pull request #7 is merged, so the plan can't change. Plan what is missing as a run of its own.",
        "The plan's pull request #7 is closed, so the plan can't change. Reopen it first.",
        "The plan's pull request is closed, so the plan can't change. Reopen it first.",
        "Somebody changed the plan on its branch meanwhile (\`1a2b3c4\`). Look at that first, then ask again.",
        "Somebody pushed a \`PLAN.md\` that Loom can't follow (\`1a2b3c4\`): It has no block. Add one. Push a fixed one, or the one from before, to the plan's branch, then ask again.",
        "Somebody changed the plan while you wrote. Make the requested change in the plan as it stands now.",
        "The plan is being changed by somebody else right now. Look at that first, then ask again.",
        "\`.github/loom.yml\` has mistakes, so that nobody knows what a plan may be here. Fix it first.",
        "There is no plan to change yet: it has not been opened as a pull request.",
        "\`PLAN.md\` is gone, or is no regular file. Put it back.",
        "\`PLAN.md\` is larger than a plan may be. Make it shorter.",
        "line 12, \`stages[1].files\`: A. B.",
      ]
    `);
  });

  it("is refused in one line for each problem, without what the parser shows of the format", () => {
    const { problems } = parsePlan("# A plan\n", { origin: "elsewhere" });
    expect(amendTexts.errors(problems)).toMatchInlineSnapshot(`
      [
        "The document has no YAML block with a top-level \`loom:\`. Add one.",
      ]
    `);
  });
});
