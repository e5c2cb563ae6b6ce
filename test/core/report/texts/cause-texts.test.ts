import { describe, expect, it } from "vitest";
import { pausedBy, whyPaused, whyVoided } from "../../../../src/core/report/texts/cause-texts.ts";
import type { PauseCause, VoidCause } from "../../../../src/core/run/causes.ts";

describe("causes in words", () => {
  it("say who paused a run, and why where that is no person", () => {
    const causes: PauseCause[] = [
      { kind: "person", by: "mia" },
      { kind: "budget", usd: 2.5 },
      { kind: "suspended" },
    ];
    expect(causes.map((cause) => [pausedBy(cause), whyPaused(cause)])).toMatchInlineSnapshot(`
      [
        [
          "mia",
          "",
        ],
        [
          "the budget",
          "The budget of $2.50 is spent. Stages that run are finished; \`/loom resume\` goes on all the same.",
        ],
        [
          "GitHub",
          "The App is suspended.",
        ],
      ]
    `);
  });

  it("say why an approval no longer counts", () => {
    const causes: VoidCause[] = [
      { kind: "plan-moved", from: "a".repeat(40), to: "b".repeat(40) },
      { kind: "label-removed", label: "loom: go" },
      { kind: "amended", by: "mia" },
      { kind: "edit-refused", by: "mia" },
    ];
    expect(causes.map(whyVoided)).toMatchInlineSnapshot(`
      [
        "somebody pushed to the plan after it was approved (aaaaaaa → bbbbbbb).",
        "the label \`loom: go\` was removed.",
        "the plan was changed by mia.",
        "the plan was changed by mia in a way that Loom can't follow.",
      ]
    `);
  });
});
