import { describe, expect, it } from "vitest";
import { renderLogIndex, renderLogs } from "../../../../src/core/report/terminal/log-lines.ts";
import { renderStatus, statusJson } from "../../../../src/core/report/terminal/run-status.ts";
import { renderRuns } from "../../../../src/core/report/terminal/runs-list.ts";
import { aRun, CALCULATOR, failure } from "../../../support/a-run.ts";

const formatTime = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");

function stuck() {
  const why = failure(
    "checks-failed",
    "1 of 2 checks failed: `npm test` exited with 1.",
    "\u001b[31mnot ok 3\u001b[0m\n",
  );
  const story = aRun(CALCULATOR.slice(0, 5))
    .at(1)
    .starts("lexer")
    .at(13)
    .passes("lexer")
    .starts("parser")
    .starts("printer");
  return story
    .starts("docs")
    .asks("docs", "Tabs or spaces?")
    .at(30)
    .fails("parser", why)
    .blocks("parser", why)
    .at(45);
}

const SIGNS = [
  {
    stage: "printer",
    attempt: 1,
    at: "2026-01-31T12:00:40Z",
    activity: "Edit src/printer.ts",
    contextPercent: 43,
  },
  { stage: "printer", attempt: 1, at: "2026-01-31T12:00:20Z", activity: "Read src/ast.ts" },
  { stage: "docs", attempt: 7, at: "2026-01-31T12:00:44Z", activity: "from another attempt" },
];

describe("loom status", () => {
  it("shows the table and what waits for a person", () => {
    const story = stuck();
    expect(
      renderStatus(story.run, SIGNS, { now: story.now, width: 90, color: false }),
    ).toMatchInlineSnapshot(`
      "calc-3f2a1b  into main with scripted                                                   45s
      ━━━━━────────────────────  20%  1/5 done · 1 needs you · 1 working · 1 blocked · 1 waiting

         lvl  stage      state         merged   elapsed  now
      ✓    1  lexer      merged        ba4a3f2      12s
      ✗    2  parser     blocked                    17s  1 of 2 checks failed: \`npm test\` exite…
      ●    2  printer    working                    32s  Edit src/printer.ts
      ?    2  docs       needs you                  32s  Tabs or spaces?
      ·    3  evaluator  waiting                         after parser

        docs asks: Tabs or spaces?
          Answer with \`loom answer calc-3f2a1b docs "…"\`.
        parser: 1 of 2 checks failed: \`npm test\` exited with 1.
          The output of the failed checks stands in \`loom logs calc-3f2a1b parser\`. Give the
          agent fresh attempts with \`loom retry calc-3f2a1b parser\`, or fix it yourself and go
          on with \`loom skip calc-3f2a1b parser\`.
      "
    `);
  });

  it("says when nobody drives the run", () => {
    const { run, now } = aRun([{ id: "build" }]).starts("build");
    const status = (driven: boolean): string =>
      renderStatus(run, [], { now, width: 80, color: false, driven });
    expect(status(false)).toContain("\n\nNo process drives this run; `loom resume calc-3f2a1b` goes on.\n");
    expect(status(true)).not.toContain("resume");
  });

  it("gives programs the same, uncut", () => {
    const story = stuck();
    const { stages, ...rest } = statusJson(story.run, SIGNS, story.now);
    expect(rest).toMatchInlineSnapshot(`
      {
        "elapsedMs": 45000,
        "finishedAt": null,
        "harness": "scripted",
        "name": "A plan",
        "run": "calc-3f2a1b",
        "startedAt": "2026-01-31T12:00:00.000Z",
        "status": "running",
        "target": "main",
        "usage": {
          "costUsd": 0.05,
          "inputTokens": 1200,
          "outputTokens": 340,
        },
        "usageBy": {
          "scripted": {
            "costUsd": 0.05,
            "inputTokens": 1200,
            "outputTokens": 340,
          },
        },
      }
    `);
    expect(stages.printer).toMatchInlineSnapshot(`
      {
        "activity": "Edit src/printer.ts",
        "attempts": 1,
        "commit": null,
        "deniedHosts": [],
        "dependencies": [
          "lexer",
        ],
        "elapsedMs": 32000,
        "failure": null,
        "lastSignAt": "2026-01-31T12:00:40.000Z",
        "level": 1,
        "merged": null,
        "notBefore": null,
        "phase": "working",
        "question": null,
        "session": {
          "contextPercent": 43,
          "harness": "scripted",
          "model": null,
          "state": "running",
        },
        "state": "executing",
        "usage": null,
        "usageBy": {},
        "warnings": [],
      }
    `);
    expect(stages.parser?.failure).toMatchInlineSnapshot(`
      {
        "kind": "checks-failed",
        "message": "1 of 2 checks failed: \`npm test\` exited with 1.",
      }
    `);
    expect(stages.docs?.question).toBe("Tabs or spaces?");
  });
});

