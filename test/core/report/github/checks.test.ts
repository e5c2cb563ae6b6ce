import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../../src/core/command/parse-commands.ts";
import { byteLength } from "../../../../src/core/markdown/cut-markdown.ts";
import { configCheck } from "../../../../src/core/report/github/plan/config-check.ts";
import { planCheck } from "../../../../src/core/report/github/plan/plan-check.ts";
import {
  type CheckReport,
  checkActions,
  checkReport,
} from "../../../../src/core/report/github/run/check-report.ts";
import { gateCheck } from "../../../../src/core/report/github/run/gate-check.ts";
import { stageCheck } from "../../../../src/core/report/github/run/stage-check.ts";
import type { StageCheckState } from "../../../../src/core/report/github/run/views.ts";
import { branch, leaf } from "../../../../src/core/verify/verdict.ts";
import { propertyRuns } from "../../../support/property-runs.ts";
import { CLOSING, hostile, render } from "./hostile-text.ts";
import { aCheckView, aStageView, GREEN, HEAD, RED, ran } from "./sample-views.ts";

function shape({ name, status, conclusion, title, actions }: CheckReport): string {
  const buttons = actions.map(({ label }) => label).join("/");
  return `${name} | ${status} | ${conclusion} | ${title}${buttons === "" ? "" : ` [${buttons}]`}`;
}

