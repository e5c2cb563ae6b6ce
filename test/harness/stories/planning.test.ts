import { readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentCliId } from "../../setup/agent-clis.ts";
import {
  agentEnvironment,
  allTextIn,
  forStage,
  lastWords,
  MODEL_KEY,
  taskTextOf,
  whenAsked,
  whenTold,
} from "../../support/agent-world.ts";
import { MISTAKES, PLANS_BY_TASK } from "../../support/drafts.ts";
import { ask } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { processesWith } from "../../support/loom-cli.ts";
import type { SeenRequest } from "../../support/model-server/seen-request.ts";
import { type ModelServer, startModelServer } from "../../support/model-server/start-model-server.ts";
import type { Step } from "../../support/model-server/step.ts";
import {
  draftStage,
  outsideFences,
  planAnswer,
  planFor,
  questions,
  taskComment,
  taskOf,
} from "../../support/planning-talk.ts";
import { type DrivenCli, drivenCli } from "../sessions/driven-clis.ts";

let world: GitHubWorld | null = null;
let model: ModelServer | null = null;
afterEach(async () => {
  await world?.end();
  await model?.close();
  world = null;
  model = null;
});

const PLAN = planAnswer([
  draftStage("count", {
    files: ["count.sh"],
    acceptance: ["test 2 -eq $(echo a b | sh count.sh)"],
  }),
]);
const UNKNOWN_AGENT = planAnswer([draftStage("count", { files: ["count.sh"], agent: "wizard" })]);
const WORD = {
  question: "What is a word?",
  options: ["what spaces divide", "what letters make"],
  default: "a",
};
const QUESTION = questions("medium", [WORD]);
const REVISED = planAnswer([
  draftStage("count", { files: ["count.sh"], acceptance: ["test 2 -eq $(echo a b | sh count.sh)"] }),
  draftStage("document", { files: ["COUNT.md"], acceptance: ["test -f COUNT.md"], dependencies: ["count"] }),
]);

/** Looks around, and tries what a planner may not. */
const looks = ({ write, shell }: DrivenCli): readonly Step[] => [
  { say: "I look.", tools: [{ read: "README.md" }], usage: { input: 4_000, output: 40 } },
  { tools: [write("planted.txt", "planted")] },
  { tools: [shell("echo planted > by-shell.txt; touch planted-too.txt")] },
];

function plantedIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /(?:planted|by-shell|planted-too)\.txt$/.test(name));
}

/** What the first draft of each is; what can be wrong with a draft is shown with the scripted agent. */
const TRIED = {
  codex: "YAML that breaks off",
  gemini: "no block at all",
  opencode: "a pipeline",
} as const satisfies Partial<Record<AgentCliId, string>>;
const FENCED = PLANS_BY_TASK["a plan in a fence of its own"] ?? "";
const DRAFT: readonly Step[] = [{ say: UNKNOWN_AGENT }, { say: PLAN }];
const WORK: readonly Step[] = [
  { tools: [{ write: { path: "count.sh", text: "wc -w\n" } }] },
  { say: lastWords("I wrote `count.sh`.") },
];

const DRAFTING = "Write the plan. Nobody can be asked any more";
const DESIGNING = "Write the design document. Depth: quick.";
const REVISING = "Write the whole plan again, with what should be different.";
const LOOKING = "Look at the code, then answer with a plan";

function isFrom(texts: readonly string[]): (request: SeenRequest) => boolean {
  return (request) => texts.every((text) => taskTextOf(request).includes(text));
}

