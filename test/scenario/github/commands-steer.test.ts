import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  ask,
  check,
  named,
  offered,
  panel,
  replyTo,
  settled,
  write,
  writesFile,
} from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";
import { BY_THE_CLOCK } from "../../support/quickly.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-steer-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let world: GitHubWorld;
afterEach(() => world?.end());

/** An agent waits until the test lets it go. */
const until = (name: string) => ({ run: `while [ ! -e ${folder}/${name} ]; do sleep 0.05; done` });
const letGo = (name: string): Promise<void> => writeFile(join(folder, name), "");
const auto = { version: 1, merge: { mode: "auto" } };

describe("how people steer a run", () => {
  it("tells how it stands, pauses, resumes, asks and takes an answer, and is archived at the end", async () => {
    world = await aGitHubWorld({
      config: auto,
      script: {
        one: [until("one"), write("one.txt")],
        two: [{ ask: "Tabs or spaces?" }, write("two.txt")],
      },
    });
    const { issue, plan } = await offered(world, [writesFile("one"), writesFile("two", ["one"])]);
    const say = (text: string, by?: string): Promise<string> => ask(world, issue, text, by);
    const said: string[] = [];
    const tell = async (text: string, by?: string): Promise<void> =>
      void said.push(`${text}\n  ${(await say(text, by)).replaceAll("\n", "\n  ")}`);

    await tell("/loom status", "rae");
    await tell("/loom resume");
    await tell("/loom retry");
    await tell("/loom archive");
    await tell("/loom approve", "tia");
    await tell("/loom approve 1234567");
    await tell("/loom approve");
    await tell("/loom approve", "mia");
    await world.run((run) => run.stages.get("one")?.state.kind === "executing", "the first stage at work");
    await tell("/loom pause", "rae");
    await tell("/loom pause");
    await tell("/loom pause");
    await panel(world, issue, /\*\*Paused\*\*/);
    await tell("/loom status");
    await letGo("one");
    await world.run((run) => run.stages.get("one")?.commit !== null, "the work of the first stage");
    await tell("/loom resume");
    await tell("/loom resume");
    await world.run((run) => run.stages.get("two")?.state.kind === "waiting-for-input", "a question");
    const question = await check(world, "loom / two", ({ status }) => status === "completed");
    expect([question.conclusion, question.title, named(question.summary ?? "")]).toMatchInlineSnapshot(`
      [
        "action_required",
        "Needs you",
        "\`two\` Write two, attempt 1 of run \`RUN\`. The plan is #2.

      Tabs or spaces?

      Answer with \`/loom answer two …\`

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so agent and checks of this stage had the rights of Loom's own user.",
      ]
    `);
    await tell("/loom status");
    await tell("/loom answer one Yes.");
    await tell("/loom answer tow Spaces.");
    await tell("/loom answer two");
    await tell("/loom answer I'd take spaces");
    await tell("/loom answer defaults");
    await tell("/loom answer two Spaces.\nAlways.");
    await world.run((run) => run.status === "completed", "the end of the run");
    await tell("/loom answer Tabs, after all");
    await tell("/loom status", "rae");
    await tell("/loom pause");
    await tell("/loom retry two");
    await tell("/loom run");
    await tell("/loom cancel");
    expect(said.join("\n\n")).toMatchInlineSnapshot(`
      "/loom status
        **The plan waits for approval** · 2 stages: 2 waiting
        
        Run \`RUN\` for #1. Plan: #2.
        
        **Needs you**
        
        - Approve the plan in #2: set the label \`loom: approve\`, or comment \`/loom approve SHA\` there (its head is \`SHA\`).
        
        Next: once the plan is approved, the stages start. A push to the plan voids its approval.

      /loom resume
        There is nothing to go on with. \`/loom status\` says how the run stands; \`/loom retry\` helps stages that are stuck.

      /loom retry
        No stage is stuck, so there is nothing to retry. \`/loom status\` says how the run stands.

      /loom archive
        The run RUN has not ended. \`/loom cancel\` ends it.

      /loom approve
        \`approve\` takes the role \`write\` or more in this repository; yours is \`triage\`. Ask somebody who has it.

      /loom approve 1234567
        This did not approve the plan: you named \`SHA\`, but its head is now \`SHA\`. Read what changed, then comment \`/loom approve SHA\`.

      /loom approve
        The plan is approved at \`SHA\`. The first stages start now; a push to the plan voids the approval.

      /loom approve
        The plan is already approved, by wes. Nothing changed.

      /loom pause
        \`pause\` takes the role \`write\` or more in this repository; yours is \`read\`. Ask somebody who has it.

      /loom pause
        Paused. Nothing new starts and nothing is merged; what is at work may finish. \`/loom resume\` goes on.

      /loom pause
        The run RUN is paused already, by wes. \`/loom resume\` lets it go on.

      /loom status
        **Paused** · 2 stages: 1 working, 1 waiting
        
        Run \`RUN\` for #1. Plan: #2, approved by wes (write) at \`SHA\`.
        
        Paused by wes. Next: nothing new starts until \`/loom resume\`.

      /loom resume
        The run goes on.

      /loom resume
        There is nothing to go on with. \`/loom status\` says how the run stands; \`/loom retry\` helps stages that are stuck.

      /loom status
        **Running** · 2 stages: 1 done, 1 needs you
        
        Run \`RUN\` for #1. Plan: #2, approved by wes (write) at \`SHA\`.
        
        **Needs you**
        
        - \`two\` asks: Tabs or spaces? Answer with \`/loom answer two …\`
        
        Next: Loom merges each stage into \`main\` when its checks pass, then starts what waits for it.

      /loom answer one Yes.
        one has not asked anything: it is completed.

      /loom answer tow Spaces.
        The run has no stage \`tow\`. Did you mean \`two\`?

      /loom answer two
        The answer to \`two\` is empty. Write it behind the name: \`/loom answer two …\`

      /loom answer I'd take spaces
        \`I'd\` is not the name of a stage: those have small letters, digits and dashes. Answer with \`/loom answer two …\`

      /loom answer defaults
        The run has no stage \`defaults\`. Answer with \`/loom answer two …\`

      /loom answer two Spaces.
      Always.
        \`two\` has your answer and goes on.

      /loom answer Tabs, after all
        No question waits for an answer here.

      /loom status
        **Done** · 2 stages: 2 done · TIME
        
        Run \`RUN\` for #1. Plan: #2, approved by wes (write) at \`SHA\`.
        
        All that was planned is done. \`/loom archive\` removes the branches and labels that are left.

      /loom pause
        The run RUN is completed.

      /loom retry two
        The run RUN is completed.

      /loom run
        This plan is built already: #2 (run \`RUN\`). To build it again, put that run away with \`/loom archive\` first.

      /loom cancel
        The run RUN is completed."
    `);

    await panel(world, issue, "Done");
    expect(await say("/loom archive")).toMatchInlineSnapshot(
      `"The run is archived: its branches and labels are removed, its record stays."`,
    );
    expect([world.get(issue).labels, world.get(plan.number).labels]).toEqual([[], []]);
    expect(await world.world.git.refs(world.repository.gitDir, "refs/heads/loom/")).toEqual([]);
    expect(await say("/loom archive")).toContain("No run belongs to this thread.");
    const again = await say("/loom run");
    expect(again).toMatch(/The plan is open: #\d+/);
  });

  it("retries or leaves out what is stuck", async () => {
    world = await aGitHubWorld({
      config: { ...auto, limits: { retries: 0 } },
      script: {
        one: { attempts: [[{ fail: 3 }], [write("one.txt")]] },
        two: [{ fail: 3 }],
        three: [write("three.txt")],
      },
    });
    const { issue, plan } = await offered(world, [
      writesFile("one"),
      writesFile("two"),
      writesFile("three", ["one", "two"]),
    ]);
    expect(await ask(world, plan.number, "/loom approve")).toMatchInlineSnapshot(
      `"The plan is approved at \`SHA\`. The first stages start now; a push to the plan voids the approval."`,
    );
    await world.run((run) => run.status === "blocked", "a blocked run");
    const oneOfThem = (text: string): string =>
      text.replaceAll(/waits for (?:one|two), which/g, "waits for EITHER, which");
    expect(oneOfThem(await panel(world, issue, /\*\*Blocked\*\*/))).toMatchInlineSnapshot(`
      "<!-- loom:panel RUN -->

      ### Loom: Count words

      **Blocked** · 3 stages: 3 blocked · TIME

      Run \`RUN\` for #1. Plan: #2, approved by wes (write) at \`SHA\`.

      **Needs you**

      - \`one\` is stuck: The agent ended with exit code 3. Give it fresh attempts with \`/loom retry one\`, do it yourself with \`/loom take one\`, or go on without it with \`/loom skip one\`.
      - \`two\` is stuck: The agent ended with exit code 3. Give it fresh attempts with \`/loom retry two\`, do it yourself with \`/loom take two\`, or go on without it with \`/loom skip two\`.

      |  | Stage | State | PR | Evidence | Time |
      |---|---|---|---|---|---|
      | ✗ | \`one\` Write one | blocked: The agent ended with exit code 3. |  |  | TIME |
      | ✗ | \`two\` Write two | blocked: The agent ended with exit code 3. |  |  | TIME |
      | ✗ | \`three\` Write three | blocked: It waits for EITHER, which is blocked. |  |  |  |

      Next: nothing goes on by itself; see above what is needed.

      <details>
      <summary>How to steer</summary>

      | Comment | What it does |
      |---|---|
      | \`/loom retry [stage]\` | Give a blocked stage, or every blocked stage, fresh attempts. |
      | \`/loom skip <stage>\` | Go on without a stage. |
      | \`/loom take <stage>\` | Do a stage yourself: push to its branch, Loom checks it and goes on. |
      | \`/loom revise <text…>\` | Have the plan changed as you say; it has to be approved again, and finished stages stay. |
      | \`/loom cancel\` | End the run for good, and stop agents at work here; what is merged stays. |
      | \`/loom help\` | Show these commands. |

      </details>"
    `);
    expect(oneOfThem(await ask(world, issue, "/loom retry three"))).toMatchInlineSnapshot(
      `"three waits for another stage: It waits for EITHER, which is blocked. Retry that one; this one follows by itself."`,
    );
    expect(await ask(world, issue, "/loom retry one\n/loom skip two\n/loom skip two")).toMatchInlineSnapshot(`
      "\`one\` gets fresh attempts.

      ---

      \`two\` is left out; what waits for it goes on without it.

      ---

      two is skipped already."
    `);
    await world.run((run) => run.status === "completed", "the end of the run");
    expect(await world.file("three.txt")).toBe("done\n");
    expect(await panel(world, issue, /\*\*Done\*\*/)).toContain("Skipped by wes");
  });

  it(
    "ends agents within seconds when it is cancelled, and makes nothing anew (F20)",
    BY_THE_CLOCK,
    async () => {
      world = await aGitHubWorld({
        config: auto,
        script: { one: [{ run: `echo $$ > ${folder}/pid; sleep 300` }] },
      });
      const { issue, plan } = await offered(world, [writesFile("one"), writesFile("two", ["one"])]);
      await ask(world, plan.number, "/loom approve");
      await world.run((run) => run.stages.get("one")?.session?.state === "running", "an agent at work");
      const since = Date.now();
      expect(await ask(world, issue, "/loom cancel")).toMatchInlineSnapshot(
        `"Cancelled. Agents are being stopped; what is merged stays. \`/loom run\` starts again."`,
      );
      await world.run((run) => run.status === "cancelled", "the end of the run");
      expect(Date.now() - since).toBeLessThan(10_000);
      expect(world.pulls().map(({ number }) => number)).toEqual([plan.number]);
      await panel(world, issue, /\*\*Cancelled\*\*/);
      expect(await ask(world, issue, "/loom status")).toMatchInlineSnapshot(`
      "**Cancelled** · 2 stages: 2 skipped · TIME

      Run \`RUN\` for #1. Plan: #2, approved by wes (write) at \`SHA\`.

      Cancelled by wes. What was merged stays; \`/loom run\` starts again."
    `);
      expect(await ask(world, issue, "/loom resume")).toMatchInlineSnapshot(
        `"There is nothing to go on with. \`/loom status\` says how the run stands; \`/loom retry\` helps stages that are stuck."`,
      );
      expect(await ask(world, issue, "/loom retry one")).toMatchInlineSnapshot(
        `"The run RUN was cancelled. \`/loom run\` starts it over."`,
      );
      expect(await ask(world, issue, "/loom run")).toMatch(/The plan is open: #\d+/);
      await settled(world);
      expect(world.pulls()).toHaveLength(2);
    },
  );

  it("stops at the budget and goes on when told; new issues and --express may start runs where allowed", async () => {
    world = await aGitHubWorld({
      config: { ...auto, auto_run: true, approval: { express: true } },
      script: {
        one: [{ usage: { cost_usd: 2 } }, write("one.txt")],
        two: [write("two.txt")],
      },
    });
    const issue = world.issue({
      body: `/loom run --budget 1.50 --express\n\n${planDocument([writesFile("one"), writesFile("two", ["one"])])}`,
    });
    expect(named(await world.reply(issue))).toMatchInlineSnapshot(
      `"The plan is open and approved: #2 (run \`RUN\`). The first stages start now."`,
    );
    expect(world.get(issue).reactions.map(({ content }) => content)).toEqual(["eyes"]);
    await world.run((run) => run.pausedBy !== null, "a spent budget");
    const text = await panel(world, issue, /\*\*Paused\*\*/);
    expect(text.split("\n").filter((line) => /spent/.test(line))).toMatchInlineSnapshot(`
      [
        "- $2 of $1.50 are spent, so nothing new starts. \`/loom resume\` goes on all the same, \`/loom cancel\` ends the run.",
        "Paused by the budget: The budget of &#36;1.50 is spent. Stages that run are finished; \`/loom resume\` goes on all the same. Next: nothing new starts until \`/loom resume\`.",
      ]
    `);
    await ask(world, issue, "/loom resume");
    await world.run((run) => run.status === "completed", "the end of the run");
    const nobody = world.issue({ by: "sam", body: `/loom run\n\n${planDocument([writesFile("one")])}` });
    expect(named(await world.reply(nobody))).toMatchInlineSnapshot(
      `"\`run\` takes the role \`write\` or more in this repository; yours is \`read\`. Ask somebody who has it."`,
    );
    expect(await replyTo(world, issue, world.comment(issue, "/loom run"))).toMatchInlineSnapshot(
      `"This plan is built already: #2 (run \`RUN\`). To build it again, put that run away with \`/loom archive\` first."`,
    );
  });

  it("hands a stage over to a person and goes on with what they pushed", async () => {
    world = await aGitHubWorld({
      config: { ...auto, limits: { retries: 0 } },
      script: { one: [{ fail: 3 }], two: [write("two.txt")] },
    });
    const { issue, plan, run } = await offered(world, [writesFile("one"), writesFile("two", ["one"])]);
    await ask(world, plan.number, "/loom approve");
    await world.run(({ stages }) => stages.get("one")?.state.kind === "blocked", "a stuck stage");
    expect(await ask(world, issue, "/loom take two")).toMatchInlineSnapshot(
      `"two still waits for the stages it depends on. Take it when they are done, or take the one that is in the way."`,
    );
    expect(await ask(world, issue, "/loom take one", "tia")).toContain("takes the role `write`");
    expect(await ask(world, issue, "/loom take one")).toMatchInlineSnapshot(
      `"\`one\` is yours. Push to \`loom/RUN/one\`; Loom then runs the checks of the plan on it and goes on."`,
    );
    await panel(world, issue, /waits for wes to push/);
    // What does not pass is theirs again; what passes is merged like any other work.
    const branch = `loom/${run.id}/one`;
    await world.push(branch, { "other.txt": "x\n" });
    await world.run(({ stages }) => {
      const one = stages.get("one");
      return one?.state.kind === "waiting-for-input" && one.verdict?.outcome === "failed";
    }, "a refused push");
    const theirs = await check(world, "loom / one", ({ conclusion }) => conclusion === "action_required");
    expect(named(theirs.summary ?? "")).toMatchInlineSnapshot(`
      "\`one\` Write one, attempt 1 of run \`RUN\`. The plan is #2.

      A person does this stage: push to loom/RUN/one, and Loom takes it from there.

      **No sandbox**: the operator set \`LOOM_SANDBOX=off\`, so agent and checks of this stage had the rights of Loom's own user."
    `);
    expect(theirs.actions.map(({ identifier }) => identifier)).toEqual(["skip"]);
    await world.push(branch, { "one.txt": "mine\n" });
    await world.run(({ status }) => status === "completed", "the end of the run");
    expect(await world.file("one.txt")).toBe("mine\n");
    expect(await world.file("two.txt")).toBe("done\n");
  });
});
