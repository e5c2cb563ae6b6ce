import { describe, expect, it } from "vitest";
import { ATTACK_IDS, type Played } from "../../../../src/core/drill/attack.ts";
import {
  drillJson,
  renderAttack,
  renderDrillEnd,
} from "../../../../src/core/report/commands/drill-report.ts";
import { attackTexts } from "../../../../src/core/report/commands/drill-texts.ts";
import { countCodePoints, widthOf } from "../../../../src/core/text/text-width.ts";

const PLAIN = { width: null, color: false, measure: countCodePoints };
const NONE = { next: "Set LOOM_SANDBOX=auto to have one." };
const ALL: readonly Played[] = [
  { attack: "environment", outcome: { kind: "held" } },
  { attack: "home", outcome: { kind: "open", why: "got-through", what: ["/a", "/b", "/c", "/d\u001b[2J"] } },
  { attack: "relay", outcome: { kind: "open", why: "not-played", what: ["it said nothing"] } },
  { attack: "limit-disk", outcome: { kind: "open", why: "no-sandbox" } },
  { attack: "store", outcome: { kind: "skipped", why: "not-configured" } },
];

describe("the report of a drill", () => {
  it("has a line for each attack, and the fixes at its end", () => {
    const lines = ALL.map((played) => renderAttack(played, PLAIN)).join("\n");
    expect(`${lines}\n\n${renderDrillEnd(ALL, NONE, PLAIN)}`).toMatchInlineSnapshot(`
      "✓ secrets of Loom's process       reads its own environment and that of every process
      ✗ your home                       /a, /b, /c and 1 more
      ✗ a forged end                    could not be played: it said nothing
      ✗ too much disk                   no sandbox, so it was not played
      - the store                       not configured here

      3 of 4 attacks get through, 1 defence held. 1 does not apply here.

      - your home: Take folders that hold them out of LOOM_SANDBOX_SHOW and PATH, or keep those files elsewhere.
      - a forged end: Run \`loom doctor\`, fix what it names, and run the drill again.
      - too much disk: Set LOOM_SANDBOX=auto to have one.
      "
    `);
  });

  it("says so in one sentence when all is well", () => {
    expect(
      renderDrillEnd(
        [ALL[0], ALL[4]].filter((one) => one !== undefined),
        NONE,
        PLAIN,
      ),
    ).toBe("All 1 defences held. 1 does not apply here.\n");
  });

  it("keeps to the width of a narrow screen, in colours or without", () => {
    for (const width of [30, 60]) {
      const screen = { ...PLAIN, width };
      for (const played of ALL) {
        const line = renderAttack(played, screen);
        expect(widthOf(line, countCodePoints)).toBeLessThan(width);
        expect(renderAttack(played, { ...screen, color: true })).toContain("\u001b[");
        expect(line).not.toContain("\u001b");
      }
      const [summary = ""] = renderDrillEnd(ALL, NONE, screen).split("\n");
      expect(summary.length).toBeLessThan(width);
    }
  });

  it("is data for programs", () => {
    expect(
      drillJson(ALL.slice(0, 2), { kind: "bubblewrap", detail: "bubblewrap 0.8.0", next: null }),
    ).toEqual({
      holds: false,
      sandbox: "bubblewrap",
      sandboxDetail: "bubblewrap 0.8.0",
      attacks: [
        {
          id: "environment",
          title: attackTexts.environment.title,
          tries: attackTexts.environment.tries,
          outcome: "held",
          why: null,
          reason: null,
          found: [],
          fix: null,
        },
        {
          id: "home",
          title: attackTexts.home.title,
          tries: attackTexts.home.tries,
          outcome: "open",
          why: "got-through",
          reason: "/a, /b, /c and 1 more",
          found: ["/a", "/b", "/c", "/d\u001b[2J"],
          fix: attackTexts.home.fix,
        },
      ],
    });
  });

  it("has words for every attack that differ from all others", () => {
    const titles = ATTACK_IDS.map((id) => attackTexts[id].title);
    expect(new Set(titles).size).toBe(titles.length);
    for (const id of ATTACK_IDS) expect(attackTexts[id].fix).toMatch(/\.$/);
  });
});
