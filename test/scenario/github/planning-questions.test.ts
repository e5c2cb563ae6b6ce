import { describe, expect, it } from "vitest";
import { sweep } from "../../../src/engine/github/recover/sweep.ts";
import { doTask } from "../../../src/engine/github/task/do-task.ts";
import { taskCreated } from "../../support/a-task.ts";
import { ask, named, reactions, settled } from "../../support/github-talk.ts";
import {
  answers,
  commentsOf,
  outsideFences,
  plain,
  planFor,
  promptsOf,
  questions,
  taskComment,
  taskOf,
} from "../../support/planning-talk.ts";
import { COUNT, sharedWorld } from "../../support/planning-world.ts";
import { scriptNow } from "../../support/task-talk.ts";

const WORDS = {
  question: "What is a word?",
  options: ["what spaces divide", "what letters make"],
  default: "a",
};
const STORE = { question: "Where are the counts kept?", options: ["nowhere", "in a file"], default: "b" };

const dated = (text: string): string => named(text).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");

describe("a task that is not clear", () => {
  const world = sharedWorld();
  const complex = {
    begin: answers(questions("complex", [WORDS, STORE])),
    design: answers("## Problem Statement\n\nWords are not counted.\n\n## Approach\n\nCount them with wc.\n"),
    draft: answers(COUNT),
  };

  it("is asked about, answered in plain words, designed and planned", async () => {
    await scriptNow(world(), complex);
    const issue = world().issue({ title: "Count words", body: "Say how many words a text has." });
    world().comment(issue, "/loom run");
    expect(await taskComment(world(), issue, "questions")).toMatchInlineSnapshot(`
      "Before the plan is written, please answer these 2 questions (depth: standard).

      > It changes a lot.

      **1.** What is a word?

      - **a** what spaces divide (default)
      - **b** what letters make

      **2.** Where are the counts kept?

      - **a** nowhere
      - **b** in a file (default)

      Reply like \`1b 2: use Redis\`, or comment \`/loom answer 1b 2: use Redis\`. \`defaults\` takes the default for every question that has no answer yet. You need not answer all of them at once. Answers count from people with the role \`write\` or more.

      Without an answer there is one reminder, in 1d; in 3d the defaults are taken."
    `);
    expect(await ask(world(), issue, "/loom status")).toMatchInlineSnapshot(
      `"- The plan waits for answers to the questions above."`,
    );

    // Who may not command is not heard, and what is no answer is nobody's business.
    const unheard = world().comment(issue, "1a 2a", "rae");
    world().comment(issue, "I would not ask that, by the way.");
    expect(await ask(world(), issue, "1z")).toMatchInlineSnapshot(
      `"Question 1 has the options a to b, and \`z\` is none of them. Choose one, or answer in words: \`1: your words\`. Nothing was taken yet; the questions still wait."`,
    );
    expect(reactions(world(), issue, unheard)).toEqual([]);

    expect(await ask(world(), issue, "1b 2: use Redis")).toMatchInlineSnapshot(`
      "Taken. The plan will be written from these answers:

      - **1.** What is a word? → what letters make (wes)
      - **2.** Where are the counts kept? → use Redis (wes)"
    `);
    const plan = await planFor(world(), issue);
    const task = await taskOf(world(), issue);
    expect(task.answers).toEqual([
      { text: "what letters make", by: "wes" },
      { text: "use Redis", by: "wes" },
    ]);
    const prompts = await promptsOf(world(), task);
    expect([...prompts.keys()].sort()).toEqual(["begin", "design", "draft"]);
    for (const purpose of ["design", "draft"]) {
      const [prompt = ""] = prompts.get(purpose) ?? [];
      expect(prompt).toContain("use Redis");
      expect(outsideFences(prompt)).not.toContain("use Redis");
    }
    expect(prompts.get("draft")?.[0]).toContain("Count them with wc.");
    const run = await world().run(({ origin }) => origin?.issue === issue);
    const design = await world().file(`.loom/${run.id}/design.md`, plan.pull?.headRef);
    expect(dated(design ?? "")).toMatchInlineSnapshot(`
      "---
      title: "Count words"
      created: "TIME"
      status: draft
      authors: ["TechLead", "User"]
      type: "design"
      design_depth: standard
      task_complexity: complex
      ---

      # Count words

      ## Problem Statement

      Words are not counted.

      ## Approach

      Count them with wc."
    `);
    expect(named(plan.body)).toContain("It follows the design in `.loom/RUN/design.md`.");
    expect(
      named(plan.body.slice(plan.body.indexOf("### Notes"), plan.body.indexOf("### Ceilings"))),
    ).toMatchInlineSnapshot(`
      "### Notes

      What Loom fixed in the planner's draft, or let pass:

      - In the design: The section \`## Requirements\` is missing or empty.
      - In the design: The section \`## Approach\` has no part \`### Selected Approach\`.
      - In the design: The section \`## Approach\` has no part \`### Alternatives Considered\`.
      - In the design: The section \`## Approach\` has no part \`### Decision Matrix\`.
      - In the design: The section \`## Architecture\` is missing or empty.
      - In the design: The section \`## Agent Team\` is missing or empty.
      - In the design: The section \`## Risk Assessment\` is missing or empty.
      - In the design: The section \`## Success Criteria\` is missing or empty."
    `);

    const late = await ask(world(), issue, "/loom answer 1a");
    expect(late).toMatchInlineSnapshot(
      `"The questions are settled already, and the plan is written from those answers. Once its pull request is open, comment \`/loom revise <what should be different>\` there to change it."`,
    );
    expect(await ask(world(), issue, "1a 2a")).toBe(late);
    expect(await ask(world(), issue, "/loom answer whatever you like")).toBe(late);
    expect(await ask(world(), issue, "/loom answer count Yes.")).toMatchInlineSnapshot(
      `"count has not asked anything: it is waiting-for-deps."`,
    );
  });

  it("is answered bit by bit, by several people, and goes on once all is answered", async () => {
    await scriptNow(world(), {
      begin: answers(questions("medium", [WORDS, STORE, { question: "Which language?" }])),
      draft: answers(COUNT),
    });
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskComment(world(), issue, "questions");
    expect(await ask(world(), issue, "1b")).toMatchInlineSnapshot(`
      "Taken so far:

      - **1.** What is a word? → what letters make (wes)

      2 questions still wait: 2, 3. Reply like \`2b\`, or \`defaults\` to settle the rest. Until then a new answer replaces an earlier one."
    `);
    expect(await ask(world(), issue, "/loom answer 1a 3: Latin", "ada")).toMatchInlineSnapshot(`
      "Taken so far:

      - **1.** What is a word? → what spaces divide (ada)
      - **3.** Which language? → Latin (ada)

      Question 2 still waits. Reply like \`2b\`, or \`defaults\` to settle the rest. Until then a new answer replaces an earlier one."
    `);
    const waiting = await taskOf(world(), issue, () => true);
    expect(waiting.answers).toBeNull();
    expect(await ask(world(), issue, "defaults")).toMatchInlineSnapshot(`
      "Taken. The plan will be written from these answers:

      - **1.** What is a word? → what spaces divide (ada)
      - **2.** Where are the counts kept? → in a file (wes)
      - **3.** Which language? → Latin (ada)"
    `);
    await planFor(world(), issue);
  });

  it("is heard before Loom has written down that it asked", async () => {
    const issue = world().issue({ body: "Count them." });
    const engine = await world().engine();
    const { origin, ...created } = taskCreated("plan", { task: `plan-${issue}-1` });
    const question = { text: "Where?", options: ["here", "there"], usual: "here", why: "" };
    await engine.tasks.create(created.task, [
      { ...created, origin: origin && { ...origin, issue } },
      {
        type: "task-assessed",
        at: created.at,
        claim: "one that died",
        complexity: "medium",
        why: "",
        questions: [question, question],
      },
    ]);
    expect(await ask(world(), issue, "1b")).toContain("Where? → there (wes)");
  });

  it("is answered in the words of an option where there is one question", async () => {
    await scriptNow(world(), { begin: answers(questions("medium", [WORDS])), draft: answers(COUNT) });
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskComment(world(), issue, "questions");
    const chatter = world().comment(issue, "Good question!");
    expect(await ask(world(), issue, "what letters make")).toContain("what letters make (wes)");
    expect(reactions(world(), issue, chatter)).toEqual([]);
    await planFor(world(), issue);
  });

  it("is answered by whoever may, and thanks the others once, however many there are", async () => {
    await scriptNow(world(), complex);
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskComment(world(), issue, "questions");
    world().comment(issue, "Good questions!", "rae");
    world().comment(issue, "1x is no option", "rae");
    await settled(world());
    expect(commentsOf(world(), issue, "unconfirmed")).toEqual([]);
    const first = world().comment(issue, "1b 2a", "rae");
    expect(await taskComment(world(), issue, "unconfirmed")).toMatchInlineSnapshot(
      `"Thank you! Answers to the planner's questions count from people with the role \`write\` or more. One of them can confirm this one by replying with the same words."`,
    );
    world().comment(issue, "1a", "rae");
    world().comment(issue, "defaults", "sam");
    await settled(world());
    expect(commentsOf(world(), issue, "unconfirmed")).toHaveLength(1);
    expect(reactions(world(), issue, first)).toEqual([]);
    expect((await taskOf(world(), issue, () => true)).given).toEqual([]);
    expect(await ask(world(), issue, "1b 2a")).toContain("what letters make (wes)");
    await planFor(world(), issue);
    world().comment(issue, "1a", "sam");
    await settled(world());
    expect(commentsOf(world(), issue, "unconfirmed")).toHaveLength(1);
  });

  it("is pointed to its questions when somebody asks for the plan again", async () => {
    await scriptNow(world(), complex);
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskOf(world(), issue, ({ shownIn }) => shownIn !== null, "questions");
    expect(
      (await ask(world(), issue, "/loom run")).replaceAll(/http:..[^/]+|\d+(?=[#)])/g, "…"),
    ).toMatchInlineSnapshot(
      `"The plan for this issue waits for answers to [2 questions](…/ada/tools/issues/…#issuecomment-…) above. Reply like \`1b 2: use Redis\`, or \`defaults\` to go on with the defaults."`,
    );
    await ask(world(), issue, "1b");
    expect(await ask(world(), issue, "/loom run")).toMatch(/a question\].* Reply like `2b`/);
    await ask(world(), issue, "defaults");
    await planFor(world(), issue);
  });

  it("takes its answers from a command, and the defaults for the rest where that is said", async () => {
    await scriptNow(world(), complex);
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run --depth quick");
    await taskComment(world(), issue, "questions");
    expect(await ask(world(), issue, "/loom answer whatever you like")).toMatchInlineSnapshot(
      `"I can't tell which question this answers. Answer like this: \`1b 2: your words\`. Nothing was taken yet; the questions still wait."`,
    );
    expect(
      await ask(world(), issue, "/loom answer 2: in memory, please; the rest: defaults"),
    ).toMatchInlineSnapshot(`
      "Taken. The plan will be written from these answers:

      - **1.** What is a word? → what spaces divide (wes)
      - **2.** Where are the counts kept? → in memory, please (wes)"
    `);
    await planFor(world(), issue);
  });

  it("takes from a command whatever it takes from a reply", async () => {
    await scriptNow(world(), {
      begin: answers(questions("medium", [WORDS, STORE, { question: "Which language?" }])),
      draft: answers(COUNT),
    });
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskComment(world(), issue, "questions");
    const said: string[] = [];
    const words = ["1b,2a", "1.a 2.b", "(1) b", "1:Redis", "\n> 1b", "I'd take Postgres", "b", "defaults"];
    for (const line of words.map((word) => `/loom answer ${word}`))
      said.push(`${line}\n${await ask(world(), issue, line)}`);
    expect(said.join("\n\n")).toMatchInlineSnapshot(`
      "/loom answer 1b,2a
      Taken so far:

      - **1.** What is a word? → what letters make (wes)
      - **2.** Where are the counts kept? → nowhere (wes)

      Question 3 still waits. Reply like \`3: your words\`, or \`defaults\` to settle the rest. Until then a new answer replaces an earlier one.

      /loom answer 1.a 2.b
      Taken so far:

      - **1.** What is a word? → what spaces divide (wes)
      - **2.** Where are the counts kept? → in a file (wes)

      Question 3 still waits. Reply like \`3: your words\`, or \`defaults\` to settle the rest. Until then a new answer replaces an earlier one.

      /loom answer (1) b
      Taken so far:

      - **1.** What is a word? → what letters make (wes)
      - **2.** Where are the counts kept? → in a file (wes)

      Question 3 still waits. Reply like \`3: your words\`, or \`defaults\` to settle the rest. Until then a new answer replaces an earlier one.

      /loom answer 1:Redis
      Taken so far:

      - **1.** What is a word? → Redis (wes)
      - **2.** Where are the counts kept? → in a file (wes)

      Question 3 still waits. Reply like \`3: your words\`, or \`defaults\` to settle the rest. Until then a new answer replaces an earlier one.

      /loom answer 
      > 1b
      Quotes and code are not read as an answer. The questions still wait.

      /loom answer I'd take Postgres
      I can't tell which question this answers. Answer like this: \`1b 2: your words\`. Nothing was taken yet; the questions still wait.

      /loom answer b
      I can't tell which question this answers. Answer like this: \`1b 2: your words\`. Nothing was taken yet; the questions still wait.

      /loom answer defaults
      Taken. The plan will be written from these answers:

      - **1.** What is a word? → Redis (wes)
      - **2.** Where are the counts kept? → in a file (wes)
      - **3.** Which language? → Whatever fits the project best. (wes)"
    `);
    await planFor(world(), issue);
  });

  it.each([
    ["b", "what letters make"],
    ["I'd take what letters make", "what letters make"],
  ])("takes %j from a command where there is one question", async (words, answer) => {
    await scriptNow(world(), { begin: answers(questions("medium", [WORDS])), draft: answers(COUNT) });
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskComment(world(), issue, "questions");
    expect(await ask(world(), issue, `/loom answer ${words}`)).toContain(`What is a word? → ${answer} (wes)`);
    await planFor(world(), issue);
  });

  it.each([
    ["quick", 2],
    ["standard", 4],
    ["deep", 8],
  ])("is asked about with no more questions than the depth allows: %s", async (depth, most) => {
    const many = Array.from({ length: 12 }, (_, n) => ({
      ...WORDS,
      question: `What is a word in language ${n + 1}?`,
    }));
    await scriptNow(world(), { begin: answers(questions("medium", many)), draft: answers(COUNT) });
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, `/loom run --depth ${depth}`);
    const asked = await taskComment(world(), issue, "questions");
    expect(asked.match(/What is a word in language/g)).toHaveLength(most);
    const task = await taskOf(world(), issue, () => true);
    const [prompt] = (await promptsOf(world(), task)).get("begin") ?? [];
    expect(prompt).toContain(`an assessment of at most ${most} questions`);
    expect(await ask(world(), issue, "defaults")).toContain("what spaces divide (wes)");
    await planFor(world(), issue);
  });

  it("is designed without a question when nothing is open", async () => {
    await scriptNow(world(), { ...complex, begin: answers(questions("complex", [])) });
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await planFor(world(), issue);
    expect(commentsOf(world(), issue, "questions")).toEqual([]);
    expect((await taskOf(world(), issue)).design?.document).toContain("Count them with wc.");
  });

  it("is answered above a command, too, and never by what stands below one", async () => {
    await scriptNow(world(), complex);
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskComment(world(), issue, "questions");
    expect(await ask(world(), issue, "/loom status\n1a 2a")).not.toContain("Taken");
    expect(await ask(world(), issue, "1b\n2a\n\n/loom help")).toContain(
      "- **2.** Where are the counts kept? → nowhere (wes)",
    );
    await planFor(world(), issue);
  });

  it("can be given up while its questions wait", async () => {
    await scriptNow(world(), complex);
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskComment(world(), issue, "questions");
    await ask(world(), issue, "/loom cancel");
    expect((await taskOf(world(), issue)).outcome).toEqual({ kind: "cancelled", by: "wes" });
    expect(await ask(world(), issue, "/loom answer 1a")).toMatchInlineSnapshot(
      `"No question waits for an answer here."`,
    );
  });
});

describe("questions that nobody answers", () => {
  const world = sharedWorld({
    tasks: { begin: answers(questions("medium", [WORDS])), draft: answers(COUNT) },
  });

  /** A worker comes by whose clock is so many hours ahead. */
  async function hoursLater(hours: number, task: string): Promise<void> {
    const engine = await world().engine();
    const ahead = { ...engine, now: () => engine.now() + hours * 3_600_000 };
    await doTask(world().loom.hosted.host, ahead, task, new AbortController().signal);
  }

  it("are brought up once, also after a restart, then answered by their defaults, and that is said", async () => {
    const issue = world().issue({ body: "Count them." });
    world().comment(issue, "/loom run");
    await taskComment(world(), issue, "questions");
    const { id } = await taskOf(world(), issue, ({ shownAt }) => shownAt !== null, "questions");
    await hoursLater(23, id);
    expect(commentsOf(world(), issue, "reminder")).toEqual([]);
    await hoursLater(25, id);
    await world().stopLoom();
    await world().startLoom();
    await sweep(world().loom.hosted.host);
    await hoursLater(71, id);
    await settled(world());
    expect(commentsOf(world(), issue, "reminder").map(plain)).toMatchInlineSnapshot(`
      [
        "A question of the planner still waits for an answer here. Reply like \`1b\`; answers count from people with the role \`write\` or more. In 1d the default is taken. This is the only reminder.",
      ]
    `);
    expect(commentsOf(world(), issue, "defaults")).toEqual([]);
    await hoursLater(73, id);
    expect(commentsOf(world(), issue, "defaults").map(plain)).toMatchInlineSnapshot(`
      [
        "Nobody answered, so the planner goes on with the defaults:

      - **1.** What is a word? → what spaces divide (default, nobody answered)

      If one of them is wrong, say so on the plan: \`/loom revise <what should be different>\`.",
      ]
    `);
    const task = await taskOf(world(), issue);
    expect(task.outcome?.kind).toBe("planned");
    expect(task.answers).toEqual([{ text: "what spaces divide", by: null }]);
    const [prompt = ""] = (await promptsOf(world(), task)).get("draft") ?? [];
    expect(prompt).toContain("Nobody answered, so this holds:");
    expect(commentsOf(world(), issue, "reminder")).toHaveLength(1);
  });
});
