import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../../../src/core/command/parse-commands.ts";
import { byteLength } from "../../../../../src/core/markdown/cut-markdown.ts";
import { renderPanel, renderStatusReply } from "../../../../../src/core/report/github/run/panel.ts";
import type { Ask, HostedStatus } from "../../../../../src/core/report/github/run/views.ts";
import { propertyRuns } from "../../../../support/property-runs.ts";
import { CLOSING, hostile, render } from "../hostile-text.ts";
import { aPanel, aStageView, HEAD } from "../sample-views.ts";

const STAGES = [
  aStageView("schema", {
    state: { icon: "✓", word: "merged", group: "done" },
    pr: 14,
    checks: { passed: 3, total: 3 },
    elapsedMs: 61_000,
    attempt: 1,
  }),
  aStageView("build-api", {
    state: { icon: "●", word: "working (2nd try)", group: "working" },
    attempt: 2,
    level: 1,
    note: "edits src/a_b.ts",
    dependencies: ["schema"],
  }),
  aStageView("docs", { name: "docs", dependencies: ["build-api"], level: 2 }),
];

const ASKS: Ask[] = [
  { kind: "approve", pr: 13, head: HEAD, label: "loom: approve" },
  { kind: "answer", stage: "build-api", question: "Which table,\n@team?" },
  { kind: "unblock", stage: "docs", reason: "2 of 3 checks failed: `npm test` exited with 1." },
  { kind: "unblock", stage: "x", reason: "Somebody deleted the branch. `/loom retry x` does it again." },
  { kind: "merge", stage: "schema", pr: 14 },
  { kind: "push", stage: "ui", by: "octocat", branch: "loom/login-1a2b3c4d/ui" },
  { kind: "budget", spentUsd: 20.5, budgetUsd: 20 },
];