describe("an issue in words, planned and built by a real agent", () => {
  it("is read, asked about, planned, fixed, approved and merged", async () => {
    const cli = drivenCli("claude");
    const harness = cli.id;
    model = await startModelServer({
      script: [],
      rules: [
        ...whenAsked("Loom could not accept this plan", [{ say: PLAN }, { say: PLAN }, { say: PLAN }]),
        whenTold([LOOKING], [...looks(cli), { say: QUESTION }]),
        whenTold(["## Your last draft"], [{ say: PLAN }]),
        whenTold([DRAFTING], DRAFT),
        forStage("count", WORK),
      ],
      keys: [MODEL_KEY],
    });
    world = await aGitHubWorld({
      config: { version: 1, merge: { mode: "auto" } },
      files: { "src/words.ts": "export const words = 1;\n" },
      env: agentEnvironment(harness, model.url),
    });
    const issue = world.issue({ title: "Count words", body: "```\nSAY HOW MANY words a text has.\n" });
    world.comment(issue, "/loom run");
    expect(await taskComment(world, issue, "questions")).toContain("**1.** What is a word?");
    expect(await ask(world, issue, "1b")).toContain("what letters make (wes)");
    const plan = await planFor(world, issue);
    const task = await taskOf(world, issue);
    expect(task.drafts.map(({ problems }) => problems.length)).toEqual([1, 0]);

    // It read, and could neither write nor run what writes.
    const looked = model.requests().filter(isFrom([LOOKING]));
    const results = looked.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
    expect(results.some((text) => text.includes("# Tools"))).toBe(true);
    expect(plantedIn(join(world.folder, "data"))).toEqual([]);

    const [first] = looked;
    const prompt = first ? taskTextOf(first) : "";
    expect(prompt).toContain("SAY HOW MANY words");
    expect(outsideFences(prompt)).not.toContain("SAY HOW MANY words");
    expect(prompt).toContain("- `coder`");
    expect(prompt).toContain("Languages by files: TypeScript 1");
    const fixed = model.requests().find(({ news }) => news.includes("Loom could not accept this plan"));
    expect(fixed?.news).toContain("1. `stages[0].agent`");
    expect(fixed?.turns).toBeGreaterThan(0);

    const reply = await taskComment(world, issue, "", "The plan is open");
    expect(reply).toMatch(new RegExp(`<sub>${harness}/\\S+ · [\\d,]+ tokens in, [\\d,]+ out · `));

    world.label(plan.number, "loom: approve");
    const run = await world.run(({ status }) => status !== "running", "the end of the run");
    expect([...run.stages.values()].map(({ state }) => state.kind)).toEqual(["completed"]);
    expect(await world.file("count.sh")).toBe("wc -w\n");
    expect(await world.file("planted.txt")).toBe(null);

    const { issues, checkRuns } = world.repository;
    expect(JSON.stringify([[...issues.values()], checkRuns])).not.toContain(MODEL_KEY);
    await world.stopLoom();
    expect(allTextIn(join(world.folder, "data"))).not.toContain(MODEL_KEY);
    expect(processesWith(world.folder)).toEqual([]);
  });

  it("is drafted by a reader, and drafted anew in the same conversation, whichever CLI it is", async () => {
    const tried = Object.entries(TRIED) as [AgentCliId, keyof typeof MISTAKES][];
    const wish = (harness: string): string => `The task is for ${harness}.`;
    model = await startModelServer({
      script: [],
      rules: [
        ...whenAsked("Loom could not accept this", () => ({ say: FENCED })),
        ...tried.map(([harness, mistake]) =>
          whenTold([wish(harness)], [...looks(drivenCli(harness)), { say: MISTAKES[mistake] ?? "" }]),
        ),
      ],
      keys: [MODEL_KEY],
    });
    world = await aGitHubWorld({
      config: { version: 1, protected_paths: ["infra"] },
      env: agentEnvironment("claude", model.url),
    });
    const { requests } = model;
    const one = world;
    const drafted = async ([harness, mistake]: (typeof tried)[number]): Promise<void> => {
      const issue = one.issue({ title: harness, body: wish(harness) });
      one.comment(issue, `/loom run --harness ${harness}`);
      const { outcome, drafts } = await taskOf(one, issue);
      const [first, second, ...more] = drafts;
      expect([mistake, outcome?.kind, second?.problems, more]).toEqual([mistake, "planned", [], []]);
      const list = (first?.problems ?? []).map((problem, index) => `${index + 1}. ${problem}`).join("\n");
      const own = requests().filter((request) => taskTextOf(request).includes(wish(harness)));
      const again = own.findLast(({ news }) => news.includes(list));
      expect([harness, list !== "", (again?.turns ?? 0) > 0]).toEqual([harness, true, true]);
      const results = own.flatMap(({ toolResults }) => toolResults.map(({ text }) => text));
      expect(results.some((text) => text.includes("# Tools"))).toBe(true);
      expect(await taskComment(one, issue, "", "The plan is open")).toMatch(
        new RegExp(`<sub>${harness}/\\S+ · [\\d,]+ tokens in, [\\d,]+ out · `),
      );
    };
    await Promise.all(tried.map(drafted));
    await world.stopLoom();
    const data = join(world.folder, "data");
    expect(plantedIn(data)).toEqual([]);
    expect(allTextIn(data)).not.toContain(MODEL_KEY);
    expect(processesWith(world.folder)).toEqual([]);
  });

  it("is designed first when it is complex, and its plan is changed by /loom revise: claude", async () => {
    const half = "## Problem Statement\n\nNobody counts.\n\n## Approach\n\nCOUNT WITH WC.\n";
    const whole = `${half}\n## Success Criteria\n\nIt counts.\n`;
    model = await startModelServer({
      script: [],
      rules: [
        ...whenAsked("Loom could not accept this answer", [{ say: whole }, { say: whole }, { say: whole }]),
        whenTold([LOOKING], [{ say: questions("complex", [WORD]) }]),
        whenTold([DESIGNING], [{ tools: [{ read: "README.md" }] }, { say: half }]),
        whenTold([DRAFTING], [{ say: PLAN }]),
        whenTold([REVISING], [{ say: REVISED }]),
      ],
      keys: [MODEL_KEY],
    });
    world = await aGitHubWorld({
      config: { version: 1 },
      env: agentEnvironment("claude", model.url),
    });
    const issue = world.issue({ title: "Count words", body: "Say how many words a text has." });
    world.comment(issue, "/loom run --depth quick");
    await taskComment(world, issue, "questions");
    world.comment(issue, "1b");
    const plan = await planFor(world, issue);
    const task = await taskOf(world, issue);
    expect([...task.sessionsBy.keys()]).toEqual(["begin", "design", "draft"]);
    expect(task.design).toMatchObject({ notes: [] });
    const again = model.requests().find(({ news }) => news.includes("Loom could not accept this answer"));
    expect(again?.news).toContain("1. The section `## Success Criteria` is missing or empty.");
    expect(again?.turns).toBeGreaterThan(0);
    const [drafting] = model.requests().filter(isFrom([DRAFTING]));
    expect(drafting && taskTextOf(drafting)).toContain("COUNT WITH WC.");
    expect(plan.body).toContain("It follows the design in");

    world.comment(plan.number, "/loom revise Describe it as well");
    await taskComment(world, plan.number, "", "The plan is changed");
    const [revising] = model.requests().filter(isFrom([REVISING]));
    expect(revising && taskTextOf(revising)).toContain("Describe it as well");
    const run = await world.run(({ planVersion }) => planVersion === 2);
    expect([...run.stages.keys()]).toEqual(["count", "document"]);
  });
});
