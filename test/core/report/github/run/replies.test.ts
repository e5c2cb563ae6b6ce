import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseCommands } from "../../../../../src/core/command/parse-commands.ts";
import { byteLength } from "../../../../../src/core/markdown/cut-markdown.ts";
import { replies } from "../../../../../src/core/report/github/run/replies.ts";
import { propertyRuns } from "../../../../support/property-runs.ts";
import { expectInert, hostile } from "../hostile-text.ts";
import { HEAD } from "../sample-views.ts";

const RUN = { id: "login-1a2b3c4d", offer: { pr: 13 } };
const PROBLEM = {
  severity: "error",
  path: "merge.mode",
  line: 3,
  message: "`merge.mode` must be `review`.",
  fix: "Write `mode: review`.",
} as const;

const QUESTION = { text: "Where?", options: ["here", "there"], usual: "here", why: "" };

function lines(texts: readonly string[]): string {
  for (const text of texts) expect(parseCommands(text).items).toEqual([]);
  return texts.join("\n");
}

describe("replies", () => {
  it("to those who ask for a run", () => {
    expect(
      lines([
        replies.request({ kind: "offered", run: RUN.id, pr: 13, approved: false }),
        replies.request({ kind: "offered", run: RUN.id, pr: 13, approved: true }),
        replies.request({ kind: "underway", run: RUN }),
        replies.request({ kind: "underway", run: { ...RUN, offer: null } }),
        replies.request({ kind: "built", run: RUN }),
        replies.request({ kind: "asked-before", run: RUN }),
        replies.request({ kind: "planning", asked: null }),
        replies.request({ kind: "planning", asked: { questions: [QUESTION], given: [], url: null } }),
        replies.request({
          kind: "planning",
          asked: { questions: [QUESTION, QUESTION], given: [], url: "https://github.test/o/r/issues/1#x" },
        }),
        replies.request({ kind: "broken-config", problems: [PROBLEM] }),
        replies.request({
          kind: "broken-plan",
          label: "PLAN.md",
          problems: [PROBLEM, { ...PROBLEM, severity: "warning", line: null, path: "" }],
        }),
        replies.request({ kind: "too-many-stages", count: 120, limit: 100 }),
        replies.request({ kind: "no-express" }),
        replies.request({
          kind: "refused",
          reason: "The branch `loom/x` exists and is not Loom's.",
          next: "Delete it.",
        }),
        replies.noAutoRun(),
      ]),
    ).toMatchInlineSnapshot(`
      "The plan is open: #13 (run \`login-1a2b3c4d\`). Nothing runs before somebody approves it there.
      The plan is open and approved: #13 (run \`login-1a2b3c4d\`). The first stages start now.
      A run is on its way: #13 (run \`login-1a2b3c4d\`). \`/loom status\` says how far it is; \`/loom cancel\` ends it.
      A run is on its way: run \`login-1a2b3c4d\`. \`/loom status\` says how far it is; \`/loom cancel\` ends it.
      This plan is built already: #13 (run \`login-1a2b3c4d\`). To build it again, put that run away with \`/loom archive\` first.
      Your comment asked for this run before: #13 (run \`login-1a2b3c4d\`). It has ended; for another one, write a new comment.
      A plan for this issue is being written already. It will be opened as a pull request.
      The plan for this issue waits for answers to a question above. Reply like \`1b\`, or \`defaults\` to go on with the defaults.
      The plan for this issue waits for answers to [2 questions](https://github.test/o/r/issues/1#x) above. Reply like \`1b 2: use Redis\`, or \`defaults\` to go on with the defaults.
      Loom can't work here: \`.github/loom.yml\` on the default branch has 1 error.

      - line 3, \`merge.mode\`: \`merge.mode\` must be \`review\`. Write \`mode: review\`.

      Fix them there, then ask again.
      The plan \`PLAN.md\` can't be run: 1 error, 1 warning.

      - line 3, \`merge.mode\`: \`merge.mode\` must be \`review\`. Write \`mode: review\`.
      - warning: \`merge.mode\` must be \`review\`. Write \`mode: review\`.

      Fix them and ask again.
      The plan has 120 stages; this repository allows 100. Split the issue, or raise \`limits.max_stages\` in \`.github/loom.yml\`.
      \`--express\` is not allowed: it takes \`approval: { express: true }\` in \`.github/loom.yml\`, and a role that may approve plans. \`/loom run\` without it opens the plan for approval.
      The branch \`loom/x\` exists and is not Loom's. Delete it.
      New issues don't start runs here. Comment \`/loom run\` to start one; \`auto_run: true\` in \`.github/loom.yml\` lets issues ask by themselves."
    `);
  });

  it("to those who approve", () => {
    const path = ".loom/login/PLAN.md";
    expect(
      lines([
        replies.approval({ kind: "approved", head: HEAD }, path),
        replies.approval({ kind: "already", by: "octocat" }, path),
        replies.approval({ kind: "role", least: "maintain" }, path),
        replies.approval({ kind: "no-plan" }, path),
        replies.approval({ kind: "ended" }, path),
        replies.approval({ kind: "closed" }, path),
        replies.approval({ kind: "foreign" }, path),
        replies.approval({ kind: "moved", seen: "5d6e7f8", head: HEAD }, path),
        replies.approval({ kind: "changed", head: HEAD, problems: null }, path),
        replies.approvalVoided("somebody pushed to the plan.", HEAD),
        replies.botsMayNot(),
      ]),
    ).toMatchInlineSnapshot(`
      "The plan is approved at \`1a2b3c4\`. The first stages start now; a push to the plan voids the approval.
      The plan is already approved, by octocat. Nothing changed.
      This did not approve the plan: it takes the role \`maintain\` or more in this repository. Ask somebody who has it.
      There is no plan to approve yet. It will be opened as a pull request; \`/loom status\` says how far it is.
      This run is over, so there is nothing to approve. \`/loom run\` on the issue starts a new one.
      The plan's pull request is closed. Reopen it to approve it, or start again with \`/loom run\`.
      This did not approve anything: Loom runs only plans on a branch that it made itself, in this repository.
      This did not approve the plan: you named \`5d6e7f8\`, but its head is now \`1a2b3c4\`. Read what changed, then comment \`/loom approve 1a2b3c4\`.
      This did not approve the plan: \`.loom/login/PLAN.md\` at \`1a2b3c4\` was changed, and Loom has not looked at that yet. What changed will be said here; approve it then.
      The approval no longer counts: somebody pushed to the plan. Nothing new starts. Read the plan again, then comment \`/loom approve 1a2b3c4\`.
      This did not approve anything: only people approve plans."
    `);
  });

  it("to those who steer", () => {
    expect(
      lines([
        replies.retrying(["build-api"]),
        replies.retrying(["build-api", "docs"]),
        replies.nothingToRetry(),
        replies.skipped("docs"),
        replies.paused(),
        replies.resumed(),
        replies.nothingToResume(),
        replies.cancelled(),
        replies.taken("docs", "loom/login-1a2b3c4d/docs"),
        replies.answered("docs"),
        replies.archived(),
        replies.suspended(),
        replies.fault("GitHub did not answer."),
      ]),
    ).toMatchInlineSnapshot(`
      "\`build-api\` gets fresh attempts.
      \`build-api\`, \`docs\` get fresh attempts.
      No stage is stuck, so there is nothing to retry. \`/loom status\` says how the run stands.
      \`docs\` is left out; what waits for it goes on without it.
      Paused. Nothing new starts and nothing is merged; what is at work may finish. \`/loom resume\` goes on.
      The run goes on.
      There is nothing to go on with. \`/loom status\` says how the run stands; \`/loom retry\` helps stages that are stuck.
      Cancelled. Agents are being stopped; what is merged stays. \`/loom run\` starts again.
      \`docs\` is yours. Push to \`loom/login-1a2b3c4d/docs\`; Loom then runs the checks of the plan on it and goes on.
      \`docs\` has your answer and goes on.
      The run is archived: its branches and labels are removed, its record stays.
      Loom was suspended or removed from this repository, so the run stopped. Once Loom is back, \`/loom resume\` goes on.
      Something went wrong on Loom's side: GitHub did not answer. Nothing is lost; Loom tries again, and \`/loom status\` says how far it is."
    `);
  });

  it("to those who may not, or not now", () => {
    expect(
      lines([
        replies.notAllowed("run", "triage"),
        replies.heardBefore(),
        replies.olderThanRun(),
        replies.noRun(),
        replies.noSuchStage("build-apy", ["build-api", "docs"]),
        replies.noSuchStage("x", ["build-api", "docs"]),
        replies.emptyAnswer("docs"),
        replies.answersNoStage("dcos", ["build-api", "docs"], ["docs"]),
        replies.answersNoStage("spaces", ["build-api", "docs"], ["docs"]),
        replies.answersNoStage("I'd", ["build-api", "docs"], ["build-api", "docs"]),
        replies.refusal("docs is queued, so there is nothing to retry.", [
          "Only a blocked stage can be retried; ",
          { verb: "status", run: "login-1a2b" },
          " shows them.",
        ]),
        replies.refusal("The run login was cancelled.", [{ verb: "start-over" }, " starts it over."]),
        replies.refusal("docs is completed already.", null),
        replies.toButton("octocat", replies.notAllowed("retry", "read")),
      ]),
    ).toMatchInlineSnapshot(`
      "\`run\` takes the role \`write\` or more in this repository; yours is \`triage\`. Ask somebody who has it.
      Loom has acted on this comment before, so nothing happened now. \`/loom status\` shows where the run stands; to ask again, write a new comment.
      This comment is older than the run in this thread, so nothing happened. If you mean this run, write a new comment.
      No run belongs to this thread. \`/loom run\` on an issue starts one; \`/loom help\` lists all commands.
      The run has no stage \`build-apy\`. Did you mean \`build-api\`?
      The run has no stage \`x\`. It has \`build-api\`, \`docs\`.
      The answer to \`docs\` is empty. Write it behind the name: \`/loom answer docs …\`
      The run has no stage \`dcos\`. Did you mean \`docs\`?
      The run has no stage \`spaces\`. Answer with \`/loom answer docs …\`
      \`I'd\` is not the name of a stage: those have small letters, digits and dashes. \`build-api\`, \`docs\` ask; answer with \`/loom answer build-api …\`
      docs is queued, so there is nothing to retry. Only a blocked stage can be retried; \`/loom status\` shows them.
      The run login was cancelled. \`/loom run\` starts it over.
      docs is completed already.
      About the button that octocat pressed: \`retry\` takes the role \`write\` or more in this repository; yours is \`read\`. Ask somebody who has it."
    `);
  });

  it("to typing mistakes", () => {
    const { mistakes } = parseCommands("/loom aprove 1a2b3c4\n/loom skip\n/loom frobnicate\n> hm\n/loom run");
    expect(
      lines([...mistakes.map(replies.mistake), replies.unread(1), replies.unread(3)]),
    ).toMatchInlineSnapshot(`
      "Line 1: There is no command \`aprove\`. Did you mean \`/loom approve 1a2b3c4\`? \`/loom help\` lists all commands.
      Line 2: \`skip\` needs the name of a stage. It is written \`/loom skip <stage>\`. \`/loom help\` lists all commands.
      Line 3: There is no command \`frobnicate\`. \`/loom help\` lists all commands.
      Line 5: The command stands right below a quote, so it counts as a part of it. Leave an empty line between them. It is written \`/loom run [path] [--budget USD] [--harness NAME] [--depth DEPTH] [--express] [text…]\`. \`/loom help\` lists all commands.
      1 more command was not read: Loom takes 5 from one comment. Write the rest in another one.
      3 more commands were not read: Loom takes 5 from one comment. Write the rest in another one."
    `);
  });

  it("come as one, and fit", () => {
    expect(replies.together(["One.", "", "Two.\n"])).toBe("One.\n\n---\n\nTwo.\n");
    const problems = Array.from({ length: 1000 }, () => ({
      ...PROBLEM,
      message: "日".repeat(1000),
      fix: "日".repeat(1000),
    }));
    expect(byteLength(replies.brokenConfig(problems))).toBeLessThanOrEqual(65_536);
    expect(byteLength(replies.together(Array(200).fill(replies.brokenConfig(problems))))).toBeLessThanOrEqual(
      65_536,
    );
  });

  it("never do more than show what somebody wrote", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const texts = [
          replies.refusal(a, b),
          replies.noSuchStage(a, ["x"]),
          replies.answersNoStage(a, ["x"], ["x"]),
          replies.taken(a, b),
          replies.fault(a),
          replies.toButton(a, replies.refusal(b, null)),
          replies.approval({ kind: "already", by: a }, b),
          replies.approval({ kind: "changed", head: a, problems: null }, b),
          replies.request({ kind: "refused", reason: a, next: b }),
          ...parseCommands(`/loom ${a}\n\n/loom skip ${b}`).mistakes.map(replies.mistake),
        ];
        for (const text of texts) expectInert(text, ["p", "code"]);
        const problem = { ...PROBLEM, path: a, message: b, fix: a };
        expectInert(replies.brokenConfig([problem, { ...problem, path: "" }]), ["p", "code", "ul", "li"]);
      }),
      { numRuns: propertyRuns(2) },
    );
  });
});