describe("the check run of a stage", () => {
  it("has a conclusion, a title and buttons for every state", () => {
    const states: StageCheckState[] = [
      { kind: "queued" },
      { kind: "working", activity: "edits src/a.ts" },
      { kind: "verifying" },
      { kind: "passed", merged: false },
      { kind: "passed", merged: true },
      { kind: "failed", message: "It failed.", evidence: null, retries: true },
      { kind: "failed", message: "It failed.", evidence: null, retries: false },
      { kind: "needs-person", reason: "Which table?", next: "", retriable: false },
      { kind: "needs-person", reason: "Somebody moved the branch.", next: "" },
      { kind: "fault", message: "The disk is full." },
      { kind: "skipped", reason: "Skipped by octocat." },
      { kind: "cancelled", by: "octocat" },
    ];
    expect(
      states.map((state) => shape(stageCheck(aCheckView({ state, attempt: 2 })))),
    ).toMatchInlineSnapshot(`
      [
        "loom / build-api | queued | null | Waits for a worker (2nd try)",
        "loom / build-api | in_progress | null | An agent is at work (2nd try)",
        "loom / build-api | in_progress | null | Checks run on a clean checkout (2nd try)",
        "loom / build-api | completed | success | Proved",
        "loom / build-api | completed | success | Proved, merged",
        "loom / build-api | in_progress | null | Did not pass, tries again (2nd try)",
        "loom / build-api | completed | failure | Did not pass (2nd try) [Retry/Skip]",
        "loom / build-api | completed | action_required | Needs you [Skip]",
        "loom / build-api | completed | action_required | Needs you [Retry/Skip]",
        "loom / build-api | completed | neutral | Loom could not finish this [Retry/Skip]",
        "loom / build-api | completed | skipped | Skipped",
        "loom / build-api | completed | cancelled | Cancelled",
      ]
    `);
  });

  it("shows each criterion with command, exit code and output, the failed ones first", () => {
    const state = {
      kind: "failed",
      message: "2 of 3 checks failed: `npm test` exited with 1; and `src/auth/*.ts`: names no file.",
      evidence: "$ npm test\n1 of 9 failed",
      retries: false,
    } as const;
    const { title, summary, text } = stageCheck(aCheckView({ state, verdict: RED }));
    expect(title).toBe("Did not pass");
    expect(summary).toMatchInlineSnapshot(`
      "\`build-api\` Build the API, attempt 1 of run \`login-1a2b3c4d\`. The plan is #13.

      2 of 3 checks failed: \`npm test\` exited with 1; and \`src/auth/*.ts\`: names no file.

      \`\`\`text
      $ npm test
      1 of 9 failed
      \`\`\`

      Give it fresh attempts with \`/loom retry build-api\`, do it yourself with \`/loom take build-api\`, or go on without it with \`/loom skip build-api\`.
      "
    `);
    expect(text).toMatchInlineSnapshot(`
      "#### ✗ acceptance: \`npm test\`

      exited with 1 (expected 0) (0.3s)

      (5000 bytes before this left out)

      \`\`\`\`text
      1 of 9 failed
      \`\`\`
      @team fixes #​1
      \`\`\`
      \`\`\`\`

      #### ✗ artifacts: \`src/auth/*.ts\`

      names no regular file of the commit

      ✓ acceptance: \`npm run lint\` — passed (exit 0, 0.3s)"
    `);
  });

  it("keeps the evidence of what passed, folded away", () => {
    const { title, summary, text } = stageCheck(
      aCheckView({ state: { kind: "passed", merged: false }, verdict: GREEN }),
    );
    expect(title).toBe("All 3 checks passed, 1 with a warning");
    expect(summary).toMatchInlineSnapshot(`
      "\`build-api\` Build the API, attempt 1 of run \`login-1a2b3c4d\`. The plan is #13.

      Loom ran every check of the approved plan itself, on a clean checkout of this commit.

      All 3 checks passed, 1 with a warning.
      "
    `);
    expect(text).toMatchInlineSnapshot(`
      "#### ! checks: \`files\`

      changed outside of the stage's own files: \`src/<b>.ts\`

      <details>
      <summary>✓ setup: npm ci</summary>

      passed (exit 0, 2.1s)

      \`\`\`text
      added 12 packages
      \`\`\`

      </details>

      <details>
      <summary>✓ acceptance: The tests pass</summary>

      passed (exit 0, 0.3s)

      \`\`\`sh
      npm test | tee log
      \`\`\`

      \`\`\`text
      9 of 9
      \`\`\`

      </details>"
    `);
  });

  it("asks people with the words of the question", () => {
    const state = {
      kind: "needs-person",
      reason: "Which table, `users` or @team's?",
      next: "Answer with `/loom answer build-api …`.",
    } as const;
    expect(stageCheck(aCheckView({ state })).summary).toMatchInlineSnapshot(`
      "\`build-api\` Build the API, attempt 1 of run \`login-1a2b3c4d\`. The plan is #13.

      Which table, \`users\` or @&#8203;team's?

      Answer with \`/loom answer build-api …\`.
      "
    `);
  });

  it("says of its own faults that they are no verdict", () => {
    const { summary } = stageCheck(
      aCheckView({ state: { kind: "fault", message: "The disk is full." }, verdict: RED }),
    );
    expect(summary).toMatchInlineSnapshot(`
      "\`build-api\` Build the API, attempt 1 of run \`login-1a2b3c4d\`. The plan is #13.

      The disk is full.

      This says nothing about the change. \`/loom retry build-api\` tries again.
      "
    `);
  });

  it("fits whatever the commands print, with the cut counted and fences closed", () => {
    const output = "``` 日本語\n".repeat(20_000);
    const leaves = Array.from({ length: 40 }, (_, n) =>
      leaf(
        n % 2 === 0 ? "failed" : "passed",
        `check ${n}`,
        null,
        ran(`check ${n}`, { output, exitCode: n % 2 }),
      ),
    );
    const verdict = branch("checks", [branch("acceptance", leaves)]);
    const evidence = "x".repeat(70_000);
    const state = { kind: "failed", message: "m".repeat(70_000), evidence, retries: false } as const;
    const { title, summary, text } = stageCheck(aCheckView({ state, verdict, name: "n".repeat(70_000) }));
    expect(title.length).toBeLessThanOrEqual(255);
    for (const part of [summary, text ?? ""]) expect(byteLength(part)).toBeLessThanOrEqual(65_535);
    expect(summary.includes("(66000 bytes before this left out)")).toBe(true);
    expect(/\d+ bytes before this left out/.test(text ?? "")).toBe(true);
    expect(render(`${text}\n\nend`).text.trimEnd().endsWith("end")).toBe(true);
  });

  it("does nothing but show, whatever is in names and output", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (a, b, c) => {
        const verdict = branch(a, [
          branch(b, [
            leaf("failed", c, a, ran(b, { output: c })),
            leaf("passed", a, null, ran(c, { output: b })),
          ]),
        ]);
        const state = { kind: "failed", message: a, evidence: b, retries: false } as const;
        const { summary, text } = stageCheck(aCheckView({ name: c, state, verdict }));
        for (const part of [summary, text ?? ""]) {
          expect(parseCommands(part).items).toEqual([]);
          expect(part).not.toMatch(/<!--\s*loom/i);
          const { text: shown, tags } = render(part);
          expect(shown).not.toMatch(/@[a-z\d]/i);
          expect(shown).not.toMatch(CLOSING);
          expect(tags.filter((tag) => ["img", "a", "script", "h1", "h2"].includes(tag))).toEqual([]);
          expect(tags.filter((tag) => tag === "details").length % 2).toBe(0);
        }
      }),
      { numRuns: propertyRuns(3) },
    );
  });
});

