import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type AuditView, auditJson, renderAudit } from "../../../../src/core/report/commands/audit-report.ts";

const USAGE = { inputTokens: 12_345, outputTokens: 1_234, costUsd: 0.12 };
const VIEW: AuditView = {
  id: "review-1a2b",
  kind: "review",
  commit: "0123456789abcdef",
  scope: { from: "fedcba9876543210", pr: null },
  usage: USAGE,
  usageBy: new Map([["claude/opus", USAGE]]),
  harnesses: ["claude"],
  workedMs: 63_000,
  failures: [],
  outcome: { kind: "audited", findings: 2 },
  result: {
    summary: "Read all of it.\nThe tests were not run.",
    findings: [
      {
        id: "F1",
        severity: "high",
        title: "The discount is taken twice",
        body: "Here.\n\nAnd there.",
        file: "src/sum.ts",
        line: 41,
        endLine: 43,
        suggestion: "return net;\n// done",
      },
      {
        id: "F2",
        severity: "info",
        title: "No licence",
        body: "",
        file: null,
        line: null,
        endLine: null,
        suggestion: null,
      },
    ],
    earlier: [
      { id: "F7", state: "fixed" },
      { id: "F8", state: "stands" },
    ],
    notes: ["The text of 1 finding was too long and is cut."],
  },
};

describe("an audit in a terminal", () => {
  it("shows what the agent wrote in no form that can be read", () => {
    const reason = "The agent did not do as it was told: its findings can't be read";
    const failure = {
      kind: "contract-unmet",
      message: reason,
      evidence: "Line 3 is\u001b[2J wrong.\n",
      at: 0,
    } as const;
    const refused = { kind: "refused", reason, next: "", failure: "contract-unmet" } as const;
    const view: AuditView = { ...VIEW, result: null, failures: [failure], outcome: refused };
    expect(renderAudit(view, { color: false })).toMatchInlineSnapshot(`
      "The review: the agent did not answer in the form it was asked for. It wrote:

      Line 3 is wrong.

      claude/opus · 12,345 tokens in, 1,234 out · $0.12 · 1 min 3 s
      "
    `);
    expect(auditJson(view).said).toBe("Line 3 is\u001b[2J wrong.\n");
  });

  it("shows the same where a limit kept it from being asked again, with that limit", () => {
    const unread = { kind: "contract-unmet", message: "", evidence: "Line 3 is wrong.\n", at: 0 } as const;
    const reason = "Its budget of $0.01 is used up. `commands.budget_usd` in `.github/loom.yml` raises it.";
    const view: AuditView = {
      ...VIEW,
      result: null,
      failures: [unread, { kind: "crashed", message: "", evidence: "Killed", at: 1 }],
      outcome: { kind: "refused", reason, next: "" },
    };
    expect(renderAudit(view, { color: false })).toMatchInlineSnapshot(`
      "The review: the agent did not answer in the form it was asked for. Its budget of $0.01 is used up. \`commands.budget_usd\` in \`.github/loom.yml\` raises it.

      The agent wrote:

      Line 3 is wrong.

      claude/opus · 12,345 tokens in, 1,234 out · $0.12 · 1 min 3 s
      "
    `);
    expect(auditJson(view)).toMatchObject({ status: "refused", reason, said: "Line 3 is wrong.\n" });
    const failures = view.failures.slice(1);
    expect(auditJson({ ...view, failures }).said).toBeNull();
    const cutOff = {
      kind: "agent-failed",
      message: "",
      evidence: "tail",
      said: "Line 4 too.",
      at: 2,
    } as const;
    expect(auditJson({ ...view, failures: [unread, cutOff] }).said).toBe("Line 4 too.");
  });

  it("names who was at it, also where they don't say what they used", () => {
    const text = renderAudit({ ...VIEW, usage: null, usageBy: new Map() }, { color: false });
    expect(text.trimEnd().split("\n").at(-1)).toMatchInlineSnapshot(
      `"claude · tokens not reported · cost unknown · 1 min 3 s"`,
    );
  });

  it("shows what was found, where, and what it cost", () => {
    expect(renderAudit(VIEW, { color: false })).toMatchInlineSnapshot(`
      "Review: 2 findings (1 high, 1 info).

      Read all of it.
      The tests were not run.

      high      F1  The discount is taken twice
        src/sum.ts:41-43
        Here.

        And there.
        Instead:
        │ return net;
        │ // done

      info      F2  No licence

      Fixed since: F7.
      As before: F8.

      ! The text of 1 finding was too long and is cut.

      claude/opus · 12,345 tokens in, 1,234 out · $0.12 · 1 min 3 s
      "
    `);
  });

  it("says how much of a large change the agent saw", () => {
    const result = VIEW.result ?? { summary: "", findings: [], earlier: [], notes: [] };
    const told = (files: number, shown: number, readable: number): string => {
      const view = { ...VIEW, result: { ...result, findings: [], seen: { files, shown, readable } } };
      expect(auditJson(view).diffs).toEqual({ files, shown, readable });
      return renderAudit(view, { color: false })
        .split("\n")
        .filter((line) => line.startsWith("! "))
        .join("\n");
    };
    expect(
      [told(12, 12, 12), told(12, 3, 12), told(12, 3, 9), told(1, 0, 1), told(3, 0, 0)].join("\n\n"),
    ).toMatchInlineSnapshot(`
      "! The text of 1 finding was too long and is cut.

      ! The change is large: of 12 files, the agent was shown 3 diffs in full and could read 9 in a file.
      ! The text of 1 finding was too long and is cut.

      ! The change is large: of 12 files, the agent was shown 3 diffs in full, could read 6 in a file and was not given all of 3.
      ! The text of 1 finding was too long and is cut.

      ! The change is large: of 1 file, the agent was shown no diff in full and could read 1 in a file.
      ! The text of 1 finding was too long and is cut.

      ! The change is large: of 3 files, the agent was shown no diff in full and was not given all of 3.
      ! The text of 1 finding was too long and is cut."
    `);
    expect(auditJson(VIEW).diffs).toBeNull();
  });

  it("says plainly that nothing was found, or that nothing came of it", () => {
    const result = { summary: "Looked at the forms.", findings: [], earlier: [], notes: [] };
    expect(
      [
        renderAudit({ ...VIEW, kind: "a11y-audit", result }, { color: false }),
        renderAudit(
          {
            ...VIEW,
            result: null,
            outcome: { kind: "refused", reason: "No harness.", next: "Install one." },
          },
          { color: false },
        ),
        renderAudit(
          { ...VIEW, result: null, outcome: { kind: "cancelled", by: "sam" }, usage: null },
          { color: false },
        ),
        renderAudit({ ...VIEW, result: null, outcome: null }, { color: false }),
      ].join("\n"),
    ).toMatchInlineSnapshot(`
      "Accessibility audit: nothing found.

      Looked at the forms.

      claude/opus · 12,345 tokens in, 1,234 out · $0.12 · 1 min 3 s

      The review failed. No harness. Install one.

      claude/opus · 12,345 tokens in, 1,234 out · $0.12 · 1 min 3 s

      The review was cancelled.

      claude/opus · tokens not reported · cost unknown · 1 min 3 s

      The review has no result yet.

      claude/opus · 12,345 tokens in, 1,234 out · $0.12 · 1 min 3 s
      "
    `);
  });

  it("paints with colours only where they are wanted", () => {
    expect(renderAudit(VIEW, { color: true })).toContain("\u001b[31mhigh    \u001b[0m");
    expect(renderAudit(VIEW, { color: false })).not.toContain("\u001b");
  });

  it("lets no text of an agent move the cursor", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        const hostile = `\u001b[2J${text}\u202e`;
        const [first] = VIEW.result?.findings ?? [];
        if (!first) throw new Error("no finding");
        const finding = {
          ...first,
          id: hostile,
          title: hostile,
          body: hostile,
          file: hostile,
          suggestion: hostile,
        };
        const result = {
          summary: hostile,
          findings: [finding],
          earlier: [{ id: hostile, state: "fixed" as const }],
          notes: [hostile],
        };
        expect(renderAudit({ ...VIEW, result }, { color: false })).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
        );
      }),
    );
  });
});

