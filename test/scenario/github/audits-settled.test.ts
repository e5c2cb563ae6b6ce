import { afterEach, describe, expect, it } from "vitest";
import { deleteLineComment } from "../../../playground/model/reviews/delete-line-comment.ts";
import { resolveThread } from "../../../playground/model/reviews/resolve-thread.ts";
import { removeTask } from "../../../src/engine/task/forget-tasks.ts";
import { auditTalk, headline, numbered } from "../../support/audit-talk.ts";
import { ask } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { finds, keepsPrompt, openChange, outcomeOf, scriptNow, send, told } from "../../support/task-talk.ts";

/** Who settled a finding, and where that is known from. */

let world: GitHubWorld;
afterEach(() => world?.end());

const aWorld = (): Promise<GitHubWorld> => aGitHubWorld({ config: { version: 1, harness: "scripted" } });
const { reviews, threads, states, places, review, push } = auditTalk(() => world);

const A = { title: "A is wrong", file: "a.txt", line: 2 };
const B = { title: "B is wrong", file: "a.txt", line: 5 };
const LOOSE = { title: "No licence", body: "Add one." };
const REVIEWS = "/repos/{owner}/{repo}/pulls/{pull_number}/reviews";

/** As after 30 days, or when the store was lost. */
async function forgetTasks(): Promise<void> {
  const engine = await world.engine();
  for (const id of await engine.taskStore.list()) {
    await removeTask(engine, id);
    engine.tasks.forget(id);
  }
}

function saidBefore(prompt: string): string {
  return prompt.split("## Said before")[1]?.split("\n## ")[0] ?? "";
}

describe("an audit whose ledger is gone", () => {
  it("tells what Loom had resolved when it is there again, and not what people had", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [A, B]);
    await review(pull, [], { F1: "fixed", F2: "stands" });
    const second = threads(pull)[1];
    if (second) resolveThread(second, { by: "mia" });
    await forgetTasks();
    expect(headline(await review(pull, [A, B]))).toBe("**Review.** Findings: 1 new, 1 settled by people.");
    expect(states(pull)).toEqual([
      "a.txt:2 resolved A is wrong",
      "a.txt:2 open A is wrong",
      "a.txt:5 resolved B is wrong",
    ]);
  });

  it("finds what stands in the text of a review, and goes on with it there", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [LOOSE, { title: "Old file", file: "README.md", line: 1 }, { title: "No readme" }]);
    await review(pull, [], { F1: "stands", F2: "stands", F3: "fixed" });
    await forgetTasks();
    const prompt = keepsPrompt(world);
    await scriptNow(world, {
      audit: [prompt.step, ...finds([LOOSE], { earlier: [{ id: "F2", state: "fixed" }] })],
    });
    expect(headline(await told(world, pull, "review"))).toBe("**Review.** Findings: 1 as before, 1 fixed.");
    expect(saidBefore(await prompt.read())).toMatchInlineSnapshot(`
      "

      Findings of an earlier look at this, with their ids. \`earlier\` has to name each of them:

      \`\`\`text
      F1
        No licence

        Add one.
      F2 README.md:1
        Old file

        Look at it.
      \`\`\`
      "
    `);
    expect(
      reviews(pull)
        .join()
        .match(/^#### .*?(?= \(|$)/gm),
    ).toEqual([
      "#### F1 · medium · No licence",
      "#### ~~F2 · medium · Old file",
      "#### ~~F3 · medium · No readme~~ · fixed",
    ]);
  });
});

describe("a remark that somebody deleted", () => {
  it("is settled by that, and nothing that stands", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [A, B]);
    const id = threads(pull)[0]?.comments[0]?.id ?? 0;
    deleteLineComment(world.world, world.repository, id, { by: "mia" });
    expect(headline(await review(pull, [A], { F2: "stands" }))).toBe(
      "**Review.** Findings: 1 as before, 1 settled by people.",
    );
    const prompt = keepsPrompt(world);
    await scriptNow(world, {
      audit: [prompt.step, ...finds([], { earlier: [{ id: "F2", state: "stands" }] })],
    });
    expect(headline(await told(world, pull, "review"))).toBe("**Review.** Findings: 1 as before.");
    expect(saidBefore(await prompt.read()).split("### Settled by people")[1]).toContain("F1 a.txt:2");
    expect(states(pull)).toEqual(["a.txt:5 open B is wrong"]);
  });
});

describe("an audit that broke off", () => {
  it("leaves open what it had yet to strike when the head moved", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    await review(pull, [LOOSE]);
    let release = (): void => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    const match = { method: "GET", route: REVIEWS };
    // Texts are read for the agent and once more before anything is written down; then comes the review.
    world.github.faults.inject({ on: "request", match, times: 2, effect: { kind: "delay", ms: 0 } });
    const held = world.github.faults.inject({ on: "request", match, effect: { kind: "delay", until } });
    await scriptNow(world, { audit: finds([A], { earlier: [{ id: "F1", state: "fixed" }] }) });
    const { id } = send(world, pull, "review");
    await held.whenFired;
    await push({ "b.txt": "new\n" });
    release();
    expect(await outcomeOf(world, id)).toContain("Commits were pushed meanwhile");
    expect(reviews(pull).join()).not.toContain("~~");
    expect(headline(await review(pull, [A], { F1: "fixed" }))).toBe("**Review.** Findings: 1 new, 1 fixed.");
    expect(reviews(pull)[0]).toContain("#### ~~F1 · medium · No licence~~ · fixed");
  });

  it("by somebody who cancelled it does not say twice what stands already", async () => {
    world = await aWorld();
    const pull = await openChange(world, { "a.txt": numbered(9) });
    const route = "/repos/{owner}/{repo}/issues/comments/{comment_id}";
    const effect = { kind: "fail", status: 400, body: { message: "No." } } as const;
    const edits = world.github.faults.inject({
      on: "request",
      match: { method: "PATCH", route },
      times: Number.POSITIVE_INFINITY,
      effect,
    });
    await scriptNow(world, { audit: finds([A, LOOSE]) });
    const { id } = send(world, pull, "review");
    await edits.whenFired;
    await world.until(() => reviews(pull).length > 0, "the review");
    await ask(world, pull, "/loom cancel");
    world.github.faults.clear();
    expect(await outcomeOf(world, id)).toContain("wes cancelled it when this was being written already.");
    expect(headline(await review(pull, [A, LOOSE]))).toBe("**Review.** Findings: 2 as before.");
    expect([places(pull), reviews(pull).length]).toEqual([["a.txt:2 open"], 1]);
  });
});