describe("buttons", () => {
  it("keep to GitHub's lengths", () => {
    for (const { label, description, identifier } of Object.values(checkActions)) {
      expect(label.length).toBeLessThanOrEqual(20);
      expect(description.length).toBeLessThanOrEqual(40);
      expect(identifier.length).toBeLessThanOrEqual(20);
    }
  });

  it("are three at most, and none before the end", () => {
    const parts = {
      name: "x",
      conclusion: null,
      title: "x",
      summary: "x",
      actions: Array(5).fill(checkActions.retry),
    };
    expect(checkReport({ ...parts, status: "completed" }).actions).toHaveLength(3);
    expect(checkReport({ ...parts, status: "in_progress" }).actions).toEqual([]);
  });
});

describe("the check run of a plan", () => {
  const awaited = {
    kind: "awaited",
    head: HEAD,
    label: "loom: approve",
    leastRole: "write",
    voided: null,
  } as const;
  const problem = {
    severity: "error",
    path: "stages[0].id",
    line: 7,
    message: "The id `X Y` can't be used.",
    fix: "Write `x-y`.",
  } as const;

  it("says whether it can be used and who has approved it", () => {
    const reports = [
      planCheck({ kind: "planning" }),
      planCheck({ kind: "broken", problems: [problem] }),
      planCheck(awaited),
      planCheck({ ...awaited, voided: "somebody pushed to the plan." }),
      planCheck({ kind: "approved", by: "octocat", role: "maintain", head: HEAD }),
      planCheck({ kind: "cancelled", by: "octocat" }),
      planCheck({ kind: "fault", message: "The planner could not be started." }),
    ];
    expect(reports.map((report) => `${shape(report)}\n${report.summary}`).join("\n")).toMatchInlineSnapshot(`
      "loom / plan | in_progress | null | The plan is being written
      Nothing runs before somebody approves it.

      loom / plan | completed | failure | The plan can't be run: 1 error
      - line 7, \`stages[0].id\`: The id \`X Y\` can't be used. Write \`x-y\`.

      Close this pull request to drop the plan, then ask for another one with \`/loom run\`.

      loom / plan | completed | action_required | Waits for approval [Approve]
      To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve 1a2b3c4\` there: the approval is for \`1a2b3c4\` and nothing else. It takes the role \`write\` or more. A later push voids it.

      loom / plan | completed | action_required | The approval no longer counts [Approve]
      The approval no longer counts: somebody pushed to the plan.

      To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve 1a2b3c4\` there: the approval is for \`1a2b3c4\` and nothing else. It takes the role \`write\` or more. A later push voids it.

      loom / plan | completed | success | Approved by octocat
      octocat (maintain) approved the plan at \`1a2b3c4\`. A push to this branch voids that.

      loom / plan | completed | cancelled | Cancelled
      Cancelled by octocat. \`/loom run\` starts again.

      loom / plan | completed | neutral | Loom could not finish the plan
      The planner could not be started.

      \`/loom run\` tries again.
      "
    `);
  });
});

