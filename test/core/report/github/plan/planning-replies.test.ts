import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { completeAnswers } from "../../../../../src/core/planning/answers/read-answers.ts";
import type { DegradedReply } from "../../../../../src/core/report/github/plan/degraded-reply.ts";
import { planningReplies } from "../../../../../src/core/report/github/plan/planning-replies.ts";
import {
  answerLines,
  planningTexts,
  questionLines,
} from "../../../../../src/core/report/texts/planning-texts.ts";
import { expectInert, hostile } from "../hostile-text.ts";

const QUESTIONS = [
  {
    text: "Where are limits kept?",
    options: ["Redis, which the queue uses", "A table in the database"],
    usual: "A table in the database",
    why: "It decides what has to be migrated.",
  },
  { text: "Who may change them?", options: [], usual: "Admins only", why: "" },
];
const FIRST = { text: "Redis, which the queue uses", by: "octocat" };
const ANSWERS = [
  { text: "Redis, which the queue uses", by: "octocat" },
  { text: "Admins only", by: null },
];
const PROBLEMS = ["`stages[2]`: Nothing proves the stage `c`. Add `acceptance`.", "The plan has 9 stages."];
const HOUR = 3_600_000;

describe("what people read while a plan is made", () => {
  it("begins with who works on it", () => {
    expect(planningReplies.started({ harness: "claude", express: false })).toMatchInlineSnapshot(
      `"An agent (\`claude\`) reads the code and this thread now, and writes a plan. It may ask a few questions here first. The plan will be opened as a pull request; nothing runs before somebody approves it. \`/loom cancel\` stops it."`,
    );
    expect(planningReplies.started({ harness: null, express: true })).toMatchInlineSnapshot(
      `"An agent reads the code and this thread now, and writes a plan. It asks no questions. The plan will be opened as a pull request. \`/loom cancel\` stops it."`,
    );
  });

  it("tells of a revision that the plan holds meanwhile, and never how to end the run", () => {
    expect([
      planningReplies.revisionStarted("claude"),
      planningReplies.revisionCancelled("octocat"),
      planningReplies.amended(7),
    ]).toMatchInlineSnapshot(`
      [
        "An agent (\`claude\`) reads the code and what was said, and changes the plan. Until then the plan stays as it is; the changed one has to be approved before work goes on.",
        "The revision was stopped by octocat. The plan was not changed.",
        "The plan is changed; #7 shows what is different. It has to be approved again before anything goes on.",
      ]
    `);
  });

  it("says how often a draft had to be fixed", () => {
    expect([[], [1], [12], [3, 1, 2]].map(planningReplies.sentBack)).toMatchInlineSnapshot(`
      [
        "",
        "Loom sent the first draft back with 1 problem; this one has none.",
        "Loom sent the first draft back with 12 problems; this one has none.",
        "Loom sent 3 drafts back with their problems; this one has none.",
      ]
    `);
  });

  it("asks questions that can be answered in one line", () => {
    expect(
      planningReplies.questions(QUESTIONS, {
        depth: "standard",
        why: "Three services read the limits.",
        remindIn: 24 * HOUR,
        defaultIn: 72 * HOUR,
      }),
    ).toMatchInlineSnapshot(`
      "Before the plan is written, please answer these 2 questions (depth: standard).

      > Three services read the limits.

      **1.** Where are limits kept?

      _It decides what has to be migrated._

      - **a** Redis, which the queue uses
      - **b** A table in the database (default)

      **2.** Who may change them?

      - In your own words; default: Admins only

      Reply like \`1b 2: use Redis\`, or comment \`/loom answer 1b 2: use Redis\`. \`defaults\` takes the default for every question that has no answer yet. You need not answer all of them at once. Answers count from people with the role \`write\` or more.

      Without an answer there is one reminder, in 1d; in 3d the defaults are taken.
      "
    `);
    expect(
      planningReplies.questions(QUESTIONS.slice(1), { depth: "quick", remindIn: HOUR, defaultIn: 2 * HOUR }),
    ).toMatchInlineSnapshot(`
      "Before the plan is written, please answer this question (depth: quick).

      **1.** Who may change them?

      - In your own words; default: Admins only

      Reply like \`1: your words\`, or comment \`/loom answer 1: your words\`; \`defaults\` takes the default. Answers count from people with the role \`write\` or more.

      Without an answer there is one reminder, in 1h; in 2h the defaults are taken.
      "
    `);
  });

  it("says what was taken so far, and what still waits", () => {
    expect(planningReplies.answersKept(QUESTIONS, [FIRST, null])).toMatchInlineSnapshot(`
      "Taken so far:

      - **1.** Where are limits kept? → Redis, which the queue uses (octocat)

      Question 2 still waits. Reply like \`2: your words\`, or \`defaults\` to settle the rest. Until then a new answer replaces an earlier one.
      "
    `);
    const three = [...QUESTIONS, { text: "When?", options: ["Now"], usual: "Now", why: "" }];
    expect(planningReplies.answersKept(three, [FIRST])).toMatchInlineSnapshot(`
      "Taken so far:

      - **1.** Where are limits kept? → Redis, which the queue uses (octocat)

      2 questions still wait: 2, 3. Reply like \`2: your words\`, or \`defaults\` to settle the rest. Until then a new answer replaces an earlier one.
      "
    `);
    expect(planningReplies.defaultsTaken(QUESTIONS, ANSWERS)).toMatchInlineSnapshot(`
      "Nobody answered the rest, so the planner goes on with the defaults there:

      - **1.** Where are limits kept? → Redis, which the queue uses (octocat)
      - **2.** Who may change them? → Admins only (default, nobody answered)

      If one of them is wrong, say so on the plan: \`/loom revise <what should be different>\`.
      "
    `);
  });

  it("says what was taken, and what nobody said", () => {
    expect(planningReplies.answersTaken(QUESTIONS, ANSWERS)).toMatchInlineSnapshot(`
      "Taken. The plan will be written from these answers:

      - **1.** Where are limits kept? → Redis, which the queue uses (octocat)
      - **2.** Who may change them? → Admins only (default, nobody answered)
      "
    `);
    expect(planningReplies.defaultsTaken(QUESTIONS, completeAnswers(QUESTIONS, []))).toMatchInlineSnapshot(`
      "Nobody answered, so the planner goes on with the defaults:

      - **1.** Where are limits kept? → A table in the database (default, nobody answered)
      - **2.** Who may change them? → Admins only (default, nobody answered)

      If one of them is wrong, say so on the plan: \`/loom revise <what should be different>\`.
      "
    `);
    expect(
      planningReplies.unclearAnswer("Question 1 has the options a to b, and `e` is none of them."),
    ).toMatchInlineSnapshot(
      `"Question 1 has the options a to b, and \`e\` is none of them. Nothing was taken yet; the questions still wait."`,
    );
    expect(planningReplies.reminder(QUESTIONS, [], 48 * HOUR)).toMatchInlineSnapshot(
      `"2 questions of the planner still wait for an answer here. Reply like \`1b 2: use Redis\`; answers count from people with the role \`write\` or more. In 2d the defaults are taken. This is the only reminder."`,
    );
    expect(planningReplies.reminder(QUESTIONS.slice(0, 1), [], 48 * HOUR)).toMatchInlineSnapshot(
      `"A question of the planner still waits for an answer here. Reply like \`1b\`; answers count from people with the role \`write\` or more. In 2d the default is taken. This is the only reminder."`,
    );
    expect(planningReplies.reminder(QUESTIONS, [FIRST, null], 24 * HOUR)).toMatchInlineSnapshot(
      `"A question of the planner (2) still waits for an answer here. Reply like \`2: your words\`; answers count from people with the role \`write\` or more. In 1d the default is taken. This is the only reminder."`,
    );
    expect(planningReplies.settledAlready()).toMatchInlineSnapshot(
      `"The questions are settled already, and the plan is written from those answers. Once its pull request is open, comment \`/loom revise <what should be different>\` there to change it."`,
    );
    expect(planningReplies.answerUnconfirmed()).toMatchInlineSnapshot(
      `"Thank you! Answers to the planner's questions count from people with the role \`write\` or more. One of them can confirm this one by replying with the same words."`,
    );
    expect(planningReplies.nothingSaid()).toMatchInlineSnapshot(
      `"Quotes and code are not read as an answer. The questions still wait."`,
    );
    expect(planningReplies.noQuestions()).toMatchInlineSnapshot(`"No question waits for an answer here."`);
    expect(planningReplies.nothingToRevise()).toMatchInlineSnapshot(
      `"There is no plan here that could be changed. \`/loom run\` on the issue asks for one."`,
    );
  });

  it("says openly when the planner failed or had to stop, and what that means", () => {
    const failed = {
      reason: "The planner failed 3 times and brought no plan. The agent ended with exit code 1.",
      evidence: "No route to @mia\n```\n",
      next: "`/loom run` tries again.",
    };
    expect(
      planningReplies.degraded({ policy: "require-approval", problems: [], stopped: failed }),
    ).toMatchInlineSnapshot(`
      "The planner failed 3 times and brought no plan. The agent ended with exit code 1. Instead there is a plan of one stage, in which one agent does all of it. It waits for approval like any other.

      The end of its output:

      \`\`\`\`text
      No route to @mia
      \`\`\`
      \`\`\`\`
      "
    `);
    expect(
      planningReplies.degraded({ policy: "deny", problems: PROBLEMS, stopped: failed }),
    ).toMatchInlineSnapshot(`
      "The planner failed 3 times and brought no plan. The agent ended with exit code 1. This repository allows no plan of one stage in its place (\`planner.degraded: deny\`), so there is none.

      The end of its output:

      \`\`\`\`text
      No route to @mia
      \`\`\`
      \`\`\`\`

      What was wrong with its last draft:

      - \`stages[2]\`: Nothing proves the stage \`c\`. Add \`acceptance\`.
      - The plan has 9 stages.

      \`/loom run\` tries again. A plan of your own in the repository needs no planner: \`/loom run path/to/PLAN.md\`.
      "
    `);
    const spent = {
      reason: planningTexts.plannerSpent(
        "Its budget of $2.00 is used up. `planner.budget_usd` in `.github/loom.yml` raises it.",
      ),
      evidence: null,
      next: "",
    };
    expect(
      planningReplies.degraded({ policy: "allow", problems: PROBLEMS, stopped: spent }),
    ).toMatchInlineSnapshot(`
      "The planner brought no sound plan before it had to stop. Its budget of &#36;2.00 is used up. \`planner.budget_usd\` in \`.github/loom.yml\` raises it. Instead there is a plan of one stage, in which one agent does all of it; this repository allows that.

      What was wrong with its last draft:

      - \`stages[2]\`: Nothing proves the stage \`c\`. Add \`acceptance\`.
      - The plan has 9 stages.
      "
    `);
    expect(planningReplies.degraded({ policy: "deny", problems: [], stopped: spent })).toMatchInlineSnapshot(`
      "The planner brought no sound plan before it had to stop. Its budget of &#36;2.00 is used up. \`planner.budget_usd\` in \`.github/loom.yml\` raises it. This repository allows no plan of one stage in its place (\`planner.degraded: deny\`), so there is none.

      A plan of your own in the repository needs no planner: \`/loom run path/to/PLAN.md\`.
      "
    `);
  });

  it("says openly when no sound plan came", () => {
    const degraded = (reply: Pick<DegradedReply, "policy" | "problems">): string =>
      planningReplies.degraded({ ...reply, stopped: null });
    expect(degraded({ policy: "allow", problems: PROBLEMS })).toMatchInlineSnapshot(`
      "The planner came up with no plan that passes the checks. Instead there is a plan of one stage, in which one agent does all of it; this repository allows that.

      What was wrong with the last one:

      - \`stages[2]\`: Nothing proves the stage \`c\`. Add \`acceptance\`.
      - The plan has 9 stages.
      "
    `);
    expect(degraded({ policy: "require-approval", problems: [] })).toMatchInlineSnapshot(`
      "The planner came up with no plan that passes the checks. Instead there is a plan of one stage, in which one agent does all of it. It waits for approval like any other.

      What was wrong with the last one:

      - It is not known.
      "
    `);
    expect(degraded({ policy: "deny", problems: PROBLEMS })).toMatchInlineSnapshot(`
      "The planner came up with no plan that passes the checks. This repository allows no plan of one stage in its place (\`planner.degraded: deny\`), so there is none.

      What was wrong with the last one:

      - \`stages[2]\`: Nothing proves the stage \`c\`. Add \`acceptance\`.
      - The plan has 9 stages.

      Say in the issue what is missing and comment \`/loom run\` again, or put a plan of your own into the repository: \`/loom run path/to/PLAN.md\`.
      "
    `);
    expect(planningReplies.amended(13)).toMatchInlineSnapshot(
      `"The plan is changed; #13 shows what is different. It has to be approved again before anything goes on."`,
    );
    expect(planningReplies.refusedDraft(PROBLEMS)).toMatchInlineSnapshot(`
      "The plan stays as it is: the changed one could not be taken.

      - \`stages[2]\`: Nothing proves the stage \`c\`. Add \`acceptance\`.
      - The plan has 9 stages.

      Say it in other words with \`/loom revise <what should be different>\`, or push an edit of the plan file to the plan's branch.
      "
    `);
    expect(planningReplies.cancelled("octocat")).toMatchInlineSnapshot(
      `"Planning was stopped by octocat. Nothing was opened. \`/loom run\` starts again."`,
    );
    expect(planningReplies.cancelledLate("octocat", 7)).toMatchInlineSnapshot(
      `"Planning was stopped by octocat, just as #7 was opened; that plan is dropped. \`/loom run\` starts again."`,
    );
    expect(planningReplies.expressHeld()).toMatchInlineSnapshot(
      `"This plan asks for more than usual: it opens the sandbox, or replaces the checks of the project. So the command did not approve it; somebody has to look at it first."`,
    );
  });

  it("brings nothing of others to life", () => {
    const tags = ["p", "br", "strong", "em", "ul", "li", "code", "blockquote"];
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const questions = [{ text: a, options: [b, a], usual: b, why: a }];
        const wait = { depth: "deep", why: b, remindIn: HOUR, defaultIn: 2 * HOUR } as const;
        expectInert(planningReplies.questions(questions, wait), tags);
        expectInert(planningReplies.answersTaken(questions, [{ text: b, by: a }]), tags);
        expectInert(planningReplies.refusedDraft([a, b]), tags);
        const stopped = { reason: planningTexts.plannerFailed(3, a), evidence: b, next: a };
        expectInert(planningReplies.degraded({ policy: "deny", problems: [b], stopped }), [...tags, "pre"]);
        expectInert(planningReplies.unclearAnswer(a), tags);
        expectInert(planningReplies.started({ harness: a, express: true }), tags);
        expectInert(planningReplies.cancelled(a), tags);
        expectInert(planningReplies.cancelledLate(a, 7).replace("#7", ""), tags);
      }),
    );
  });
});

