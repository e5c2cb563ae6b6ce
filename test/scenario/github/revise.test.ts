import { afterEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Run } from "../../../src/core/run/run.ts";
import { ask, named, offered, write, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";
import { draftStage, planAnswer, planFor, questions } from "../../support/planning-talk.ts";
import { aGate, keepsPrompt, outcomeOf, scriptNow, send, shown, taskWhen } from "../../support/task-talk.ts";

const APPROVE = "loom: approve";
let world: GitHubWorld;
afterEach(() => world?.end());

const aWorld = (): Promise<GitHubWorld> =>
  aGitHubWorld({ config: { version: 1, harness: "scripted", merge: { mode: "auto" } } });
const drafts = (stages: readonly unknown[]): { answer: string } => ({
  answer: `## Why these stages\n\nAs asked.\n\n## Out of scope\n\nNothing.\n\n\`\`\`yaml\n${stringify({ loom: { version: 1, stages } })}\`\`\`\n`,
});
const stage = (id: string, dependencies: readonly string[] = []) => ({
  ...writesFile(id, dependencies),
  files: [`${id}.txt`],
});
const stateOf = (run: Run, id: string): string => run.stages.get(id)?.state.kind ?? "none";
const isAtWork = (run: Run, id: string): boolean => run.stages.get(id)?.session?.state === "running";
const amendments = (pr: number): string[] =>
  world.said(pr).filter((body) => body.includes("<!-- loom:amended-"));
const WRITES = { one: [write("one.txt")], two: [write("two.txt")], three: [write("three.txt")] };

describe("/loom revise", () => {
  it("on the issue changes the plan, shows what is different and wants approval again", async () => {
    world = await aWorld();
    const { issue, plan, run } = await offered(world, [stage("one")]);
    const prompt = keepsPrompt(world);
    await scriptNow(world, { draft: [prompt.step, drafts([stage("one"), stage("two", ["one"])])] }, WRITES);
    const comment = world.comment(issue, "Mind the old clients.\n\n/loom revise Write two.txt as well");
    expect(await outcomeOf(world, `revise-${issue}-${comment}`)).toMatchInlineSnapshot(`
      "The plan is changed; #2 shows what is different. It has to be approved again before anything goes on.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect(await prompt.read()).toContain("Write two.txt as well\n\nMind the old clients.");
    expect(await prompt.read()).toContain("Write one.txt.");
    const [diff = "", ...more] = amendments(plan.number);
    expect(more).toEqual([]);
    expect(named(diff).split("\n\n<!--")[0]).toMatchInlineSnapshot(`
      "wes had the plan changed (\`SHA\`).

      - New: \`two\` Write two

      Work goes on once the plan is approved as it is now. To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve SHA\` there: the approval is for \`SHA\` and nothing else. It takes the role \`write\` or more. A later push voids it.

      <details>
      <summary>Line by line</summary>

      \`\`\`\`\`diff
      @@
             acceptance:
               - test -f one.txt
      +    - id: two
      +      name: Write two
      +      description: Write two.txt.
      +      dependencies:
      +        - one
      +      stage_type: standard
      +      files:
      +        - two.txt
      +      acceptance:
      +        - test -f two.txt
       \`\`\`\`
      \`\`\`\`\`

      </details>"
    `);
    const after = await world.run(({ planVersion }) => planVersion === 2, "the new plan");
    expect([after.id, after.approval.kind, [...after.stages.keys()]]).toEqual([
      run.id,
      "awaited",
      ["one", "two"],
    ]);
    world.label(plan.number, APPROVE);
    const end = await world.run(({ status }) => status !== "running", "the end");
    expect([stateOf(end, "one"), stateOf(end, "two")]).toEqual(["completed", "completed"]);
    expect([await world.file("one.txt"), await world.file("two.txt")]).toEqual(["done\n", "done\n"]);

    // What is done stays done.
    expect(await ask(world, issue, "/loom revise More")).toMatchInlineSnapshot(
      `"There is no plan here that could be changed. \`/loom run\` on the issue asks for one."`,
    );
  });

  it("on the plan's pull request in the middle of a run keeps what is merged, and voids the approval", async () => {
    world = await aWorld();
    const { plan } = await offered(world, [stage("one"), stage("two", ["one"])]);
    await scriptNow(
      world,
      { draft: [drafts([stage("one"), stage("three", ["one"])])] },
      { ...WRITES, two: [{ stall: true }] },
    );
    world.label(plan.number, APPROVE);
    await world.run((now) => isAtWork(now, "two"), "an agent at work");
    const { id } = send(world, plan.number, "revise", "Three instead of two");
    expect(await outcomeOf(world, id)).toContain("The plan is changed");
    const after = await world.run(({ planVersion }) => planVersion === 2, "the new plan");
    expect([stateOf(after, "one"), stateOf(after, "two"), after.approval.kind]).toEqual([
      "completed",
      "none",
      "awaited",
    ]);
    await world.until(() => !world.get(plan.number).labels.includes(APPROVE), "the label off");
    expect(named(amendments(plan.number)[0] ?? "")).toContain("Finished, and stays as it is: `one` (merged)");
    world.label(plan.number, APPROVE);
    const end = await world.run(({ status }) => status !== "running", "the end");
    expect([stateOf(end, "three"), await world.file("two.txt"), await world.file("three.txt")]).toEqual([
      "completed",
      null,
      "done\n",
    ]);
  });

  it("on the pull request plans from the issue, and keeps goal, design and complexity", async () => {
    world = await aWorld();
    const issue = world.issue({ title: "Count words", body: "Say how *many* words a text has." });
    world.comment(issue, "Only ASCII, please.", "mia");
    await scriptNow(
      world,
      {
        begin: [{ answer: questions("complex", []) }],
        design: [{ answer: "## Problem Statement\n\nWords are not counted with wc.\n" }],
        draft: [{ answer: planAnswer([draftStage("one"), draftStage("two", { dependencies: ["one"] })]) }],
      },
      WRITES,
    );
    world.comment(issue, "/loom run");
    const plan = await planFor(world, issue);
    const before = await world.run(({ offer }) => offer !== null, "the plan");
    world.comment(plan.number, "Two could be split.", "mia");
    world.comment(issue, "I agree.", "mia");
    const more = [draftStage("one"), draftStage("two", { dependencies: ["one"] })];
    const three = draftStage("three", { dependencies: ["one", "two"] });
    const prompt = keepsPrompt(world);
    await scriptNow(world, { draft: [prompt.step, { answer: planAnswer([...more, three]) }] }, WRITES);
    const { id } = send(world, plan.number, "revise", "Split two");
    expect(await outcomeOf(world, id)).toContain("The plan is changed");

    const after = await world.run(({ planVersion }) => planVersion === 2, "the new plan");
    const head = (text: string): string => text.slice(0, text.indexOf("## Dependency Graph"));
    const same = (text: string): string => head(text).replace(/^created: .*$/m, "created: TIME");
    expect(same(after.planText)).toBe(
      same(before.planText)
        .replace("total_phases: 2\nestimated_files: 2", "total_phases: 3\nestimated_files: 3")
        .replace("2 stages in 2 batches", "3 stages in 3 batches"),
    );
    expect(same(after.planText)).toMatchInlineSnapshot(`
      "---
      title: "Count words Implementation Plan"
      design_ref: "design.md"
      created: TIME
      status: draft # stays: approvals are for these bytes; session-state.md says what became of them
      total_phases: 3
      estimated_files: 3
      task_complexity: complex
      ---

      # Count words

      ## Plan Overview

      3 stages in 3 batches, for a complex task.

      Say how \\*many\\* words a text has.

      ## Why these stages

      They can be read one by one.

      "
    `);
    const told = await prompt.read();
    const words = [
      "Say how *many* words a text has.",
      "Only ASCII, please.",
      "Two could be split.",
      "I agree.",
      "Words are not counted with wc.",
      "Split two",
    ].map((text) => told.indexOf(text));
    expect(words).toEqual(words.filter((at) => at > 0).sort((a, b) => a - b));
    expect(told).not.toContain("A plan of 2 stages for");
    const [diff = ""] = amendments(plan.number);
    expect(diff).not.toContain("the plan |");
    const { body } = world.get(plan.number);
    expect(body).toContain("It follows the design in");
    expect(body.split("### Notes")[1]?.split("###")[0]).toMatchInlineSnapshot(`
      "

      What Loom fixed in the planner's draft, or let pass:

      - In the design: The section \`## Requirements\` is missing or empty.
      - In the design: The section \`## Approach\` is missing or empty.
      - In the design: The section \`## Architecture\` is missing or empty.
      - In the design: The section \`## Agent Team\` is missing or empty.
      - In the design: The section \`## Risk Assessment\` is missing or empty.
      - In the design: The section \`## Success Criteria\` is missing or empty.
      - Fixed: \`three\` waits for \`one\` anyway, through another dependency.

      "
    `);
  });

  it("sends a draft that changes what is finished back with the reason, and refuses it in the end", async () => {
    world = await aWorld();
    const { plan } = await offered(world, [stage("one"), stage("two", ["one"])]);
    const stages = { ...WRITES, two: [{ stall: true }] };
    const bad = drafts([{ ...stage("one"), description: "Write it anew." }, stage("two", ["one"])]);
    const prompt = keepsPrompt(world);
    await scriptNow(world, { draft: [bad], redraft: [prompt.step, bad] }, stages);
    world.label(plan.number, APPROVE);
    await world.run((now) => isAtWork(now, "two"), "an agent at work");
    const { id } = send(world, plan.number, "revise", "Do one anew");
    expect(await outcomeOf(world, id)).toMatchInlineSnapshot(`
      "The plan stays as it is: the changed one could not be taken.

      - \`one\` is merged, so its \`description\` can't change. Leave it as it was, and add a stage that depends on \`one\` and changes its work.

      Say it in other words with \`/loom revise <what should be different>\`, or push an edit of the plan file to the plan's branch.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect(await prompt.read()).toContain("`one` is merged, so its `description` can't change.");
    const task = await taskWhen(world, id, () => true, "it");
    expect([task.drafts.length, task.outcome?.kind]).toEqual([4, "refused"]);
    const after = await world.run();
    expect([after.planVersion, after.approval.kind, isAtWork(after, "two")]).toEqual([1, "given", true]);
    expect(amendments(plan.number)).toEqual([]);

    // Told why, a planner may do better.
    await scriptNow(world, { draft: [bad], redraft: [drafts([stage("one"), stage("three")])] }, stages);
    const again = send(world, plan.number, "revise", "Three then");
    expect(await outcomeOf(world, again.id)).toContain("The plan is changed");
    await ask(world, plan.number, "/loom cancel");
    await world.run(({ status }) => status === "cancelled", "the end");
  });

  it("is judged by what is finished once the planner is done, not by what was when it began", async () => {
    world = await aWorld();
    const { plan } = await offered(world, [stage("one"), stage("two", ["one"])]);
    const [building, planning] = [aGate(world, "building"), aGate(world, "planning")];
    const anew = { ...stage("one"), description: "Write it anew." };
    const prompt = keepsPrompt(world);
    await scriptNow(
      world,
      {
        draft: [planning.step, drafts([anew, stage("two", ["one"])])],
        redraft: [prompt.step, drafts([stage("one"), stage("three", ["one"])])],
      },
      { one: [building.step, write("one.txt")], two: [{ stall: true }] },
    );
    world.label(plan.number, APPROVE);
    await building.reached();
    const { id } = send(world, plan.number, "revise", "Do one anew");
    await planning.reached();
    expect(shown(world, plan.number, id)).toMatchInlineSnapshot(
      `"An agent (\`scripted\`) reads the code and what was said, and changes the plan. Until then the plan stays as it is; the changed one has to be approved before work goes on."`,
    );
    await building.open();
    await world.run((now) => stateOf(now, "one") === "completed", "one merged");
    await planning.open();
    expect(await outcomeOf(world, id)).toContain("The plan is changed");
    expect(await prompt.read()).toContain("`one` is merged, so its `description` can't change.");
    expect([...(await world.run()).stages.keys()]).toEqual(["one", "three"]);
  });

  it("is written anew when somebody pushed another plan meanwhile", async () => {
    world = await aWorld();
    const { plan, run } = await offered(world, [stage("one")]);
    const gate = aGate(world);
    const prompt = keepsPrompt(world);
    await scriptNow(world, {
      draft: [gate.step, drafts([stage("one"), stage("two")])],
      redraft: [prompt.step, drafts([stage("one"), stage("pushed"), stage("two")])],
    });
    const { id } = send(world, plan.number, "revise", "Two as well");
    await gate.reached();
    const pushed = planDocument([stage("one"), stage("pushed")]);
    await world.push(`loom/${run.id}.plan`, { [run.planPath]: pushed }, "mia");
    await world.run(({ offer }) => offer?.planVersion === 2, "the pushed plan");
    await gate.open();
    expect(await outcomeOf(world, id)).toContain("The plan is changed");
    expect(await prompt.read()).toContain("Somebody changed the plan while you wrote.");
    expect(await prompt.read()).toContain("Write pushed.txt.");
    expect([...(await world.run()).stages.keys()]).toEqual(["one", "pushed", "two"]);
  });

  it("is stopped with its run, wherever either was asked for, and ends when the run does", async () => {
    world = await aWorld();
    const { issue, plan } = await offered(world, [stage("one")]);
    const gate = aGate(world);
    await scriptNow(world, { draft: [gate.step, drafts([stage("one"), stage("two")])] }, WRITES);
    const { id } = send(world, plan.number, "revise", "Two as well");
    await gate.reached();
    await ask(world, issue, "/loom cancel");
    expect(await outcomeOf(world, id)).toMatchInlineSnapshot(`
      "The revision was stopped by wes. The plan was not changed.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    await world.run(({ status }) => status === "cancelled", "the end");

    const again = await offered(world, [stage("three")]);
    const second = aGate(world, "second");
    await scriptNow(world, { draft: [second.step, drafts([stage("three"), stage("two")])] }, WRITES);
    const late = send(world, again.plan.number, "revise", "Two as well");
    await second.reached();
    world.close(again.plan.number);
    const isOf = (run: Run): boolean => run.id === again.run.id && run.status === "cancelled";
    await world.run(isOf, "the dropped plan");
    await second.open();
    expect(await outcomeOf(world, late.id)).toMatchInlineSnapshot(`
      "The plan was not changed. The run ended meanwhile, so there is no plan left to change.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect((await world.run(isOf)).planVersion).toBe(1);
  });

  it("sends nobody while a push stands that Loom can't follow, or the plan is merged", async () => {
    world = await aWorld();
    const { plan, run } = await offered(world, [stage("one")]);
    const before = await world.file(run.planPath, `loom/${run.id}.plan`);
    await world.push(`loom/${run.id}.plan`, { [run.planPath]: "# A plan\n" }, "mia");
    await world.run(({ refusedEdit }) => refusedEdit !== null, "the refused edit");
    expect(await ask(world, plan.number, "/loom revise Two as well")).toMatchInlineSnapshot(`
      "The plan stays as it is; the change can't be made:

      - Somebody pushed a \`.loom/RUN/PLAN.md\` that Loom can't follow (\`SHA\`): The document has no YAML block with a top-level \`loom:\`. Add one. Push a fixed one, or the one from before, to the plan's branch, then ask again."
    `);
    expect(await world.file(run.planPath, `loom/${run.id}.plan`)).toBe("# A plan\n");

    await world.push(`loom/${run.id}.plan`, { [run.planPath]: before ?? "" }, "mia");
    await scriptNow(world, { draft: [drafts([stage("one"), stage("two")])] }, WRITES);
    const { id } = send(world, plan.number, "revise", "Two as well");
    expect(await outcomeOf(world, id)).toContain("The plan is changed");
    await world.merge(plan.number);
    expect(await ask(world, plan.number, "/loom revise More")).toContain(
      "is merged, so the plan can't change",
    );
  });

  it("keeps a finished stage that a planner could not have written, and whose agent was disabled since", async () => {
    world = await aWorld();
    const one = { ...writesFile("one"), agent: "coder" };
    const { plan } = await offered(world, [one, stage("two", ["one"])]);
    await scriptNow(
      world,
      { draft: [drafts([one, stage("three", ["one"])])] },
      { ...WRITES, two: [{ stall: true }] },
    );
    world.label(plan.number, APPROVE);
    await world.run((now) => isAtWork(now, "two"), "an agent at work");
    const config = {
      version: 1,
      harness: "scripted",
      merge: { mode: "auto" },
      agents: { disabled: ["coder"] },
    };
    await world.push("main", { ".github/loom.yml": stringify(config) });
    const { id } = send(world, plan.number, "revise", "Three instead of two");
    expect(await outcomeOf(world, id)).toContain("The plan is changed");
    expect((await taskWhen(world, id, () => true, "it")).drafts).toHaveLength(1);
  });

  it("while a plan is being written, or where there is none, changes nothing", async () => {
    world = await aWorld();
    const bare = world.issue({ title: "Nothing here" });
    expect(await ask(world, bare, "/loom revise Else")).toMatchInlineSnapshot(
      `"There is no plan here that could be changed. \`/loom run\` on the issue asks for one."`,
    );
    const issue = world.issue({ title: "Words", body: "Count them." });
    const gate = aGate(world);
    await scriptNow(world, { begin: [gate.step, drafts([stage("one")])] }, WRITES);
    world.comment(issue, "/loom run");
    await gate.reached();
    expect(await ask(world, issue, "/loom revise Else")).toMatchInlineSnapshot(
      `"An agent is at work on the plan here already. Ask again once it is done."`,
    );
    await gate.open();
    const plan = await world.planPull();
    expect(plan.title).toBe("Plan: Words");
  });

  it("while a revision is at work is told to wait, and then takes the plan as it is by then", async () => {
    world = await aWorld();
    const { issue, plan } = await offered(world, [stage("one")]);
    const gate = aGate(world);
    await scriptNow(world, { draft: [gate.step, drafts([stage("one"), stage("two")])] }, WRITES);
    const first = send(world, issue, "revise", "Two as well");
    await gate.reached();
    expect(await ask(world, plan.number, "/loom revise Two as well, please")).toMatchInlineSnapshot(
      `"An agent is at work on the revision here already. Ask again once it is done."`,
    );
    await gate.open();
    expect(await outcomeOf(world, first.id)).toContain("The plan is changed");
    const same = send(world, plan.number, "revise", "Two as well, please");
    expect(await outcomeOf(world, same.id)).toMatchInlineSnapshot(`
      "The plan stays as it is: nothing in it would change.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so the agent had the rights of Loom's own user.

      <sub>scripted · tokens not reported · cost unknown · TIME</sub>"
    `);
    expect((await world.run()).planVersion).toBe(2);
    expect(amendments(plan.number)).toHaveLength(1);
  });

  it("keeps what people wrote around their plan, and what they chose for all of it", async () => {
    world = await aWorld();
    const block = stringify({ loom: { version: 1, merge: { mode: "review" }, stages: [stage("one")] } });
    const [above, below] = [
      "# Ours\n\nA line.\n\n## Background\n\nAn outage.\n\n",
      "\n## Appendix\n\n<b>x</b>\n",
    ];
    await world.push("main", { "docs/PLAN.md": `${above}\`\`\`yaml\n${block}\`\`\`\n${below}` });
    const issue = world.issue({ title: "Words", body: "Count them." });
    await ask(world, issue, "/loom run docs/PLAN.md");
    const run = await world.run(({ offer }) => offer !== null, "the plan");
    const prompt = keepsPrompt(world);
    const both = [stage("one"), stage("two")];
    const sound = drafts(both).answer.replace("version: 1\n", "version: 1\n  merge: { mode: review }\n");
    await scriptNow(world, { draft: [drafts(both)], redraft: [prompt.step, { answer: sound }] }, WRITES);
    const { id } = send(world, issue, "revise", "Add two");
    expect(await outcomeOf(world, id)).toContain("The plan is changed");
    expect(await prompt.read()).toContain('1. The plan had `merge: {"mode":"review"}`');
    expect(await prompt.read()).toContain("An outage.");
    const after = await world.file(run.planPath, `loom/${run.id}.plan`);
    expect([after?.startsWith(`${above}\`\`\`yaml\nloom:\n`), after?.endsWith(`\`\`\`\n${below}`)]).toEqual([
      true,
      true,
    ]);
    const { plan } = await world.run(({ planVersion }) => planVersion === 2, "the new plan");
    expect([plan.merge.mode, plan.stages.map((one) => one.id)]).toEqual(["review", ["one", "two"]]);
    expect(world.get(run.offer?.pr ?? 0).body).toContain(
      "- People wrote the plan's document: what stands around its stages is as it was.",
    );
  });

  it("is not for a plan that is too long to be told to one agent", async () => {
    world = await aWorld();
    const description = "Write it. ".repeat(100);
    const long = Array.from({ length: 80 }, (_, n) => ({ ...stage(`s${n}`), description }));
    await world.push("main", { "docs/PLAN.md": planDocument(long) });
    const issue = world.issue({ title: "Words", body: "Count them." });
    await ask(world, issue, "/loom run docs/PLAN.md");
    expect(await ask(world, issue, "/loom revise Add two")).toMatchInlineSnapshot(`
      "The plan stays as it is; the change can't be made:

      - The plan is too long for one agent to write it again without losing a part of it. Push an edit of the plan file to the plan's branch instead; Loom takes it from there."
    `);
    expect((await world.run()).planVersion).toBe(1);
  });

  it("needs a role, and words", async () => {
    world = await aWorld();
    const { issue } = await offered(world, [stage("one")]);
    expect(await ask(world, issue, "/loom revise Else", "rae")).toContain("takes the role");
    expect(await ask(world, issue, "/loom revise")).toMatchInlineSnapshot(
      `"Line 1: \`revise\` needs some words behind it. It is written \`/loom revise <text…>\`. \`/loom help\` lists all commands."`,
    );
  });
});
