import { afterEach, describe, expect, it } from "vitest";
import { reopenIssue } from "../../../playground/model/issues/reopen-issue.ts";
import { hearAnswer } from "../../../src/engine/github/task/hear-answer.ts";
import { replyTo, settled } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  answers,
  draftStage,
  planAnswer,
  planFor,
  questions,
  taskComment,
  taskOf,
  tasksOf,
} from "../../support/planning-talk.ts";
import { aGate, outcomeOf, scriptNow, send } from "../../support/task-talk.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const aWorld = (): Promise<GitHubWorld> => aGitHubWorld({ config: { version: 1, harness: "scripted" } });
const WORDS = { question: "What is a word?", options: ["what spaces divide", "what letters make"] };
const ASKS = answers(questions("medium", [WORDS]));
const PLAN = { answer: planAnswer([draftStage("count")]) };

describe("closing an issue", () => {
  it("stops the planner that works for it, and opening it again sends nobody", async () => {
    world = await aWorld();
    const issue = world.issue();
    const gate = aGate(world);
    await scriptNow(world, { begin: [gate.step, PLAN] });
    world.comment(issue, "/loom run");
    await gate.reached();
    world.close(issue);
    const { id, outcome } = await taskOf(world, issue);
    expect(outcome).toEqual({ kind: "cancelled", by: `closing #${issue}` });
    expect(await outcomeOf(world, id)).toMatchInlineSnapshot(`
      "Planning was stopped by closing #&#8203;1. Nothing was opened. \`/loom run\` starts again.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    reopenIssue(world.world, world.repository, world.get(issue), { by: "wes" });
    await world.loom.hosted.host.queue.enqueue({ kind: "sweep" });
    await settled(world);
    await world.loom.hosted.host.queue.idle();
    expect(
      [await tasksOf(world, issue), world.said(issue), world.pulls()].map(({ length }) => length),
    ).toEqual([1, 1, 0]);
  });

  it("stops a planner that waits for answers, also while Loom was away", async () => {
    world = await aWorld();
    const issue = world.issue();
    await scriptNow(world, { begin: ASKS, draft: [PLAN] });
    world.comment(issue, "/loom run");
    await taskComment(world, issue, "questions");
    await settled(world);
    await world.stopLoom();
    world.close(issue);
    await world.startLoom();
    const { outcome } = await taskOf(world, issue);
    expect(outcome).toEqual({ kind: "cancelled", by: `closing #${issue}` });
  });

  it("leaves alone what only reads, and who asks for a plan of a closed issue gets one", async () => {
    world = await aWorld();
    const issue = world.issue();
    const gate = aGate(world);
    await scriptNow(world, { answer: [gate.step, { answer: "Yes." }], begin: [PLAN] });
    const { id } = send(world, issue, "ask", "Is it so?");
    await gate.reached();
    world.close(issue);
    await settled(world);
    await gate.open();
    expect(await outcomeOf(world, id)).toContain("> Is it so?\n\nYes.");
    const second = aGate(world, "second");
    await scriptNow(world, { begin: [second.step, PLAN] });
    world.comment(issue, "/loom run");
    await second.reached();
    // The first look of a Loom that is started anew.
    await world.stopLoom();
    await second.open();
    await world.startLoom();
    const planned = await taskOf(world, issue, ({ kind, outcome }) => kind === "plan" && outcome !== null);
    expect(planned.outcome?.kind).toBe("planned");
  });
});

describe("a planner that fails every time", () => {
  const FAILS = [{ run: "echo 'No route to the model.'; exit 1" }];
  const planned = async (degraded: string, more: Readonly<Record<string, unknown>> = {}): Promise<number> => {
    world = await aGitHubWorld({
      config: {
        version: 1,
        harness: "scripted",
        planner: { degraded, ...more },
        approval: { express: true },
      },
      files: { "package.json": JSON.stringify({ scripts: { test: "true" } }) },
    });
    return world.issue();
  };

  it("is a matter of the policy: one stage that people approve, proved by the project's own checks", async () => {
    const issue = await planned("require-approval");
    await scriptNow(world, { draft: FAILS });
    world.comment(issue, "/loom run --express");
    const { outcome } = await taskOf(world, issue);
    expect(outcome?.kind).toBe("planned");
    expect(await taskComment(world, issue)).toMatchInlineSnapshot(`
      "The planner failed 3 times and brought no plan. The agent ended with exit code 1. Instead there is a plan of one stage, in which one agent does all of it. It waits for approval like any other.

      The end of its output:

      \`\`\`text
      This is a scripted agent: it follows script.yaml, and no model is at work.
      No route to the model.
      \`\`\`

      The plan is open: #2 (run \`RUN\`). Nothing runs before somebody approves it there.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    const run = await world.run(({ origin }) => origin?.issue === issue);
    expect(run.plan.stages.map(({ id, acceptance }) => [id, acceptance[0]?.command])).toEqual([
      ["execute-goal", "npm test"],
    ]);
    expect(run.approval.kind).toBe("awaited");
    const { body } = await planFor(world, issue);
    expect(body).toContain("No plan of several stages could be made");
  });

  it("has the same end once its budget is used up, with what raises that", async () => {
    const issue = await planned("allow", { budget_usd: 0.5 });
    const usage = { usage: { input_tokens: 2_000, output_tokens: 30, cost_usd: 0.5 } };
    await scriptNow(world, { draft: [usage, { answer: "I can't." }] }, { "execute-goal": [{ stall: true }] });
    world.comment(issue, "/loom run --express");
    expect((await taskOf(world, issue)).outcome?.kind).toBe("planned");
    expect(await taskComment(world, issue)).toMatchInlineSnapshot(`
      "The planner brought no sound plan before it had to stop. Its budget of &#36;0.50 is used up. \`planner.budget_usd\` in \`.github/loom.yml\` raises it. Instead there is a plan of one stage, in which one agent does all of it; this repository allows that.

      What was wrong with its last draft:

      - The answer holds no plan: there is no code fence marked \`yaml\` with \`loom:\` on its top level.

      The plan is open and approved: #2 (run \`RUN\`). The first stages start now.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · 2,000 tokens in, 30 out · &#36;0.50 · TIME</sub>"
    `);
    const run = await world.run(({ origin }) => origin?.issue === issue);
    expect(run.approval.kind).toBe("given");
  });
});

describe("an answer to the planner's questions", () => {
  it("that is read again after a crash gets the reply that it would have got", async () => {
    world = await aWorld();
    const issue = world.issue();
    await scriptNow(world, { begin: ASKS, draft: [PLAN] });
    world.comment(issue, "/loom run");
    await taskComment(world, issue, "questions");
    const engine = await world.engine();
    const crash = async (): Promise<never> => {
      throw new Error("killed");
    };
    const comment = world.comment(issue, "Which one is better?");
    const said = {
      comment,
      number: issue,
      at: new Date().toISOString(),
      body: "1b",
      sender: { login: "wes", id: world.idOf("wes"), bot: false },
      isPullRequest: false,
    };
    const dying = { ...engine, cache: { ...engine.cache, set: crash } };
    await expect(hearAnswer(dying, said)).rejects.toThrow("killed");
    await hearAnswer(engine, said);
    expect(await replyTo(world, issue, comment)).toMatchInlineSnapshot(`
      "Taken. The plan will be written from these answers:

      - **1.** What is a word? → what letters make (wes)"
    `);
    const { given } = await taskOf(world, issue);
    expect(given).toEqual([{ text: "what letters make", by: "wes" }]);
  });
});