describe("work without a sandbox", () => {
  it("is told by the check of its stage, by that of the run and by the plan's pull request", () => {
    const state = { kind: "passed", merged: false } as const;
    expect(stageCheck(aCheckView({ state, unconfined: true })).summary).toMatchInlineSnapshot(`
      "\`build-api\` Build the API, attempt 1 of run \`login-1a2b3c4d\`. The plan is #13.

      Loom ran every check of the approved plan itself, on a clean checkout of this commit.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so agent and checks of this stage had the rights of Loom's own user.
      "
    `);
    expect(stageCheck(aCheckView({ state })).summary).not.toContain("No sandbox");
    const stages = [aStageView("schema", { state: { icon: "✓", word: "merged", group: "done" } })];
    expect(gateCheck({ status: "completed", stages, unconfined: true }).summary).toMatchInlineSnapshot(`
      "Every stage is done.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so agents and checks of this run had the rights of Loom's own user. The checks of the stages say which.
      "
    `);
  });
});

describe("the check run of the whole run", () => {
  it("is green only when every stage is done", () => {
    const done = aStageView("schema", { state: { icon: "✓", word: "merged", group: "done" } });
    const stuck = aStageView("api", {
      state: { icon: "✗", word: "blocked", group: "blocked" },
      pr: 15,
      note: "`npm test` exited with 1.",
    });
    const reports = [
      gateCheck({ status: "running", stages: [done, stuck] }),
      gateCheck({ status: "completed", stages: [done] }),
    ];
    expect(reports.map((report) => `${shape(report)}\n${report.summary}`).join("\n")).toMatchInlineSnapshot(`
      "loom / gate | in_progress | null | Running: 1 of 2 stages done
      Not done yet:

      - \`api\` (#15): blocked: \`npm test\` exited with 1.

      loom / gate | completed | success | Done: 1 of 1 stage done
      Every stage is done.
      "
    `);
    const statuses = ["plan-review", "paused", "blocked", "failed", "cancelled", "suspended"] as const;
    expect(
      statuses.map((status) => shape(gateCheck({ status, stages: [done, stuck] }))),
    ).toMatchInlineSnapshot(`
      [
        "loom / gate | completed | action_required | Waits for approval: 1 of 2 stages done",
        "loom / gate | completed | action_required | Paused: 1 of 2 stages done",
        "loom / gate | completed | action_required | Needs you: 1 of 2 stages done",
        "loom / gate | completed | failure | Failed: 1 of 2 stages done",
        "loom / gate | completed | cancelled | Cancelled: 1 of 2 stages done",
        "loom / gate | completed | neutral | Loom has no access: 1 of 2 stages done",
      ]
    `);
  });
});

describe("the check run of the config", () => {
  const problem = {
    severity: "error",
    path: "merge.mode",
    line: 3,
    message: "`merge.mode` must be `review` or `auto`.",
    fix: "Write `mode: review`.",
  } as const;

  it("lists every problem", () => {
    const reports = [
      configCheck(true, [problem]),
      configCheck(false, []),
      configCheck(false, [{ ...problem, severity: "warning" }]),
    ];
    expect(reports.map((report) => `${shape(report)}\n${report.summary}`).join("\n")).toMatchInlineSnapshot(`
      "loom / config | completed | failure | .github/loom.yml can't be used: 1 error
      With this file on the default branch, Loom would answer every command with these problems.

      - line 3, \`merge.mode\`: \`merge.mode\` must be \`review\` or \`auto\`. Write \`mode: review\`.

      loom / config | completed | success | .github/loom.yml is fine
      It takes effect once it is on the default branch.

      loom / config | completed | success | .github/loom.yml is fine
      It can be used, with 1 warning.

      - line 3, \`merge.mode\`, warning: \`merge.mode\` must be \`review\` or \`auto\`. Write \`mode: review\`.
      "
    `);
  });
});
