import { afterEach, describe, expect, it, vi } from "vitest";
import { setRole } from "../../../playground/model/people/set-role.ts";
import { StoreTrouble } from "../../../src/core/errors.ts";
import { doTask } from "../../../src/engine/github/task/do-task.ts";
import { giveUpOnTask } from "../../../src/engine/github/task/give-up-on-task.ts";
import { sendTask } from "../../../src/engine/github/task/send-task.ts";
import { announce } from "../../../src/engine/github/task/start-task.ts";
import { pauseLeft } from "../../../src/engine/github/task/try-task-later.ts";
import { WorkerKilled } from "../../../src/ports/job-queue.ts";
import { ask, replyTo, settled } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import {
  aGate,
  finds,
  openChange,
  outcomeOf,
  pushTo,
  scriptNow,
  send,
  shown,
  taskWhen,
  told,
} from "../../support/task-talk.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const aWorld = (config: Readonly<Record<string, unknown>> = {}): Promise<GitHubWorld> =>
  aGitHubWorld({ config: { version: 1, harness: "scripted", ...config } });
const aPull = (): Promise<number> => openChange(world, { "a.txt": "one\ntwo\nthree\n" });

describe("an agent that is sent", () => {
  it("twice at the same moment goes once", async () => {
    world = await aWorld();
    const pull = await aPull();
    const gate = aGate(world);
    await scriptNow(world, { audit: [gate.step, ...finds([{ title: "A", file: "a.txt", line: 1 }])] });
    const sent = [send(world, pull, "review"), send(world, pull, "review")];
    await settled(world);
    const engine = await world.engine();
    const begun = (await engine.taskStore.list()).filter((id) => id.startsWith("review-"));
    expect(begun).toHaveLength(1);
    const refused = sent.find(({ id }) => !begun.includes(id));
    expect(await replyTo(world, pull, refused?.comment ?? 0)).toMatchInlineSnapshot(
      `"An agent is at work on the review here already. Ask again once it is done."`,
    );
    await gate.open();
    expect(await outcomeOf(world, begun[0] ?? "")).toContain("Findings: 1 new.");
  });

  it("is named as the one that the routes choose, also where it does not say what it used", async () => {
    world = await aWorld({ harness: "codex", models: { investigate: { harness: "scripted" } } });
    const issue = world.issue();
    const gate = aGate(world);
    await scriptNow(world, { answer: [gate.step, { answer: "Yes." }] });
    const { id } = send(world, issue, "ask", "Is it so?");
    await gate.reached();
    expect(shown(world, issue, id)).toMatch(/^`scripted` is at work/);
    await gate.open();
    expect(await outcomeOf(world, id)).toContain("<sub>scripted · tokens not reported");
  });

  it("knows all limits that hold it to its budget", async () => {
    world = await aWorld({ planner: { budget_usd: 3 }, limits: { budget_usd: 3 } });
    const gate = aGate(world);
    await scriptNow(world, { begin: [gate.step], answer: [gate.step] });
    const issue = world.issue();
    const comment = world.comment(issue, "/loom run --budget 3");
    const planner = await taskWhen(world, `plan-${issue}-${comment}`, () => true, "it");
    expect(planner.budgetBy).toEqual(["planner.budget_usd", "limits.budget_usd", "--budget"]);
    const { id } = send(world, issue, "ask", "Is it so?");
    const asked = await taskWhen(world, id, () => true, "it");
    expect(asked.budgetBy).toEqual(["commands.budget_usd"]);
    const little = send(world, issue, "review", "--budget 0.5");
    expect(await taskWhen(world, little.id, () => true, "it")).toMatchObject({
      budgetUsd: 0.5,
      budgetBy: ["--budget"],
    });
    const much = send(world, issue, "debug", "--budget 50 It hangs.");
    expect(await taskWhen(world, much.id, () => true, "it")).toMatchObject({
      text: "It hangs.",
      budgetUsd: 2,
      budgetBy: ["commands.budget_usd"],
    });
    await ask(world, issue, "/loom cancel");
    for (const one of [id, little.id, much.id, planner.id]) await outcomeOf(world, one);
  });

  it("is the one that somebody named with the command, whatever the repository uses", async () => {
    world = await aWorld({ harness: "codex", models: { review: { harness: "claude" } } });
    const issue = world.issue();
    await scriptNow(world, { audit: finds([]), answer: [{ answer: "Yes." }] });
    expect(await told(world, issue, "review", "\u2014harness scripted the login")).toMatchInlineSnapshot(`
      "**Review.** Nothing found.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect(
      await told(world, issue, "ask", "--harness scripted What does --force do?"),
    ).toMatchInlineSnapshot(`
      "> What does --force do?

      Yes.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    const lines = ["/loom review --harness nonesuch", "/loom review --harnes scripted", "/loom ask --force?"];
    const said: string[] = [];
    for (const line of lines) said.push(`${line}\n${await ask(world, issue, line)}`);
    expect(said.join("\n\n")).toMatchInlineSnapshot(`
      "/loom review --harness nonesuch
      There is no agent called nonesuch. Known here: claude, codex, gemini, opencode, command, scripted. \`--harness NAME\` chooses one.

      /loom review --harnes scripted
      Line 1: \`review\` has no option \`--harnes\`; where it belongs to your words, write \`--\` before them. Did you mean \`/loom review --harness …\`? \`/loom help\` lists all commands.

      /loom ask --force?
      Line 1: \`ask\` has no option \`--force\`; where it belongs to your words, write \`--\` before them. It is written \`/loom ask [--budget USD] [--harness NAME] <text…>\`. \`/loom help\` lists all commands."
    `);
  });

  it("tells what it has cost when it is cancelled", async () => {
    world = await aWorld();
    const issue = world.issue();
    const gate = aGate(world);
    const usage = { usage: { input_tokens: 2_000, output_tokens: 30, cost_usd: 0.25 } };
    await scriptNow(world, { answer: [usage, gate.step, { answer: "Yes." }] });
    const { id } = send(world, issue, "ask", "Is it so?");
    await gate.reached();
    await ask(world, issue, "/loom cancel");
    expect(await outcomeOf(world, id)).toMatchInlineSnapshot(`
      "Cancelled by wes. Nothing was changed.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · 2,000 tokens in, 30 out · &#36;0.25 · TIME</sub>"
    `);
  });

  it("is not said to be at work once it has answered", async () => {
    world = await aWorld();
    const issue = world.issue();
    await scriptNow(world, { answer: [{ answer: "Yes." }] });
    const { id } = send(world, issue, "ask", "Is it so?");
    const answer = await outcomeOf(world, id);
    const engine = await world.engine();
    // As whoever reads the same comment again has it, who looked before it was answered.
    const early = { ...(await engine.tasks.get(id)), claim: null, outcome: null, sessions: 0 };
    await announce(engine, early);
    expect(shown(world, issue, id)).toBe(answer);
  });

  it("twice says once that it is at work, and nobody begins while that is being said", async () => {
    world = await aWorld();
    const issue = world.issue();
    await scriptNow(world, { answer: [{ answer: "Yes." }] });
    let go = (): void => {};
    const until = new Promise<void>((done) => {
      go = done;
    });
    const held = world.github.faults.inject({
      on: "request",
      match: { method: "POST", route: "/repos/{owner}/{repo}/issues/{issue_number}/comments" },
      times: 1,
      effect: { kind: "delay", until },
    });
    const { id } = send(world, issue, "ask", "Is it so?");
    await held.whenFired;
    // As a sweep has it done that looks right then.
    await doTask(world.loom.hosted.host, await world.engine(), id, new AbortController().signal);
    go();
    expect(await outcomeOf(world, id)).toContain("> Is it so?\n\nYes.");
    await settled(world);
    expect(world.said(issue)).toHaveLength(1);
  });
});

const givenUp = (): number =>
  world.loom.warnings.filter((one) => one.startsWith("gave up on a task job")).length;

/** Brings it back as often as Loom tries it, without the pauses between. */
async function tryToTheEnd(id: string): Promise<string> {
  const engine = await world.engine();
  const isOver = async (): Promise<boolean> => (await engine.tasks.get(id)).outcome !== null;
  for (let count = 1; !(await isOver()); count += 1) {
    await world.until(async () => givenUp() >= count || (await isOver()), `try ${count}`);
    await sendTask(engine, await engine.tasks.get(id));
  }
  return outcomeOf(world, id);
}

describe("an outage", () => {
  it("of git costs time only, also when it lasts longer than a job is tried", async () => {
    world = await aWorld();
    const pull = await aPull();
    const gate = aGate(world);
    await scriptNow(world, { audit: [gate.step, ...finds([{ title: "A", file: "a.txt", line: 1 }])] });
    const { id } = send(world, pull, "review");
    await gate.reached();
    await world.stopLoom();
    // So that there is something to be fetched.
    await pushTo(world, world.repository, "main", { "b.txt": "b\n" });
    world.github.faults.inject({
      on: "request",
      match: { path: /\.git\// },
      times: Number.POSITIVE_INFINITY,
      effect: { kind: "fail", status: 503 },
    });
    await gate.open();
    await world.startLoom();
    await world.until(
      () => world.loom.warnings.some((one) => one.startsWith("gave up on a")),
      "no more tries",
    );
    world.github.faults.clear();
    expect(shown(world, pull, id)).toMatch(/^`scripted` is at work/);
    const engine = await world.engine();
    // Nobody waits for a pause of seconds here; the sweep would heed it.
    await world.until(async () => (await pauseLeft(engine, id)) > 5_000, "a pause");
    await sendTask(engine, await engine.tasks.get(id));
    expect(await outcomeOf(world, id)).toContain("Findings: 1 new.");
  });

  it("of GitHub's puts nothing elsewhere than on its lines", async () => {
    world = await aWorld();
    const pull = await aPull();
    const gate = aGate(world);
    await scriptNow(world, { audit: [gate.step, ...finds([{ title: "A", file: "a.txt", line: 1 }])] });
    const { id } = send(world, pull, "review");
    await gate.reached();
    world.github.faults.inject({
      on: "request",
      match: { path: /graphql/ },
      times: Number.POSITIVE_INFINITY,
      effect: { kind: "fail", status: 400, body: { message: "Not now." } },
    });
    await gate.open();
    await world.until(
      () => world.loom.warnings.some((one) => one.startsWith("gave up on a")),
      "no more tries",
    );
    world.github.faults.clear();
    const engine = await world.engine();
    await sendTask(engine, await engine.tasks.get(id));
    expect(await outcomeOf(world, id)).toContain("Findings: 1 new.");
    expect((await engine.tasks.get(id)).sessions).toBe(1);
  });

  it("of Loom's own store is nothing that whoever asked is told of", async () => {
    world = await aWorld();
    const issue = world.issue();
    const gate = aGate(world);
    await scriptNow(world, { answer: [gate.step, { answer: "Yes." }] });
    const { id } = send(world, issue, "ask", "Is it so?");
    await gate.reached();
    const engine = await world.engine();
    const away = new StoreTrouble("Failed to read the ledger.", { next: "See that Redis is up." });
    const load = vi.fn(engine.tasks.load).mockRejectedValueOnce(away);
    const { host } = world.loom.hosted;
    const forAMoment = { ...engine, tasks: { ...engine.tasks, load } };
    await expect(doTask(host, forAMoment, id, new AbortController().signal)).rejects.toBe(away);
    // As the queue does with a job that has failed every time.
    await giveUpOnTask(host, engine, id, away);
    expect(shown(world, issue, id)).toMatch(/^`scripted` is at work/);
    await gate.open();
    expect(await outcomeOf(world, id)).toContain("> Is it so?\n\nYes.");
  });

  it("is told apart from a worker that dies of it", async () => {
    world = await aWorld();
    const issue = world.issue();
    const gate = aGate(world);
    await scriptNow(world, { answer: [gate.step, { answer: "Yes." }] });
    const { id } = send(world, issue, "ask", "Is it so?");
    await gate.reached();
    await giveUpOnTask(world.loom.hosted.host, await world.engine(), id, new WorkerKilled(3));
    await gate.open();
    expect(await outcomeOf(world, id)).toMatchInlineSnapshot(`
      "There is no answer. Something went wrong inside Loom again and again; its operator has been told.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
  });
});

describe("what a person has to fix", () => {
  /** Stops Loom while an agent is at work, and starts it anew once the world is another. */
  async function meanwhile(pull: number, change: () => void): Promise<string> {
    const gate = aGate(world);
    await scriptNow(world, { audit: [gate.step, ...finds([{ title: "A", file: "a.txt", line: 1 }])] });
    const { id } = send(world, pull, "review");
    await gate.reached();
    await world.stopLoom();
    change();
    await gate.open();
    await world.startLoom();
    const text = await outcomeOf(world, id);
    world.github.faults.clear();
    return text;
  }

  it("is told to them, and at once: a permission that was taken away", async () => {
    world = await aWorld();
    const pull = await aPull();
    const text = await meanwhile(pull, () =>
      world.github.faults.inject({
        on: "request",
        match: { method: "GET", route: "/repos/{owner}/{repo}/pulls/{pull_number}" },
        times: Number.POSITIVE_INFINITY,
        effect: { kind: "fail", status: 403, body: { message: "Resource not accessible by integration" } },
      }),
    );
    expect(text).toMatchInlineSnapshot(`
      "The review failed. The GitHub App needs a permission that it does not have to do this. Grant it in the App's settings under Permissions, then accept the change where the App is installed.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect(givenUp()).toBe(0);
  });

  it("is told to them: whoever asked may not ask any more", async () => {
    world = await aWorld();
    const pull = await aPull();
    const text = await meanwhile(pull, () =>
      setRole(world.world, world.repository, { login: "wes", role: "read" }),
    );
    expect(text).toMatchInlineSnapshot(`
      "The review failed. \`review\` takes the role \`write\` or more in this repository, and that of wes is \`read\` by now. Somebody who has it can ask for it.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
  });
});

describe("a cancel", () => {
  it("denies nothing that stands on lines already", async () => {
    world = await aWorld();
    const pull = await aPull();
    const edits = world.github.faults.inject({
      on: "request",
      match: { method: "PATCH", route: "/repos/{owner}/{repo}/issues/comments/{comment_id}" },
      times: Number.POSITIVE_INFINITY,
      effect: { kind: "fail", status: 400, body: { message: "No." } },
    });
    await scriptNow(world, { audit: finds([{ title: "A is wrong", file: "a.txt", line: 1 }]) });
    const { id } = send(world, pull, "review");
    await edits.whenFired;
    await world.until(() => givenUp() > 0, "no more tries");
    world.github.faults.clear();
    await ask(world, pull, "/loom cancel");
    expect(await outcomeOf(world, id)).toMatchInlineSnapshot(`
      "**Review.** Findings: 1 new.

      wes cancelled it when this was being written already.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect((await taskWhen(world, id, () => true, "it")).outcome).toEqual({ kind: "audited", findings: 1 });
    expect(world.get(pull).pull?.threads).toHaveLength(1);
  });
});

describe("what could not be put on lines", () => {
  it("is told in one comment rather than thrown away", async () => {
    world = await aWorld();
    const pull = await aPull();
    await scriptNow(world, { audit: finds([{ title: "A is wrong", file: "a.txt", line: 1 }]) });
    world.github.faults.inject({
      on: "request",
      match: { method: "POST", route: "/repos/{owner}/{repo}/pulls/{pull_number}/reviews" },
      times: Number.POSITIVE_INFINITY,
      effect: { kind: "fail", status: 400, body: { message: "No." } },
    });
    const { id } = send(world, pull, "review");
    await taskWhen(world, id, ({ result }) => result !== null, "what it found");
    expect(await tryToTheEnd(id)).toMatchInlineSnapshot(`
      "**Review.** 1 finding (1 medium). Something went wrong inside Loom when this was put on lines, so all of it stands here; its operator has been told.

      #### F1 · medium · A is wrong ([\`a.txt:1\`](https://github.test/ada/tools/blob/SHA/a.txt#L1))

      Look at it.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect((await taskWhen(world, id, () => true, "it")).outcome).toEqual({
      kind: "audited",
      findings: 1,
      stale: true,
    });
    world.github.faults.clear();
    await scriptNow(world, { audit: finds([{ title: "A is wrong", file: "a.txt", line: 1 }]) });
    expect(await told(world, pull, "review")).toContain("Findings: 1 new.");
  });
});
