import { describe, expect, it } from "vitest";
import { DEFAULT_REPOSITORY_CONFIG } from "../../../../../src/core/config/repository/repository-config.ts";
import { statusLabel } from "../../../../../src/core/report/github/run/status-labels.ts";

const { labels } = DEFAULT_REPOSITORY_CONFIG;

describe("labels", () => {
  it("show how a run stands", () => {
    const shown = (
      [
        "planning",
        "plan-review",
        "running",
        "paused",
        "blocked",
        "failed",
        "completed",
        "cancelled",
        "suspended",
      ] as const
    ).map((status) => `${status}: ${statusLabel(status, labels, false)}`);
    expect(shown).toMatchInlineSnapshot(`
      [
        "planning: loom: running",
        "plan-review: loom: plan review",
        "running: loom: running",
        "paused: loom: needs human",
        "blocked: loom: blocked",
        "failed: loom: needs human",
        "completed: loom: done",
        "cancelled: null",
        "suspended: null",
      ]
    `);
    expect(statusLabel("running", labels, true)).toBe("loom: needs human");
  });
});