describe("the same in a terminal", () => {
  it("shows questions, answers and problems", () => {
    expect(questionLines(QUESTIONS).join("\n")).toMatchInlineSnapshot(`
      "1. Where are limits kept?
         It decides what has to be migrated.
         a) Redis, which the queue uses
         b) A table in the database (default)

      2. Who may change them?
         In your own words; default: Admins only"
    `);
    expect(answerLines(QUESTIONS, ANSWERS).join("\n")).toMatchInlineSnapshot(`
      "1. Where are limits kept? → Redis, which the queue uses
      2. Who may change them? → Admins only (default)"
    `);
  });

  it("has a sentence for each step", () => {
    expect([
      planningTexts.askedFirst(1),
      planningTexts.askedFirst(3),
      planningTexts.howToAnswer(1),
      planningTexts.howToAnswer(2),
      planningTexts.answersTaken(),
      planningTexts.defaultsTaken(),
      planningTexts.redrafting(2, 1, 3),
      planningTexts.noSoundPlan({ drafts: 4, problems: PROBLEMS.length, first: PROBLEMS[0] ?? null }),
      planningTexts.noSoundPlan({ drafts: 1, problems: 0, first: null }),
      planningTexts.degraded(),
      planningTexts.denied(),
      planningTexts.written(".loom/limit/PLAN.md"),
      planningTexts.readThenRun(".loom/limit/PLAN.md"),
      planningTexts.askToRun(),
      planningTexts.designWritten(".loom/limit/design.md"),
      planningTexts.failed("No agent is installed.", "Install one."),
      planningTexts.cancelled(),
    ]).toMatchInlineSnapshot(`
      [
        "Before the plan is written, please answer a question:",
        "Before the plan is written, please answer 3 questions:",
        "Answer with a letter or in words; an empty line takes the default.",
        "Answer like this: 1b 2: use Redis. An empty line takes the defaults.",
        "The plan is written from these answers:",
        "There is nobody to ask here, so the defaults hold:",
        "The draft has 2 problems; it goes back to the planner (1 of 3).",
        "No sound plan came in 4 drafts. The last one had 2 problems: \`stages[2]\`: Nothing proves the stage \`c\`. Add \`acceptance\`. And 1 more.",
        "No sound plan came in 1 draft.",
        "A plan of one stage stands in its place.",
        "This repository takes no plan of one stage instead (planner.degraded: deny).",
        "The plan stands in .loom/limit/PLAN.md. Read it, then: loom run .loom/limit/PLAN.md",
        "Nothing runs yet. Read the plan, then: loom run .loom/limit/PLAN.md",
        "Run it? (y/N) ",
        "The design stands in .loom/limit/design.md.",
        "There is no plan. No agent is installed. Install one.",
        "Planning was stopped; nothing was written.",
      ]
    `);
  });

  it("writes nothing into the terminal but letters", () => {
    fc.assert(
      fc.property(hostile, hostile, (a, b) => {
        const questions = [{ text: a, options: [b], usual: a, why: b }];
        const lines = [
          ...questionLines(questions),
          ...answerLines(questions, []),
          planningTexts.failed(a, b),
        ];
        for (const line of lines) expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });
});
