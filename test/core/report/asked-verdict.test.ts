import { describe, expect, it } from "vitest";
import {
  checksSentence,
  renderChecksTable,
  renderCriteria,
} from "../../../src/core/report/github/plan/criteria-text.ts";
import { renderAsk } from "../../../src/core/report/github/run/asks.ts";
import { stageCheck } from "../../../src/core/report/github/run/stage-check.ts";
import { stagePull } from "../../../src/core/report/github/run/stage-pull.ts";
import { criteriaList } from "../../../src/core/report/page/criteria-list.ts";
import { explainAsk, renderVerdict } from "../../../src/core/report/terminal/verdict-report.ts";
import { failures } from "../../../src/core/report/texts/failure-texts.ts";
import { waits } from "../../../src/core/report/texts/wait-texts.ts";
import { branch, leaf } from "../../../src/core/verify/verdict.ts";
import { aCheckView, aPull, ran } from "./github/sample-views.ts";

/** A gate that passes as the commit defines it, and not as the base does (T37). */
const ASKED = branch("checks", [
  branch("gate", [leaf("passed", "npm test", null, ran("npm test"))]),
  branch(
    "gate as the base defines it",
    [
      leaf(
        "ask",
        "npm test",
        "exited with 1 (expected 0) with the base's `package.json`, which this stage changes; a person has to decide",
        ran("npm test", { exitCode: 1, output: "add(1, 2) is 0\n" }),
      ),
    ],
    "this stage changes `package.json`",
  ),
]);
const { message, evidence } = explainAsk(ASKED);

describe("a verdict that asks for a person", () => {
  it("shows in a terminal and in a run's record", () => {
    expect(renderVerdict(ASKED, { style: "text" })).toMatchInlineSnapshot(`
      "? checks
        ✓ gate
          ✓ npm test (exit 0, 0.3s)
        ? gate as the base defines it: this stage changes \`package.json\`
          ? npm test: exited with 1 (expected 0) with the base's \`package.json\`, which this stage changes; a person has to decide (0.3s)
            │ add(1, 2) is 0
      "
    `);
    expect(
      failures.gateChanged(message, evidence, "login-1a2b3c4d", "build-api", "main"),
    ).toMatchInlineSnapshot(`
      {
        "evidence": "$ npm test
      (exited with 1 (expected 0) with the base's \`package.json\`, which this stage changes; a person has to decide)
      add(1, 2) is 0",
        "kind": "merge-blocked",
        "message": "\`npm test\` exited with 1 (expected 0) with the base's \`package.json\`, which this stage changes; a person has to decide. Loom does not merge it by itself: look at what loom/login-1a2b3c4d/build-api changes there. If that is right, merge it into main; if not, \`loom skip login-1a2b3c4d build-api\` leaves it out.",
      }
    `);
  });

  it("shows on GitHub: as a check that is not green, with the way on and no button that would be refused", () => {
    const state = { kind: "asks", ...waits.gateChanged(message) } as const;
    const { status, conclusion, title, summary, actions } = stageCheck(aCheckView({ state, verdict: ASKED }));
    expect([status, conclusion, title, summary, actions]).toMatchInlineSnapshot(`
      [
        "completed",
        "action_required",
        "1 of 2 checks passed; 1 needs a person",
        "\`build-api\` Build the API, attempt 1 of run \`login-1a2b3c4d\`. The plan is #13.

      \`npm test\` exited with 1 (expected 0) with the base's \`package.json\`, which this stage changes; a person has to decide.

      Loom does not merge it by itself: look at what it changes there. If that is right, merge its pull request; if not, close it.
      ",
        [],
      ]
    `);
    expect(checksSentence(ASKED)).toMatchInlineSnapshot(`"1 of 2 checks passed; 1 needs a person."`);
    expect(renderChecksTable(ASKED)).toMatchInlineSnapshot(`
      "|  | Kind | Check | Result |
      |---|---|---|---|
      | ? | gate as the base defines it | \`npm test\` | exited with 1 (expected 0) with the base's \`package.json\`, which this stage changes; a person has to decide (0.3s) |
      | ✓ | gate | \`npm test\` | passed (exit 0, 0.3s) |"
    `);
    expect(renderCriteria(ASKED).split("\n")[0]).toMatchInlineSnapshot(
      `"#### ? gate as the base defines it: \`npm test\`"`,
    );
  });

  it("tells those who merge that Loom does not", () => {
    const pull = stagePull(aPull({ mergeMode: "auto", verdict: ASKED, waits: waits.gateChanged(message) }));
    expect(pull.body.slice(pull.body.indexOf("### What now"))).toMatchInlineSnapshot(`
      "### What now

      \`npm test\` exited with 1 (expected 0) with the base's \`package.json\`, which this stage changes; a person has to decide. Loom does not merge it by itself: look at what it changes there. If that is right, merge its pull request; if not, close it. To work on it yourself, comment \`/loom take build-api\` and push to this branch.
      "
    `);
    expect(renderAsk({ kind: "merge", stage: "build-api", pr: 14, why: message })).toMatchInlineSnapshot(
      `"Review and merge #14 (\`build-api\`). \`npm test\` exited with 1 (expected 0) with the base's \`package.json\`, which this stage changes; a person has to decide."`,
    );
  });

  it("comes first on the page, with its output open", () => {
    expect(criteriaList(ASKED).markup.match(/aria-label="\w+"|<details[^>]*>/g)).toMatchInlineSnapshot(`
      [
        "aria-label="ask"",
        "<details open>",
        "aria-label="passed"",
      ]
    `);
  });
});