describe("an audit for programs", () => {
  it("has everything", () => {
    expect(auditJson(VIEW)).toMatchInlineSnapshot(`
      {
        "commit": "0123456789abcdef",
        "diffs": null,
        "earlier": [
          {
            "id": "F7",
            "state": "fixed",
          },
          {
            "id": "F8",
            "state": "stands",
          },
        ],
        "findings": [
          {
            "body": "Here.

      And there.",
            "endLine": 43,
            "file": "src/sum.ts",
            "id": "F1",
            "line": 41,
            "severity": "high",
            "suggestion": "return net;
      // done",
            "title": "The discount is taken twice",
          },
          {
            "body": "",
            "endLine": null,
            "file": null,
            "id": "F2",
            "line": null,
            "severity": "info",
            "suggestion": null,
            "title": "No licence",
          },
        ],
        "from": "fedcba9876543210",
        "kind": "review",
        "notes": [
          "The text of 1 finding was too long and is cut.",
        ],
        "reason": null,
        "said": null,
        "status": "audited",
        "summary": "Read all of it.
      The tests were not run.",
        "task": "review-1a2b",
        "type": "audit",
        "usage": {
          "costUsd": 0.12,
          "inputTokens": 12345,
          "outputTokens": 1234,
        },
        "workedMs": 63000,
      }
    `);
    expect(
      auditJson({
        ...VIEW,
        result: null,
        scope: null,
        outcome: { kind: "refused", reason: "No harness.", next: "Install one." },
      }),
    ).toMatchObject({
      status: "refused",
      reason: "No harness. Install one.",
      from: null,
      findings: [],
    });
    expect(auditJson({ ...VIEW, result: null, outcome: { kind: "cancelled", by: "sam" } }).status).toBe(
      "cancelled",
    );
  });
});
