import { expect, it } from "vitest";
import { COUNT, FINDINGS, planAnswer, QUESTIONS } from "../../cli/task-project.ts";
import { normalise } from "../../scenario/project.ts";
import { allTextIn, anAgentProject, MODEL_KEY, taskTextOf, whenTold } from "../../support/agent-world.ts";
import { processesWith } from "../../support/loom-cli.ts";
import type { ComputedStep } from "../../support/model-server/step.ts";
import { drivenCli } from "../sessions/driven-clis.ts";

const GOAL = "Say how many words a text has.";
const BROKEN = planAnswer([{ ...COUNT, dependencies: ["nope"] }]);

it("plans, reviews and answers in a terminal with a real agent that only reads", async () => {
  const project = await anAgentProject({
    stages: [{ id: "only" }],
    harness: "claude",
    rules: [
      whenTold(
        [GOAL, "What is a word?"],
        [{ tools: [{ read: "README.md" }] }, { say: BROKEN }, { say: planAnswer() }],
      ),
      whenTold([GOAL], [{ say: QUESTIONS }]),
      whenTold(["the greeting"], [{ say: FINDINGS }]),
      whenTold(["Who is greeted?"], [{ say: "Nobody: `README.md` says hello and no more." }]),
    ],
  });
  const planned = await project.loom("plan", "new", GOAL, "--out", "WORDS.md", "--answers", "1b");
  expect(normalise(planned.stderr).replace(/\d+ s$/gm, "<span>")).toMatchInlineSnapshot(`
    "claude (opus) reads the code, to see what it takes.
    The task looks medium: It decides what is counted.
    The plan is written from these answers:
    1. What is a word? → what letters make
    2. Where is it kept? → a file (default)
    claude (opus) writes the plan.
    The draft has 1 problem; it goes back to the planner (1 of 3).
    claude/claude-opus-5-5 · 4,000 tokens in, 200 out · $0.02 · <span>
    "
  `);
  expect(planned).toMatchObject({
    code: 0,
    stdout: "The plan stands in WORDS.md. Read it, then: loom run WORDS.md\n",
  });
  expect((await project.ask("plan", "check", "WORDS.md")).code).toBe(0);

  const reviewed = await project.loom("review", "the greeting", "--json", "--fail-on", "high");
  expect(reviewed.code).toBe(1);
  expect(JSON.parse(reviewed.stdout)).toMatchObject({
    status: "audited",
    findings: [{ severity: "high", file: "src/a.js" }],
  });

  const answered = await project.loom("ask", "Who is greeted?");
  expect(answered.code).toBe(0);
  expect(answered.stdout).toMatch(
    /^Nobody: `README.md` says hello and no more\.\n\nclaude\/\S+ · [\d,]+ tokens in/,
  );

  expect(project.git("status", "--porcelain")).toBe("?? WORDS.md");
  expect(project.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(allTextIn(`${project.root}/.git/loom`)).not.toContain(MODEL_KEY);
  expect(processesWith(project.root)).toEqual([]);
});

// That each CLI reads such a file to its end is shown in `sessions/work.test.ts`.
it("reviews a change that is too large to be told, with all of it to read", async () => {
  const cli = drivenCli("codex");
  /** As a model does: by what it was told about the last of the files. */
  const readLast: ComputedStep = (request) => {
    const told = taskTextOf(request);
    const [, place = ""] = /in the file `(.*change\.diff)` too/.exec(told) ?? [];
    const [, last = "0"] = /^\d+-(\d+) src\/file-11\.txt$/m.exec(told) ?? [];
    return { tools: [cli.readLines(place, Number(last) - 2, 3)] };
  };
  const project = await anAgentProject({
    stages: [{ id: "only" }],
    harness: cli.id,
    script: [readLast, { say: FINDINGS }],
  });
  project.git("checkout", "-q", "-b", "feature");
  const text = (n: number): string => `${`word ${n} `.repeat(6)}\n`.repeat(n < 3 ? 100 : 1_000);
  const files = Array.from({ length: 12 }, (_, n) => [`src/file-${n}.txt`, `${text(n)}the end of ${n}\n`]);
  project.write(Object.fromEntries(files));
  project.commit("large");
  const reviewed = await project.loom("review", "--json");
  expect(reviewed.code).toBe(0);
  const { diffs, notes } = JSON.parse(reviewed.stdout);
  expect(diffs).toMatchObject({ files: 12, readable: 12 });
  expect(notes[0]).toMatch(
    /^The change is large: of 12 files, the agent was shown \d diffs in full and could read/,
  );
  expect(project.turns().at(-1)?.toolResults.at(-1)?.text).toContain("+the end of 11");
  expect(project.git("status", "--porcelain")).toBe("");
});
