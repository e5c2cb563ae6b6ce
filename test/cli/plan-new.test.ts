import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COUNT, planAnswer, QUESTIONS, taskProject, USAGE } from "./task-project.ts";

const SOUND = { begin: [{ answer: QUESTIONS }], draft: [USAGE, { answer: planAnswer() }] };
const AT_ONCE = { draft: [{ answer: planAnswer() }] };

describe("loom plan new", () => {
  it("writes a plan that loom plan check takes and loom run builds; nobody is asked, and that is said", async () => {
    const project = taskProject(SOUND);
    expect(await project.tell(["plan", "new", "Count", "words"])).toMatchInlineSnapshot(`
      "$ loom plan new Count words
      err scripted reads the code, to see what it takes.
      err The task looks medium: It decides what is counted.
      err There is nobody to ask here, so the defaults hold:
      err 1. What is a word? → what spaces divide (default)
      err 2. Where is it kept? → a file (default)
      err scripted writes the plan.
      err scripted · 1,000 tokens in, 200 out · $0.02 · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 0
      "
    `);
    expect(await project.tell(["plan", "check", "PLAN.md"])).toContain("PLAN.md is valid.");
    expect(project.git("status", "--short")).toBe("?? PLAN.md");
    expect((await project.ask("run", "PLAN.md")).code).toBe(0);
    expect(project.read("count.sh")).toBe("wc -w\n");
    expect(await project.tell(["plan", "new", "Count words"])).toMatchInlineSnapshot(`
      "$ loom plan new Count words
      err loom: PLAN.md is there already.
      err       \`loom run PLAN.md\` runs it. For another plan, name another file with --out, or write over it with --force.
      => 2
      "
    `);
    expect((await project.ask("runs")).stdout.match(/^plan-/gm)).toHaveLength(1);
  });

  it("asks whoever sits there, until the answer fits", async () => {
    const project = taskProject(SOUND);
    const asked: string[] = [];
    const answers = ["9a", "1b"];
    const person = (question: string): string | null => {
      asked.push(question);
      return answers[asked.length - 1] ?? null;
    };
    const told = await project.tell(["plan", "new", "Count words"], { person });
    expect(asked.join("")).toMatchInlineSnapshot(`
      "Before the plan is written, please answer 2 questions:

      1. What is a word?
         a) what spaces divide (default)
         b) what letters make

      2. Where is it kept?
         a) Redis
         b) a file (default)

      Answer like this: 1b 2: use Redis. An empty line takes the defaults.
      > I can't find question 9: there are 2 questions. Answer like this: \`1b 2: your words\`.
      > "
    `);
    expect(told).toContain(
      "err The plan is written from these answers:\nerr 1. What is a word? → what letters make\nerr 2. Where is it kept? → a file (default)\n",
    );
    expect(project.prompts("plan").at(-1)).toContain("what letters make");
  });

  it("stops when the person leaves instead of answering, and goes on from there when asked the same", async () => {
    const project = taskProject(SOUND);
    expect(await project.tell(["plan", "new", "Count words"], { person: () => null })).toMatchInlineSnapshot(`
      "$ loom plan new Count words
      err scripted reads the code, to see what it takes.
      err The task looks medium: It decides what is counted.
      err loom: Stopped.
      err       The same command goes on from what is known by now.
      => 130
      "
    `);
    expect(project.has("PLAN.md")).toBe(false);
    const again = await project.tell(["plan", "new", "Count words"], { person: () => "" });
    expect(again).toMatchInlineSnapshot(`
      "$ loom plan new Count words
      err The same goal was started on <time> and not finished; it goes on from there. --fresh starts again.
      err The plan is written from the defaults:
      err 1. What is a word? → what spaces divide (default)
      err 2. Where is it kept? → a file (default)
      err scripted writes the plan.
      err scripted · 1,000 tokens in, 200 out · $0.02 · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 0
      "
    `);
  });

  it("begins anew when told so, and does not come back to what was left behind", async () => {
    const project = taskProject(SOUND);
    await project.tell(["plan", "new", "Count words"], { person: () => null });
    const fresh = await project.tell(["plan", "new", "Count words", "--fresh"]);
    expect(fresh).toContain("err scripted reads the code, to see what it takes.");
    expect(fresh).toContain("=> 0");
    const again = await project.tell(["plan", "new", "Count words", "--force"]);
    expect(again).not.toContain("it goes on from there");
    expect(project.tasks("plan")).toHaveLength(3);
  });

  it("refuses flags that could not be heeded, and says when answers were not needed", async () => {
    const project = taskProject(AT_ONCE);
    const told: string[] = [];
    for (const flags of [
      ["--answers", " "],
      ["--express", "--depth", "deep"],
      ["--express", "--answers", "1b"],
    ])
      told.push(await project.tell(["plan", "new", "Count words", ...flags]));
    told.push(await project.tell(["orchestrate", "Count words", "--yes", "--express", "--depth", "quick"]));
    expect(told.join("\n")).toMatchInlineSnapshot(`
      "$ loom plan new Count words --answers
      err loom: --answers is empty.
      err       Leave out --answers to be asked, or answer like this: --answers "1b 2: use Redis".
      => 2

      $ loom plan new Count words --express --depth deep
      err loom: --express designs nothing, so it can't go with --depth.
      err       Leave out one of them.
      => 2

      $ loom plan new Count words --express --answers 1b
      err loom: --express asks nothing, so it can't go with --answers.
      err       Leave out one of them.
      => 2

      $ loom orchestrate Count words --yes --express --depth quick
      err loom: --express designs nothing, so it can't go with --depth.
      err       Leave out one of them.
      => 2
      "
    `);
    expect(project.has(".git/loom/tasks")).toBe(false);
    project.rewrite({ begin: [{ answer: planAnswer() }] });
    expect(await project.tell(["plan", "new", "Count words", "--answers", "1b"])).toMatchInlineSnapshot(`
      "$ loom plan new Count words --answers 1b
      err scripted reads the code, to see what it takes.
      err --answers was not used: no question was open.
      err scripted · tokens not reported · cost unknown · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 0
      "
    `);
  });

  it("takes answers from the command, and names what does not fit", async () => {
    const project = taskProject(SOUND);
    const wrong = await project.tell(["plan", "new", "Count words", "--answers", "7z"]);
    expect(wrong).toMatchInlineSnapshot(`
      "$ loom plan new Count words --answers 7z
      err scripted reads the code, to see what it takes.
      err The task looks medium: It decides what is counted.
      err loom: I can't find question 7: there are 2 questions. Answer like this: \`1b 2: your words\`.
      err       Leave out --answers to be asked, or answer like this: --answers "1b 2: use Redis".
      => 2
      "
    `);
    const right = await project.tell(["plan", "new", "Count words", "--answers", "1b 2: a cloud"]);
    expect(right).toMatchInlineSnapshot(`
      "$ loom plan new Count words --answers 1b 2: a cloud
      err The same goal was started on <time> and not finished; it goes on from there. --fresh starts again.
      err The plan is written from these answers:
      err 1. What is a word? → what letters make
      err 2. Where is it kept? → a cloud
      err scripted writes the plan.
      err scripted · 1,000 tokens in, 200 out · $0.02 · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 0
      "
    `);
  });

  it("sends a draft back with what is wrong with it, and says so", async () => {
    const broken = planAnswer([{ ...COUNT, dependencies: ["nope"] }]);
    const project = taskProject({
      draft: [{ answer: broken }],
      redraft: { attempts: [[{ answer: broken }], [{ answer: planAnswer() }]] },
    });
    expect(await project.tell(["plan", "new", "Count words", "--express"])).toMatchInlineSnapshot(`
      "$ loom plan new Count words --express
      err scripted writes the plan.
      err The draft has 1 problem; it goes back to the planner (1 of 3).
      err The draft has 1 problem; it goes back to the planner (2 of 3).
      err scripted · tokens not reported · cost unknown · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 0
      "
    `);
  });

  it("puts a plan of one stage in the place of one that never comes, and does not run that unread", async () => {
    const broken = { answer: planAnswer([{ ...COUNT, dependencies: ["nope"] }]) };
    const project = taskProject({ draft: [broken], redraft: [broken] });
    const told = await project.tell(["orchestrate", "Count words", "--express", "--yes"]);
    expect(told).toMatchInlineSnapshot(`
      "$ loom orchestrate Count words --express --yes
      err scripted writes the plan.
      err The draft has 1 problem; it goes back to the planner (1 of 3).
      err The draft has 1 problem; it goes back to the planner (2 of 3).
      err The draft has 1 problem; it goes back to the planner (3 of 3).
      err No sound plan came in 4 drafts. The last one had 1 problem: \`stages[0].dependencies[0]\`: There is no stage \`nope\` to depend on. Name the id of a stage of this plan. A plan of one stage stands in its place.
      err scripted · tokens not reported · cost unknown · <span>
      err It is not run: --yes is for a plan of the planner's, and this one only stands in its place.
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 1
      "
    `);
    expect((await project.ask("plan", "check", "PLAN.md")).code).toBe(0);
  });

  it("puts a plan of one stage in the place of a planner that fails, unless the repository wants none", async () => {
    const fails = { draft: [{ run: "echo 'No route to the model.'; exit 1" }] };
    const project = taskProject(fails);
    expect(await project.tell(["plan", "new", "Count words", "--express"])).toMatchInlineSnapshot(`
      "$ loom plan new Count words --express
      err scripted writes the plan.
      err The agent ended with exit code 1. The end of its output:
      err   This is a scripted agent: it follows script.yml, and no model is at work.
      err   No route to the model.
      err scripted writes the plan.
      err The agent ended with exit code 1.
      err scripted writes the plan.
      err The agent ended with exit code 1.
      err The planner failed 3 times and brought no plan. The agent ended with exit code 1. A plan of one stage stands in its place.
      err scripted · tokens not reported · cost unknown · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 0
      "
    `);
    expect((await project.ask("plan", "check", "PLAN.md")).code).toBe(0);
    project.write({ ".github/loom.yml": "version: 1\nplanner: { degraded: deny }\n" });
    project.commit("no plan of one stage");
    const args = ["plan", "new", "Count words", "--express", "--out", "other.md"];
    const denied = await project.tell(args);
    expect(denied.split("\n").slice(-4).join("\n")).toMatchInlineSnapshot(`
      "err There is no plan. The planner failed 3 times and brought no plan. The agent ended with exit code 1. This repository takes no plan of one stage instead (planner.degraded: deny). \`loom doctor\` checks what the agent needs, and the same command tries again.
      err scripted · tokens not reported · cost unknown · <span>
      => 1
      "
    `);
    expect(project.has("other.md")).toBe(false);
    const { code, stdout } = await project.ask(...args, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ status: "refused", path: null, degraded: false });
  });

  it("prints one JSON object and nothing else", async () => {
    const project = taskProject({ draft: [USAGE, { answer: planAnswer() }] });
    const { code, stdout } = await project.ask("plan", "new", "Count words", "--express", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      type: "plan",
      status: "written",
      path: "PLAN.md",
      design: null,
      degraded: false,
      reason: null,
      usage: { costUsd: 0.02 },
    });
    expect(stdout.split("\n")).toHaveLength(2);
  });

  it("reads a goal of any sensible size from standard input", async () => {
    const project = taskProject(AT_ONCE);
    const goal = `Count words\n${"and words ".repeat(10_240)}`;
    const { code } = await project
      .with({ input: goal })
      .ask("plan", "new", "-", "--express", "--out", "docs/deep/my plan.md");
    expect(code).toBe(0);
    expect(project.read("docs/deep/my plan.md")).toContain('title: "Count words Implementation Plan"');
    expect((await project.ask("plan", "check", "docs/deep/my plan.md")).code).toBe(0);
    const more = { input: "x".repeat(600 * 1024) };
    expect(await project.tell(["plan", "new", "-"], more)).toMatchInlineSnapshot(`
      "$ loom plan new -
      err loom: That is more than 512 KB of text, which no agent can take in.
      err       Put the details into a file of the repository, and name that file instead.
      => 2
      "
    `);
    expect(await project.tell(["plan", "new", "-"], { input: " \n" })).toContain(
      "err loom: The goal is empty.",
    );
  });

  it("refuses before any agent is paid what could not be written down later", async () => {
    const project = taskProject(AT_ONCE);
    mkdirSync(join(project.root, "docs"));
    project.write({ "PLAN.design.md": "mine\n" });
    symlinkSync("nowhere/x.md", join(project.root, "link.md"));
    const wrong = [
      ["plan", "new", ""],
      ["plan", "new", "x", "--out", "docs"],
      ["plan", "new", "x", "--out", "new/"],
      ["plan", "new", "x", "--out", "README.md"],
      ["plan", "new", "x", "--out", "README.md/x.md"],
      ["plan", "new", "x", "--out", "link.md"],
      ["plan", "new", "x"],
      ["plan", "new", "x", "--depth", "foo"],
      ["plan", "new", "x", "--harness", "nobody", "--express"],
      ["plan", "new", "x", "--harness", "", "--express"],
      ["orchestrate", "x"],
    ];
    const told = [];
    for (const args of wrong) told.push(await project.tell(args));
    expect(told.join("")).toMatchInlineSnapshot(`
      "$ loom plan new
      err loom: The goal is empty.
      err       Say what is to be done: loom plan new "Add a search page", or loom plan new - < goal.md
      => 2
      $ loom plan new x --out docs
      err loom: docs is a folder.
      err       Name a file in it: --out docs/PLAN.md
      => 2
      $ loom plan new x --out new/
      err loom: new/ is a folder.
      err       Name a file in it: --out new/PLAN.md
      => 2
      $ loom plan new x --out README.md
      err loom: README.md is there already.
      err       Name another file with --out, or write over it with --force.
      => 2
      $ loom plan new x --out README.md/x.md
      err loom: README.md/x.md can't be written: /tmp/x/repo/README.md is not a folder.
      err       Name another file with --out.
      => 2
      $ loom plan new x --out link.md
      err loom: link.md is there already.
      err       Name another file with --out, or write over it with --force.
      => 2
      $ loom plan new x
      err loom: PLAN.design.md is there already.
      err       Name another file with --out, or write over it with --force.
      => 2
      $ loom plan new x --depth foo
      err error: option '--depth <depth>' argument 'foo' is invalid. It is quick, standard or deep.
      err Add --help to see how it is used.
      => 2
      $ loom plan new x --harness nobody --express
      err loom: There is no agent called nobody.
      err       Known here: claude, codex, gemini, opencode, command, scripted. \`--harness NAME\` chooses one.
      => 2
      $ loom plan new x --harness  --express
      err loom: The name of the agent is empty.
      err       Known here: claude, codex, gemini, opencode, command, scripted. \`--harness NAME\` chooses one.
      => 2
      $ loom orchestrate x
      err loom: There is nobody here to say yes to the plan.
      err       Add --yes to run it unread, or write it with \`loom plan new\`, read it, and start it with \`loom run\`.
      => 2
      "
    `);
    expect(told.every((text) => text.endsWith("=> 2\n"))).toBe(true);
    expect(project.read("PLAN.design.md")).toBe("mine\n");
  });

  it("says so when somebody else wrote the file meanwhile, and gives up no plan for it", async () => {
    const project = taskProject(AT_ONCE);
    const meanwhile = `echo mine > '${project.root}/PLAN.md'`;
    project.rewrite({ draft: [{ run: meanwhile }, { answer: planAnswer() }] });
    const args = ["plan", "new", "Count words", "--express"];
    expect(await project.tell(args)).toMatchInlineSnapshot(`
      "$ loom plan new Count words --express
      err scripted writes the plan.
      err loom: The plan is made, but PLAN.md has appeared meanwhile.
      err       Clear the way and say the same again, with --force if need be: no agent has to work for it twice.
      => 1
      "
    `);
    expect(project.read("PLAN.md")).toBe("mine\n");
    expect(await project.tell([...args, "--force"])).toMatchInlineSnapshot(`
      "$ loom plan new Count words --express --force
      err The same goal was started on <time> and not finished; it goes on from there. --fresh starts again.
      err scripted · tokens not reported · cost unknown · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 0
      "
    `);
  });

  it("comes to an end where no folder can be made", async () => {
    const project = taskProject(AT_ONCE);
    // Root seems to be allowed to, and is told so only when it tries; others are told before.
    const told = await project.tell([
      "plan",
      "new",
      "Count words",
      "--express",
      "--out",
      "/proc/x/y/PLAN.md",
    ]);
    expect(told).toMatch(/\/proc\/x\/y\/PLAN\.md can't be written: .*\n[\s\S]*=> [12]\n$/);
  });

  it("needs a commit, and a folder to write into", async () => {
    const project = taskProject(AT_ONCE);
    project.git("update-ref", "-d", "HEAD");
    expect(await project.tell(["plan", "new", "x", "--out", "p.md"])).toMatchInlineSnapshot(`
      "$ loom plan new x --out p.md
      err loom: This repository has no commit yet.
      err       Make a first commit (\`git commit --allow-empty -m start\` will do) and try again.
      => 1
      "
    `);
    project.commit("again");
    project.git("clone", "-q", "--bare", ".", "../bare.git");
    const cwd = join(project.notes, "bare.git");
    expect(await project.tell(["plan", "new", "x"], { cwd })).toMatchInlineSnapshot(`
      "$ loom plan new x
      err loom: This repository is bare: there is no folder for a plan.
      err       Name a file with --out.
      => 2
      "
    `);
    expect(await project.tell(["plan", "new", "x", "--express", "--out", "../out.md"], { cwd })).toContain(
      "=> 0",
    );
  });

  it("plans from the last commit, and says what is no part of it", async () => {
    const project = taskProject(AT_ONCE);
    project.write({ "src/a.js": "console.log(3);\n" });
    const told = await project.tell(["plan", "new", "Count words", "--express"]);
    expect(told).toContain("err The plan starts from <sha>: what is not committed yet is no part of it.\n");
  });

  it("keeps to the operator's settings: agents left out, time, effort, route, prompts of this plan", async () => {
    const project = taskProject(AT_ONCE);
    project.write({
      ".loom/words/planning/draft.md": "Words of this plan alone.\n",
      ".loom/other/planning/draft.md": "Words of another plan.\n",
    });
    const env = {
      LOOM_HARNESS: "claude",
      LOOM_ROUTES: "planning=scripted",
      LOOM_DISABLED_AGENTS: "seo-specialist",
      LOOM_PLAN_TIMEOUT: "77",
      LOOM_PLAN_EFFORT: "low",
    };
    const args = ["plan", "new", "Count words", "--express", "--out", "Words.md"];
    expect(await project.tell(args, { env })).toMatchInlineSnapshot(`
      "$ loom plan new Count words --express --out Words.md
      err Agents are told by prompts of this repository, in .loom/words/, in place of Loom's: planning/draft.md.
      err scripted writes the plan.
      err scripted · tokens not reported · cost unknown · <span>
      The plan stands in Words.md. Read it, then: loom run Words.md
      => 0
      "
    `);
    const [prompt] = project.prompts("plan");
    expect(prompt).toContain("Words of this plan alone.");
    expect(prompt).not.toContain("Words of another plan.");
    expect(prompt).not.toContain("seo-specialist");
    expect(prompt).toContain("code-reviewer");
    const [created] = project.tasks("plan");
    expect(created).toMatchObject({
      settings: { planTimeoutSecs: 77, planEffort: "low" },
      timeoutSecs: 308,
    });
  });

  it("writes over what is there when told to", async () => {
    const project = taskProject(AT_ONCE);
    project.write({ "PLAN.md": "old\n" });
    expect(await project.tell(["plan", "new", "Count words", "--force", "--express"])).toMatchInlineSnapshot(`
      "$ loom plan new Count words --force --express
      err scripted writes the plan.
      err scripted · tokens not reported · cost unknown · <span>
      The plan stands in PLAN.md. Read it, then: loom run PLAN.md
      => 0
      "
    `);
    expect(project.read("PLAN.md")).toContain("# Count words");
  });
});
