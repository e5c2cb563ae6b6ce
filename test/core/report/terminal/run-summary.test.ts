import { describe, expect, it } from "vitest";
import { finishedJson } from "../../../../src/core/report/commands/finished-json.ts";
import {
  alreadyBuilt,
  type RunEndStatus,
  renderSummary,
} from "../../../../src/core/report/terminal/run-summary.ts";
import { aRun, CALCULATOR, failure } from "../../../support/a-run.ts";

function summary(story: ReturnType<typeof aRun>, status: RunEndStatus, width?: number): string {
  const options = { status, elapsedMs: story.now - Date.parse(story.run.createdAt), now: story.now };
  return renderSummary(story.run, { ...options, ...(width === undefined ? {} : { width }) });
}

function started() {
  const story = aRun(CALCULATOR)
    .at(1)
    .starts("lexer")
    .at(13)
    .passes("lexer")
    .at(14)
    .starts("parser")
    .starts("printer");
  return story
    .at(20)
    .fails("parser", failure("no-change", "Nothing."))
    .starts("parser")
    .at(31)
    .passes("printer")
    .at(95)
    .passes("parser");
}

describe("the summary of a run", () => {
  it("lists what was merged in the order it was, and where to look", () => {
    const story = started().starts("docs").starts("evaluator").at(110.5).passes("docs").passes("evaluator");
    story
      .starts("command-line")
      .at(112)
      .passes("command-line")
      .starts("check-it-all")
      .at(113)
      .passes("check-it-all");
    expect(summary(story.finishes("completed").records(), "completed")).toMatchInlineSnapshot(`
      "Run calc-3f2a1b completed in 1m 53s: 7 of 7 stages merged into main.

      Merged, in this order
        1  ba4a3f2  lexer         1 attempt      12s
        2  c878f88  printer       1 attempt      17s
        3  5bb4ab4  parser        2 attempts  1m 21s
        4  d18d94b  docs          1 attempt      16s
        5  640e52a  evaluator     1 attempt      16s
        6  33790e8  command-line  1 attempt     1.5s
        7  96a32de  check-it-all  1 attempt     1.0s

      Where to look
        git log main           one commit per stage
        .loom/calc-3f2a1b/     plan, progress, history, reports
        loom logs calc-3f2a1b  what the agents wrote
      "
    `);
  });

  it("says for a blocked run what is in the way and what can be done about it", () => {
    const story = started().starts("evaluator").at(200);
    const why = failure("checks-failed", "1 of 2 checks failed: `npm test` exited with 1.");
    story.fails("evaluator", why).blocks("evaluator", why);
    for (const id of ["command-line", "check-it-all"])
      story.blocks(id, failure("dependency", "It waits for evaluator, which is blocked."));
    story.skips("docs", "skipped by sam").finishes("blocked");
    expect(summary(story, "blocked")).toMatchInlineSnapshot(`
      "Run calc-3f2a1b is blocked after 3m 20s: 3 of 7 stages merged into main; the rest needs you.

      Merged, in this order
        1  ba4a3f2  lexer    1 attempt      12s
        2  c878f88  printer  1 attempt      17s
        3  5bb4ab4  parser   2 attempts  1m 21s

      Blocked
        evaluator: 1 of 2 checks failed: \`npm test\` exited with 1.
          The output of the failed checks stands in \`loom logs calc-3f2a1b evaluator\`. Give the agent fresh attempts with \`loom retry calc-3f2a1b evaluator\`, or fix it yourself and go on with \`loom skip calc-3f2a1b evaluator\`.
        Waiting behind: command-line, check-it-all

      Skipped
        docs: skipped by sam

      Where to look
        git log main             one commit per stage
        loom status calc-3f2a1b  every stage at a glance
        loom logs calc-3f2a1b    what the agents wrote
      "
    `);
    expect(summary(story, "blocked", 60)).toMatchInlineSnapshot(`
      "Run calc-3f2a1b is blocked after 3m 20s: 3 of 7 stages
      merged into main; the rest needs you.

      Merged, in this order
        1  ba4a3f2  lexer    1 attempt      12s
        2  c878f88  printer  1 attempt      17s
        3  5bb4ab4  parser   2 attempts  1m 21s

      Blocked
        evaluator: 1 of 2 checks failed: \`npm test\` exited with 1.
          The output of the failed checks stands in
          \`loom logs calc-3f2a1b evaluator\`. Give the agent fresh
          attempts with \`loom retry calc-3f2a1b evaluator\`, or fix
          it yourself and go on with
          \`loom skip calc-3f2a1b evaluator\`.
        Waiting behind: command-line, check-it-all

      Skipped
        docs: skipped by sam

      Where to look
        git log main             one commit per stage
        loom status calc-3f2a1b  every stage at a glance
        loom logs calc-3f2a1b    what the agents wrote
      "
    `);
  });

  it("says for a failed run that a critical stage stopped it", () => {
    const story = aRun([{ id: "base", critical: true }, { id: "rest" }])
      .starts("base")
      .at(9);
    const why = failure("agent-failed", "The agent ended with exit code 2.");
    story.fails("base", why).blocks("base", why);
    story
      .blocks("rest", failure("dependency", "It waits for the critical stage base, which is blocked."))
      .finishes("failed");
    expect(summary(story, "failed")).toMatchInlineSnapshot(`
      "Run calc-3f2a1b failed after 9.0s: a critical stage is blocked, so the rest was not started. 0 of 2 stages merged into main.

      Blocked
        base: The agent ended with exit code 2.
          See what the agent wrote with \`loom logs calc-3f2a1b base\`. Give it fresh attempts with \`loom retry calc-3f2a1b base\`, or do the work yourself and go on with \`loom skip calc-3f2a1b base\`.
        Waiting behind: rest

      Where to look
        loom status calc-3f2a1b  every stage at a glance
        loom logs calc-3f2a1b    what the agents wrote
      "
    `);
  });

  it("says for a cancelled run that what was merged stays", () => {
    const story = started();
    for (const id of ["evaluator", "docs", "command-line", "check-it-all"])
      story.skips(id, "The run was cancelled.");
    expect(summary(story.finishes("cancelled"), "cancelled")).toMatchInlineSnapshot(`
      "Run calc-3f2a1b was cancelled after 1m 35s: 3 of 7 stages merged into main, and stay there.

      Merged, in this order
        1  ba4a3f2  lexer    1 attempt      12s
        2  c878f88  printer  1 attempt      17s
        3  5bb4ab4  parser   2 attempts  1m 21s

      Skipped
        docs, evaluator, command-line, check-it-all: The run was cancelled.

      Where to look
        git log main             one commit per stage
        loom status calc-3f2a1b  every stage at a glance
        loom logs calc-3f2a1b    what the agents wrote
      "
    `);
  });

  it("says how to answer a question", () => {
    expect(
      summary(
        aRun([{ id: "docs" }])
          .starts("docs")
          .asks("docs", "Tabs or spaces?"),
        "waiting",
      ),
    ).toMatchInlineSnapshot(`
      "Run calc-3f2a1b waits for your answer: 0 of 1 stage merged into main so far.

      Waiting for your answer
        docs asks: Tabs or spaces?
          Answer with \`loom answer calc-3f2a1b docs "…"\`.

      Where to look
        loom status calc-3f2a1b  every stage at a glance
        loom logs calc-3f2a1b    what the agents wrote
      "
    `);
  });

  it("says for an interrupted run how to go on", () => {
    expect(summary(started().starts("docs"), "interrupted")).toMatchInlineSnapshot(`
      "Run calc-3f2a1b was interrupted after 1m 35s: 3 of 7 stages merged into main. Its state is kept; \`loom resume calc-3f2a1b\` goes on.

      Merged, in this order
        1  ba4a3f2  lexer    1 attempt      12s
        2  c878f88  printer  1 attempt      17s
        3  5bb4ab4  parser   2 attempts  1m 21s

      Where to look
        git log main             one commit per stage
        loom status calc-3f2a1b  every stage at a glance
        loom logs calc-3f2a1b    what the agents wrote
      "
    `);
  });

  it("says that a plan is already built", () => {
    const story = aRun([{ id: "one" }, { id: "two" }])
      .starts("one")
      .passes("one")
      .starts("two")
      .passes("two");
    expect(alreadyBuilt(story.finishes("completed").run)).toMatchInlineSnapshot(
      `"This plan is already built: all 2 stages are in main (run calc-3f2a1b). \`loom run PLAN.md --clean\` starts it over."`,
    );
  });
});

describe("the last line in JSON", () => {
  it("has the state of every stage, its own commit, and the one on the target", () => {
    const story = aRun([
      { id: "one" },
      { id: "two", dependencies: ["one"] },
      { id: "three", dependencies: ["two"] },
    ]);
    story.starts("one").passes("one").starts("two").commits("two");
    expect(JSON.stringify(finishedJson(story.run, "interrupted", 1234), null, 1)).toMatchInlineSnapshot(`
      "{
       "type": "run-finished",
       "run": "calc-3f2a1b",
       "status": "interrupted",
       "stages": {
        "one": {
         "state": "completed",
         "attempts": 1,
         "commit": "ecd3ecf5ecd3ecf5ecd3ecf5ecd3ecf5ecd3ecf5",
         "merged": "6ec2b7366ec2b7366ec2b7366ec2b7366ec2b736"
        },
        "two": {
         "state": "executing",
         "attempts": 1,
         "commit": "3ed5fec73ed5fec73ed5fec73ed5fec73ed5fec7",
         "merged": null
        },
        "three": {
         "state": "waiting-for-deps",
         "attempts": 0,
         "commit": null,
         "merged": null
        }
       },
       "elapsedMs": 1234
      }"
    `);
  });
});
