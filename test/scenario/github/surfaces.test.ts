import { afterEach, describe, expect, it } from "vitest";
import { rerequestSuite } from "../../../playground/model/checks/rerequest-suite.ts";
import { deleteComment } from "../../../playground/model/issues/delete-comment.ts";
import {
  ask,
  check,
  checkOf,
  named,
  offered,
  panel,
  panelOf,
  press,
  rerun,
  settled,
  write,
  writesFile,
} from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const APPROVE = "loom: approve";
const auto = { version: 1, merge: { mode: "auto" } };
const firstLines = (text: string): string => text.split("<details>")[0]?.trim() ?? "";

describe("what people see of a run", () => {
  it("shows plan, panel, checks and labels from the first word to the last", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")], two: [write("two.txt")] } });
    const { issue, plan, run } = await offered(world, [writesFile("one"), writesFile("two", ["one"])], {
      title: "Count words",
    });
    const labels = (): string[][] =>
      [issue, plan.number].map((number) => [...world.get(number).labels].sort());
    expect(plan.title).toBe("Plan: Count words");
    expect(named(plan.body)).toMatchInlineSnapshot(`
      "<!-- loom:plan RUN -->

      A plan of 2 stages for #1, Count words, asked for by wes. It is in \`.loom/RUN/PLAN.md\`; its run is \`RUN\`, and the work goes into \`main\`. Nothing runs before it is approved.

      ### How to approve

      To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve\` there. It takes the role \`write\` or more. A later push voids it.

      ### Stages

      \`\`\`mermaid
      flowchart LR
        s0["one"]
        s1["two"]
        s0 --> s1
      \`\`\`

      | Stage | After | May touch | Proved by |
      |---|---|---|---|
      | \`one\` Write one |  | any file | \`test -f one.txt\` |
      | \`two\` Write two | \`one\` | any file | \`test -f two.txt\` |

      - Batches: 2, the widest with 1 stage
      - In parallel: none, they run one after the other

      ### The gate

      No check of the project as a whole runs after a stage.

      ### Ceilings

      | At most |  |
      |---|---|
      | Cost | no ceiling is set |
      | Time | 1d 0h, if every attempt on the longest chain took all of its time |
      | Agents | 1 at a time, 6 attempts in all, 1d 0h together |
      | Critical path | \`one\` → \`two\` |

      ### Merging

      People merge. Each stage is a pull request of its own; those that depend on it stack on it.

      ### How to change or drop it

      Comment \`/loom revise <what should be different>\` to have it changed, or push an edit of \`.loom/RUN/PLAN.md\` to this branch. Either way the approval has to be given again; stages that are finished stay finished. Close this pull request, or comment \`/loom cancel\`, to drop the plan."
    `);
    await panel(world, issue, "waits for approval");
    await check(world, "loom / gate");
    expect(firstLines(await panel(world, issue))).toMatchInlineSnapshot(`
      "<!-- loom:panel RUN -->

      ### Loom: Count words

      **The plan waits for approval** · 2 stages: 2 waiting

      Run \`RUN\` for #1. Plan: #2.

      **Needs you**

      - Approve the plan in #2: set the label \`loom: approve\`, or comment \`/loom approve SHA\` there (its head is \`SHA\`).

      |  | Stage | State | PR | Evidence | Time |
      |---|---|---|---|---|---|
      | · | \`one\` Write one | waiting |  |  |  |
      | · | \`two\` Write two | waiting: after one |  |  |  |

      Next: once the plan is approved, the stages start. A push to the plan voids its approval."
    `);
    const planCheck = await check(world, "loom / plan");
    expect([
      planCheck.conclusion,
      planCheck.title,
      planCheck.externalId === run.id,
      planCheck.actions,
    ]).toMatchInlineSnapshot(`
      [
        "action_required",
        "Waits for approval",
        true,
        [
          {
            "description": "Approve the plan at this commit",
            "identifier": "approve",
            "label": "Approve",
          },
        ],
      ]
    `);
    await world.until(
      () => labels().every((some) => some.join() === "loom: plan review"),
      "the labels of a plan that waits",
    );

    world.label(plan.number, APPROVE);
    const first = await world.stagePull("one");
    const second = await world.stagePull("two");
    await panel(world, issue, /Review and merge/);
    await check(world, "loom / two", ({ status }) => status === "completed");
    await world.until(() => world.get(first.number).body.includes("Needed by: #"), "what needs the first");
    expect(firstLines(await panel(world, issue, /2 waiting/))).toMatchInlineSnapshot(`
      "<!-- loom:panel RUN -->

      ### Loom: Count words

      **Running** · 2 stages: 2 waiting

      Run \`RUN\` for #1. Plan: #2, approved by wes (write) at \`SHA\`.

      **Needs you**

      - Review and merge #3 (\`one\`).

      |  | Stage | State | PR | Evidence | Time |
      |---|---|---|---|---|---|
      | ○ | \`one\` Write one | open: It is proved and waits to be merged. | #3 | 1 of 1 check |  |
      | ○ | \`two\` Write two | open: It is proved and waits to be merged. | #4 | 1 of 1 check |  |

      Next: each stage becomes a pull request when its checks pass, and what depends on it goes on at once. People merge into \`main\`."
    `);
    expect([first.title, named(first.body)]).toMatchInlineSnapshot(`
      [
        "Write one",
        "<!-- loom:stage RUN one -->

      Stage \`one\` of run \`RUN\` for #1, planned in #2. The work was done by an agent (attempt 1), the proof by Loom.

      Needed by: #4

      ### What

      > Write one.txt.

      ### How it was proved

      The one check passed. Loom ran it itself, from the approved plan, on a clean checkout of \`SHA\`; \`loom / one\` has the output.

      |  | Kind | Check | Result |
      |---|---|---|---|
      | ✓ | acceptance | \`test -f one.txt\` | passed (exit 0, TIME) |

      <details>
      <summary>1 changed file</summary>

      - \`one.txt\`

      </details>

      ### What now

      Review and merge it into \`main\`. To work on it yourself, comment \`/loom take one\` and push to this branch.",
      ]
    `);
    expect(world.get(second.number).body).toContain(`Depends-On: #${first.number}`);
    await world.until(
      () => world.get(plan.number).body.includes("**No sandbox**: the operator set"),
      "the plan's pull request to say that there was no sandbox",
    );
    const evidence = await check(world, "loom / one");
    expect(evidence.externalId).toBe(`${run.id}/one/1`);
    expect(evidence.headSha).toBe(first.pull?.headSha);
    expect([
      evidence.conclusion,
      evidence.title,
      named(evidence.summary ?? ""),
      named(evidence.text ?? ""),
    ]).toMatchInlineSnapshot(`
      [
        "success",
        "The one check passed",
        "\`one\` Write one, attempt 1 of run \`RUN\`. The plan is #2.

      Loom ran every check of the approved plan itself, on a clean checkout of this commit.

      The one check passed.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so agent and checks of this stage had the rights of Loom's own user.",
        "✓ acceptance: \`test -f one.txt\` — passed (exit 0, TIME)",
      ]
    `);
    await world.until(
      () => labels().every((some) => some.includes("loom: needs human")),
      "a label that asks",
    );
    expect(labels()[1]).toEqual([APPROVE, "loom: approved", "loom: needs human"].sort());

    // Labels are for people: taking one off, or setting another, decides nothing.
    world.unlabel(issue, "loom: needs human", "tia");
    world.label(issue, "loom: done", "tia");
    world.unlabel(plan.number, "loom: approved", "tia");
    // Whoever deletes the panel does not want it back.
    const comment = world.get(issue).comments.find(({ body }) => body.includes("loom:panel"));
    deleteComment(world.world, world.repository, comment?.id ?? 0, { by: "mia" });
    await settled(world);
    expect((await world.run()).status).toBe("running");
    await world.merge(first.number);
    await world.until(() => world.get(second.number).pull?.baseRef === "main", "the second on main");
    await world.run((one) => one.stages.get("one")?.state.kind === "completed", "the first merged");
    await world.until(
      async () =>
        (await world.run()).stages.get("two")?.stack.length === 0 &&
        world.get(second.number).pull?.baseRef === "main",
      "the second by itself",
    );
    await world.merge(second.number);
    await world.run((one) => one.status === "completed", "the end of the run");
    await world.until(() => labels().every((some) => some.includes("loom: done")), "the label of the end");
    await check(world, "loom / gate", ({ conclusion }) => conclusion === "success");
    expect(panelOf(world, issue)).toBeUndefined();
    const gate = checkOf(world, "loom / gate");
    expect([gate?.title, gate?.summary, gate?.externalId === `${run.id}/gate`]).toMatchInlineSnapshot(`
      [
        "Done: 2 of 2 stages done",
        "Every stage is done.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so agents and checks of this run had the rights of Loom's own user. The checks of the stages say which.",
        true,
      ]
    `);
  });

  it("retries what is stuck by a button, by Re-run, and by Re-run of all", async () => {
    world = await aGitHubWorld({
      config: { ...auto, limits: { retries: 0 } },
      script: {
        one: { attempts: [[{ fail: 3 }], [write("else.txt")], [{ fail: 4 }], [write("one.txt")]] },
        gate: [write("gate.txt")],
      },
    });
    const { plan, run } = await offered(world, [writesFile("one"), writesFile("gate")]);
    world.label(plan.number, APPROVE);
    const failed = (attempt: number) =>
      check(
        world,
        "loom / one",
        (one) =>
          one.status === "completed" &&
          one.externalId === `${run.id}/one/${attempt}` &&
          one.conclusion === "failure",
      );
    const first = await failed(1);
    expect([
      first.title,
      named(first.summary ?? ""),
      first.actions.map(({ identifier }) => identifier),
    ]).toMatchInlineSnapshot(`
      [
        "Did not pass",
        "\`one\` Write one, attempt 1 of run \`RUN\`. The plan is #2.

      The agent ended with exit code 3.

      \`\`\`text
      This is a scripted agent: it follows script.yaml, and no model is at work.
      \`\`\`

      Give it fresh attempts with \`/loom retry one\`, do it yourself with \`/loom take one\`, or go on without it with \`/loom skip one\`.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so agent and checks of this stage had the rights of Loom's own user.",
        [
          "retry",
          "skip",
        ],
      ]
    `);
    // A triager can't press it.
    press(world, first, "retry", "tia");
    expect(await world.reply(plan.number)).toContain("About the button that tia pressed");
    press(world, first, "retry");
    const second = await failed(2);
    // Pressed once more, or told again by GitHub: it was for the attempt before.
    press(world, { ...first }, "retry");
    await world.until(
      () => world.loom.audits.find(({ boundary, rule }) => boundary === "replay" && rule === "past-attempt"),
      "the button is told of",
    );
    expect(named(second.text ?? "")).toMatchInlineSnapshot(`
      "#### ✗ acceptance: \`test -f one.txt\`

      exited with 1 (expected 0) (TIME)"
    `);
    rerun(world, second);
    const third = await failed(3);
    const suite = world.repository.checkSuites.find(({ id }) => id === third.suite);
    if (!suite) throw new Error("the check run is in no suite");
    // A stage that is called like one of Loom's own checks does not pass for it.
    expect(checkOf(world, "loom / gate")?.externalId).toBe(`${run.id}/gate`);
    expect((await check(world, "loom / stage gate")).externalId).toBe(`${run.id}/gate/1`);
    rerequestSuite(world.world, world.repository, suite, { by: "tia" });
    expect(await world.reply(plan.number, 2)).toContain("`retry` takes the role `write`");
    rerequestSuite(world.world, world.repository, suite, { by: "wes" });
    await world.run((one) => one.stages.get("one")?.state.kind === "completed", "a stage that passed");
    // What passed shows the same again.
    const passed = await check(world, "loom / one", ({ conclusion }) => conclusion === "success");
    passed.status = "completed";
    passed.title = "spoilt";
    rerun(world, passed, "rae");
    await check(world, "loom / one", ({ title }) => title === "The one check passed, merged");
    expect(world.said(plan.number)).toHaveLength(2);
    await ask(world, plan.number, "/loom cancel");
  });

  it("writes to GitHub at most 12 times for each stage", async () => {
    const SHOW_MS = 3_000;
    const USUAL_MS = 20_000;
    const ids = ["one", "two", "three", "four", "five", "six"];
    world = await aGitHubWorld({
      config: auto,
      showAfterMs: SHOW_MS,
      script: Object.fromEntries(ids.map((id) => [id, [write(`${id}.txt`)]])),
    });
    const { issue, plan } = await offered(world, [
      writesFile("one"),
      writesFile("two", ["one"]),
      writesFile("three", ["one"]),
      writesFile("four", ["two", "three"]),
      writesFile("five", ["four"]),
      writesFile("six"),
    ]);
    const began = performance.now();
    world.label(plan.number, APPROVE);
    await world.run((run) => run.status === "completed", "the end of the run");
    const extraMs = Math.max(0, performance.now() - began - USUAL_MS);
    await panel(world, issue, /\*\*Done\*\*/);
    await check(world, "loom / gate", ({ conclusion }) => conclusion === "success");
    await settled(world);
    const writes = world.world.github.requests.filter(
      ({ method, route, actor }) => actor.startsWith("installation:") && route !== null && method !== "GET",
    );
    const byRoute = new Map<string, number>();
    for (const { route } of writes) byRoute.set(route ?? "", (byRoute.get(route ?? "") ?? 0) + 1);
    // What is shown may be brought up to date once in each pause, so a slow machine has more of it: panel, gate, stages.
    const extra = 4 * Math.ceil(extraMs / SHOW_MS);
    expect(writes.length - extra, JSON.stringify([...byRoute], null, 1)).toBeLessThanOrEqual(12 * ids.length);
    expect(writes.filter(({ createsContent }) => createsContent).length / ids.length).toBeLessThanOrEqual(4);
  });
});