describe("the panel", () => {
  it("shows how the run stands, stage by stage", () => {
    expect(renderPanel(aPanel({ stages: STAGES }))).toMatchInlineSnapshot(`
      "<!-- loom:panel login-1a2b3c4d -->

      ### Loom: Let people log in

      **Running** · 3 stages: 1 done, 1 working, 1 waiting · 12m 05s · $1.20 of $20

      Run \`login-1a2b3c4d\` for #12. Plan: #13, approved by octocat (maintain) at \`1a2b3c4\`.

      |  | Stage | State | PR | Evidence | Time |
      |---|---|---|---|---|---|
      | ✓ | \`schema\` Build schema | merged | #14 | 3 of 3 checks | 1m 01s |
      | ● | \`build-api\` Build build-api | working (2nd try): edits src/a\\_b.ts |  |  |  |
      | · | \`docs\` | waiting: after \`build-api\` |  |  |  |

      Next: each stage becomes a pull request when its checks pass, and what depends on it goes on at once. People merge into \`main\`.

      <details>
      <summary>How to steer</summary>

      | Comment | What it does |
      |---|---|
      | \`/loom status\` | Say how far the run is and who has to act, or what agents are at here. |
      | \`/loom pause\` | Start nothing new; what runs may finish. |
      | \`/loom retry [stage]\` | Give a blocked stage, or every blocked stage, fresh attempts. |
      | \`/loom skip <stage>\` | Go on without a stage. |
      | \`/loom take <stage>\` | Do a stage yourself: push to its branch, Loom checks it and goes on. |
      | \`/loom answer [stage] <text…>\` | Answer the question of a stage, or the planner's as a reply would (\`1b 2: use Redis\`, \`defaults\`); the lines below belong to the answer. |
      | \`/loom revise <text…>\` | Have the plan changed as you say; it has to be approved again, and finished stages stay. |
      | \`/loom cancel\` | End the run for good, and stop agents at work here; what is merged stays. |
      | \`/loom help\` | Show these commands. |

      </details>
      "
    `);
  });

  it("says who has to act, and how", () => {
    expect(renderStatusReply(aPanel({ stages: STAGES, asks: ASKS, spentUsd: null }))).toMatchInlineSnapshot(`
      "**Running** · 3 stages: 1 done, 1 working, 1 waiting · 12m 05s · at most $20

      Run \`login-1a2b3c4d\` for #12. Plan: #13, approved by octocat (maintain) at \`1a2b3c4\`.

      **Needs you**

      - Approve the plan in #13: set the label \`loom: approve\`, or comment \`/loom approve 1a2b3c4\` there (its head is \`1a2b3c4\`).
      - \`build-api\` asks: Which table, @&#8203;team? Answer with \`/loom answer build-api …\`
      - \`docs\` is stuck: 2 of 3 checks failed: \`npm test\` exited with 1. Give it fresh attempts with \`/loom retry docs\`, do it yourself with \`/loom take docs\`, or go on without it with \`/loom skip docs\`.
      - \`x\` is stuck: Somebody deleted the branch. \`/loom retry x\` does it again.
      - Review and merge #14 (\`schema\`).
      - \`ui\` waits for octocat to push to \`loom/login-1a2b3c4d/ui\`.
      - $20.50 of $20 are spent, so nothing new starts. \`/loom resume\` goes on all the same, \`/loom cancel\` ends the run.

      Next: each stage becomes a pull request when its checks pass, and what depends on it goes on at once. People merge into \`main\`.
      "
    `);
  });

  it("says in every state what happens next", () => {
    const statuses: HostedStatus[] = [
      "planning",
      "plan-review",
      "running",
      "paused",
      "blocked",
      "failed",
      "completed",
      "cancelled",
      "suspended",
    ];
    const texts = statuses.map((status) => {
      const parts = {
        status,
        paused: { by: "octocat", reason: "Too late today." },
        cancelledBy: "closing #13",
      };
      const body = renderPanel(aPanel(parts));
      expect(parseCommands(body).items).toEqual([]);
      return `${status}: ${renderStatusReply(aPanel(parts)).trimEnd().split("\n\n").at(-1)}`;
    });
    expect(texts.join("\n")).toMatchInlineSnapshot(`
      "planning: Next: Loom writes the plan and opens it as a pull request. Nothing is built before somebody approves it.
      plan-review: Next: once the plan is approved, the stages start. A push to the plan voids its approval.
      running: Next: each stage becomes a pull request when its checks pass, and what depends on it goes on at once. People merge into \`main\`.
      paused: Paused by octocat: Too late today. Next: nothing new starts until \`/loom resume\`.
      blocked: Next: nothing goes on by itself; see above what is needed.
      failed: A critical stage is stuck, so the rest was not started. Next: \`/loom retry\` tries it again.
      completed: All that was planned is done. \`/loom archive\` removes the branches and labels that are left.
      cancelled: Cancelled by closing #&#8203;13. What was merged stays; \`/loom run\` starts again.
      suspended: Loom was removed from this repository or suspended, so nothing happens any more. When it is back, \`/loom resume\` goes on."
    `);
    expect(
      renderStatusReply(aPanel({ mergeMode: "auto" }))
        .split("\n\n")
        .at(-1),
    ).toMatchInlineSnapshot(`
      "Next: Loom merges each stage into \`main\` when its checks pass, then starts what waits for it.
      "
    `);
  });

  it("tells that an approval no longer counts", () => {
    const voided = "somebody pushed to the plan after it was approved (1a2b3c4 → 5d6e7f8).";
    const view = aPanel({ status: "plan-review", approval: null, voided, stages: STAGES.slice(2) });
    expect(renderStatusReply(view)).toMatchInlineSnapshot(`
      "**The plan waits for approval** · 1 stage: 1 waiting · 12m 05s · $1.20 of $20

      Run \`login-1a2b3c4d\` for #12. Plan: #13; its approval no longer counts: somebody pushed to the plan after it was approved (1a2b3c4 → 5d6e7f8).

      Next: once the plan is approved, the stages start. A push to the plan voids its approval.
      "
    `);
  });

  it("fits into a comment, whatever the run", () => {
    const done = { icon: "✓", word: "merged", group: "done" } as const;
    const stages = Array.from({ length: 10_000 }, (_, n) =>
      aStageView(`stage-${n}`, n === 9_990 ? { note: "here" } : { state: done, note: "ß".repeat(500) }),
    );
    const asks = stages.map(({ id }): Ask => ({ kind: "merge", stage: id, pr: 1 }));
    const body = renderPanel(aPanel({ stages, asks }));
    expect(byteLength(body)).toBeLessThanOrEqual(65_536);
    expect(body.includes("… and 9850 more stages.")).toBe(true);
    expect(body.includes("`stage-9990`")).toBe(true);
    expect(body.includes("… and 9988 more.")).toBe(true);
    const wordy = stages.map((stage) => ({ ...stage, name: "日本".repeat(100), note: "日本".repeat(100) }));
    const cut = renderPanel(aPanel({ stages: wordy }));
    expect(byteLength(cut)).toBeLessThanOrEqual(65_536);
    expect(cut.slice(-80)).toMatch(/… \(\d+ more characters\. The check runs have the rest\.\)\n$/);
  });

  it("offers a change of the plan wherever there is one that can change", () => {
    const statuses = [
      "planning",
      "plan-review",
      "running",
      "paused",
      "blocked",
      "failed",
      "completed",
    ] as const;
    expect(
      statuses.filter((status) => renderPanel(aPanel({ status })).includes("`/loom revise <text…>`")),
    ).toEqual(["plan-review", "running", "paused", "blocked", "failed"]);
  });

  it("does nothing but show, whatever names and notes it is given", () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, (title, note, reason) => {
        const stages = [
          aStageView("a", { name: title, note }),
          aStageView("b", { name: note, note: reason }),
        ];
        const asks: Ask[] = [
          { kind: "answer", stage: "a", question: title },
          { kind: "unblock", stage: "b", reason },
          { kind: "push", stage: "b", by: note, branch: title },
        ];
        const paused = { by: title, reason };
        const body = renderPanel(
          aPanel({ title, stages, asks, status: "paused", paused, cancelledBy: note }),
        );
        expect(parseCommands(body).items).toEqual([]);
        expect(body.match(/<!--\s*loom/gi)).toHaveLength(1);
        const { text, tags } = render(body);
        expect(text).not.toMatch(/@[a-z\d]/i);
        expect(body).not.toMatch(CLOSING);
        expect(tags.filter((tag) => ["img", "a", "script", "h1", "h2", "pre"].includes(tag))).toEqual([]);
        expect(tags.filter((tag) => tag === "tr")).toHaveLength(2 * (1 + 2 + 1 + 4));
      }),
      { numRuns: propertyRuns(3) },
    );
  });
});
