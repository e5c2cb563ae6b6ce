import { expect, it } from "vitest";
import { watchGitHub } from "../../demo/watch-github.ts";
import { addComment } from "../../playground/model/issues/add-comment.ts";
import { editComment } from "../../playground/model/issues/edit-comment.ts";
import { openIssue } from "../../playground/model/issues/open-issue.ts";
import { createRepository } from "../../playground/model/people/create-repository.ts";
import { startPlayground } from "../../playground/server.ts";
import { planningReplies } from "../../src/core/report/github/plan/planning-replies.ts";

const panel = (state: string, pull = ""): string =>
  `<!-- loom:panel x -->\n\n|  | Stage | State | PR | Evidence | Time |\n|---|---|---|---|---|---|\n| ● | \`build\` Build it | ${state} | ${pull} |  |  |\n`;

/** What is told of a comment of Loom's that says one thing after the other. */
async function told(first: string, ...later: readonly string[]): Promise<string[]> {
  const github = await startPlayground();
  try {
    const { world } = github;
    const gitDir = github.gitDir("ada", "tools");
    const repository = await createRepository(world, {
      owner: "ada",
      name: "tools",
      gitDir,
      files: { a: "1" },
    });
    const issue = openIssue(world, repository, { by: "ada", title: "T", body: "" });
    const sights: string[] = [];
    const watch = watchGitHub({ github, bot: "loom[bot]" }, ({ who, text }) =>
      sights.push(`${who}| ${text}`),
    );
    const comment = addComment(world, repository, issue, { by: "loom[bot]", body: first });
    for (const body of later) editComment(world, repository, comment.id, { by: "loom[bot]", body });
    watch.stop();
    return sights;
  } finally {
    await github.close();
  }
}

/** The same of the panel of a run that shows one state after the other. */
function toldOfPanel(...states: readonly (readonly [string, string?])[]): Promise<string[]> {
  return told(panel("waiting"), ...states.map(([state, pull]) => panel(state, pull)));
}

it("tells of a failed try and of a conflict however much of them the panel shows", async () => {
  const failed = "Loom| build did not pass its checks; try 2 begins";
  const conflict = "Loom| build conflicts with what was merged; an agent resolves it";
  const works = "Loom| build: an agent is at work";
  const checks = "Loom| build: checks run on a clean checkout";
  expect(
    await toldOfPanel(
      ["working"],
      ["working (2nd try)"],
      ["verifying (2nd try): x"],
      ["conflict: in a", "#7"],
      ["resolving (3rd try)", "#7"],
      ["verifying (3rd try)", "#7"],
      ["merged", "#7"],
    ),
  ).toEqual([works, failed, checks, conflict, checks]);
  expect(await toldOfPanel(["working"], ["verifying (2nd try)"], ["resolving (3rd try)", "#7"])).toEqual([
    works,
    failed,
    checks,
    conflict,
  ]);
  expect(await toldOfPanel(["working"], ["resolving (3rd try)", "#7"])).toEqual([works, failed, conflict]);
  expect(await toldOfPanel(["merging", "#7"], ["verifying (2nd try)", "#7"])).toEqual([
    "Loom| build has to catch up with what was merged; try 2 begins",
    checks,
  ]);
  expect(await toldOfPanel(["blocked: why"])).toEqual(["Loom| build is stuck and needs a person"]);
});

it("shows what the planner asks, with what can be chosen", async () => {
  const questions = [
    {
      text: "Is `The` the same as *the*?",
      options: ["no, <b>all</b> differ", "yes"],
      usual: "yes",
      why: "It decides what is counted.",
    },
    { text: "Who reads it?", options: [], usual: "Anybody", why: "" },
  ];
  const times = { depth: "standard", remindIn: 3_600_000, defaultIn: 7_200_000 } as const;
  expect(await told(planningReplies.questions(questions, times))).toMatchInlineSnapshot(`
    [
      "Loom| asks on #1: Is The the same as *the*?",
      "| a) no, <b>all</b> differ",
      "| b) yes (default)",
      "Loom| asks on #1: Who reads it?",
    ]
  `);
});

it("shows the answers that were taken, and else the first line of what Loom says", async () => {
  const questions = [{ text: "Where?", options: ["Redis", "Postgres"], usual: "Redis", why: "" }];
  const taken = planningReplies.answersTaken(questions, [{ text: "Postgres", by: "wes" }]);
  expect(await told(taken)).toMatchInlineSnapshot(`
    [
      "Loom| answers on #1: Taken. The plan will be written from these answers: 1. Where? → Postgres (wes)",
    ]
  `);
  expect(await told("<!-- loom:x -->\n\nAll is well.\n\nAnd so on.")).toMatchInlineSnapshot(`
    [
      "Loom| answers on #1: All is well.",
    ]
  `);
});

it("tells when Loom says something else in the same place, and nothing when it repeats itself", async () => {
  const first = "An agent reads.";
  const later = ["An agent reads.\n\nStill.", "The plan is open: #4.", "The plan is open: #4."];
  expect(await told(first, ...later)).toEqual([
    "Loom| answers on #1: An agent reads.",
    "Loom| answers on #1: The plan is open: #4.",
  ]);
});