describe("loom runs", () => {
  const runs = [
    aRun(CALCULATOR, { run: "calc-3f2a1b" }).at(75).run,
    aRun([{ id: "one" }], { run: "a-rather-long-name-of-a-plan-9c8b7a", target: "release/2.0" })
      .at(5)
      .starts("one")
      .passes("one")
      .finishes("completed").run,
  ];

  it("lists every run with how far it is", () => {
    const now = Date.parse("2026-01-31T12:01:15Z");
    expect(renderRuns(runs, { now, width: 100, color: false, formatTime }).join("\n")).toMatchInlineSnapshot(`
      "run                                  status     done  into         started             took
      calc-3f2a1b                          running     0/7  main         2026-01-31 12:00  1m 15s
      a-rather-long-name-of-a-plan-9c8b7a  completed   1/1  release/2.0  2026-01-31 12:00    5.0s"
    `);
    expect(renderRuns(runs, { now, width: 60, color: false, formatTime }).join("\n")).toMatchInlineSnapshot(`
      "run                                  status     done
      calc-3f2a1b                          running     0/7
      a-rather-long-name-of-a-plan-9c8b7a  completed   1/1"
    `);
    for (const line of renderRuns(runs, { now, width: 20, color: false, formatTime }))
      expect(line.length).toBeLessThanOrEqual(20);
  });

  it("says how to start the first one", () => {
    expect(renderRuns([], { now: 0, width: 80, color: false, formatTime })).toEqual([
      "No runs yet. `loom run PLAN.md` starts one.",
    ]);
  });
});

describe("loom logs", () => {
  it("shows what the agent wrote in each attempt, and the last failure", () => {
    const logs = [
      {
        attempt: 1,
        path: ".git/loom/r/logs/parser-1.log",
        text: "I read\n\u001b]0;pwned\u0007src/parser.ts\n",
      },
      { attempt: 2, path: ".git/loom/r/logs/parser-2.log", text: "" },
    ];
    expect(renderLogs(stuck().run, "parser", logs)).toMatchInlineSnapshot(`
      "== parser, attempt 1 (.git/loom/r/logs/parser-1.log)
      I read
      src/parser.ts

      == parser, attempt 2 (.git/loom/r/logs/parser-2.log)
      The agent wrote nothing.

      == The last failure
      1 of 2 checks failed: \`npm test\` exited with 1.
      not ok 3
      "
    `);
    expect(renderLogs(stuck().run, "evaluator", [])).toMatchInlineSnapshot(`
      "evaluator has no log: it has not been started yet.
      "
    `);
  });

  it("lists the stages that have something to read", () => {
    expect(renderLogIndex(stuck().run, new Set(["parser", "lexer"]))).toMatchInlineSnapshot(`
      "Logs of run calc-3f2a1b:
        lexer: merged, \`loom logs calc-3f2a1b lexer\`
        parser: blocked, \`loom logs calc-3f2a1b parser\`
      "
    `);
    expect(renderLogIndex(stuck().run, new Set())).toMatchInlineSnapshot(`
      "Run calc-3f2a1b has no logs yet.
      "
    `);
  });
});
