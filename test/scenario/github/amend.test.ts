import { afterEach, describe, expect, it } from "vitest";
import type { Run } from "../../../src/core/run/run.ts";
import { amendRun } from "../../../src/engine/github/plan/amend-run.ts";
import {
  ask,
  check,
  checkOf,
  named,
  offered,
  panel,
  settled,
  write,
  writesFile,
} from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";

const APPROVE = "loom: approve";
let world: GitHubWorld;
afterEach(() => world?.end());

const branchOf = (run: Run): string => `loom/${run.id}.plan`;
const edit = (run: Run, stages: readonly unknown[], by = "mia", more = {}): Promise<string> =>
  world.push(branchOf(run), { [run.planPath]: planDocument(stages, more) }, by);
const stateOf = (run: Run, stage: string): string => run.stages.get(stage)?.state.kind ?? "none";
const isAtWork = (run: Run, stage: string): boolean => run.stages.get(stage)?.session?.state === "running";
/** What Loom says on the plan's pull request about this commit. */
async function saidOf(number: number, key: string): Promise<string> {
  const text = await world.until(
    () => world.said(number).find((body) => body.includes(`<!-- loom:${key} -->`)),
    `what is said about ${key}`,
  );
  return named(text.replace(/\n*<!-- loom:[^>]*-->\s*$/, ""));
}
async function amend(run: Run, stages: readonly unknown[], key = "task-1", from?: number) {
  const text = planDocument(stages);
  return amendRun(await world.engine(), world.loom.hosted.host, {
    run: run.id,
    planText: text,
    by: "wes",
    key,
    ...(from === undefined ? {} : { from }),
  });
}

describe("a plan that is changed by a push", () => {
  it("is read, shown with what changed, and approved as it is then", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")], two: [write("two.txt")] } });
    const { issue, plan, run } = await offered(world, [writesFile("one"), writesFile("old")]);
    const head = await edit(run, [{ ...writesFile("one"), files: ["*.txt"] }, writesFile("two", ["one"])]);
    expect(await saidOf(plan.number, `amended-${head}`)).toMatchInlineSnapshot(`
      "mia changed the plan by a push (\`SHA\`).

      - New: \`two\` Write two
      - Removed: \`old\` Write old
      - Changed: \`one\` (files)

      Work goes on once the plan is approved as it is now. To approve, set the label \`loom: approve\` on the plan's pull request, or comment \`/loom approve SHA\` there: the approval is for \`SHA\` and nothing else. It takes the role \`write\` or more. A later push voids it.

      | Stage | Field | Before | After |
      |---|---|---|---|
      | \`one\` | \`files\` | not set | \`*.txt\` |

      <details>
      <summary>Line by line</summary>

      \`\`\`\`\`diff
      @@
             description: Write one.txt.
             stage_type: standard
      +      files:
      +        - "*.txt"
             acceptance:
               - test -f one.txt
      -    - id: old
      -      name: Write old
      -      description: Write old.txt.
      +    - id: two
      +      name: Write two
      +      description: Write two.txt.
      +      dependencies:
      +        - one
             stage_type: standard
             acceptance:
      -        - test -f old.txt
      +        - test -f two.txt
       \`\`\`\`
      \`\`\`\`\`

      </details>"
    `);
    const after = await world.run(({ offer }) => offer?.head === head, "the new offer");
    expect([after.planVersion, [...after.stages.keys()], after.approval]).toEqual([
      2,
      ["one", "two"],
      { kind: "awaited", voided: null },
    ]);
    expect(world.get(plan.number).body).toContain("`two`");
    expect(await ask(world, plan.number, `/loom approve ${head.slice(0, 7)}`)).toContain("is approved");
    await world.run(({ approval }) => approval.kind === "given" && approval.head === head, "the approval");
    await world.stagePull("one");
    await panel(world, issue, "approved by wes");
  });

  it("keeps what is merged, starts over what says something else, drops what is gone, and wants an approval again", async () => {
    const hangs = [{ run: "sleep 300" }];
    world = await aGitHubWorld({
      script: { one: [write("one.txt")], two: hangs, three: hangs },
      config: { version: 1, merge: { mode: "auto" } },
    });
    const stages = [writesFile("one"), writesFile("two", ["one"]), writesFile("three", ["one"])];
    const { plan, run } = await offered(world, stages);
    world.label(plan.number, APPROVE);
    await world.run((now) => isAtWork(now, "two") && isAtWork(now, "three"), "two agents at work");
    const before = await world.run();

    const [one = {}, two = {}] = stages;
    const head = await edit(run, [one, { ...two, description: "Write two.txt, and well." }]);
    const after = await world.run(({ offer }) => offer?.head === head, "the new offer");
    expect(await saidOf(plan.number, `amended-${head}`)).toContain(
      "Finished, and stays as it is: `one` (merged)",
    );
    expect([stateOf(after, "one"), stateOf(after, "two"), stateOf(after, "three")]).toEqual([
      "completed",
      "waiting-for-deps",
      "none",
    ]);
    expect(after.approval).toMatchObject({ voided: { kind: "amended", by: "mia" } });
    expect(after.stages.get("one")?.commit).toBe(before.stages.get("one")?.commit);
    await world.until(() => !world.get(plan.number).labels.includes(APPROVE), "the label gone");
    await settled(world);
    expect(stateOf(await world.run(), "two")).toBe("waiting-for-deps");

    world.label(plan.number, APPROVE, "wes");
    const again = await world.run((now) => isAtWork(now, "two"), "the agent at work again");
    expect(again.stages.get("two")).toMatchObject({
      attempts: 2,
      plan: { description: "Write two.txt, and well." },
    });
    await ask(world, plan.number, "/loom cancel");
    await world.run(({ status }) => status === "cancelled", "the end");
  });

  it("can't be approved when it breaks what is finished, until it is put right", async () => {
    world = await aGitHubWorld({
      script: { one: [write("one.txt")], two: [{ run: "sleep 300" }] },
      config: { version: 1, merge: { mode: "auto" } },
    });
    const stages = [writesFile("one"), writesFile("two", ["one"])];
    const { issue, plan, run } = await offered(world, stages);
    world.label(plan.number, APPROVE);
    await world.run((now) => isAtWork(now, "two"), "an agent at work");

    const head = await edit(run, [
      { ...writesFile("one"), description: "Write it anew." },
      writesFile("two"),
    ]);
    expect(await saidOf(plan.number, `edit-${head}`)).toMatchInlineSnapshot(`
      "\`.loom/RUN/PLAN.md\` was changed by mia (\`SHA\`), and Loom can't go on with it as it is there:

      - \`one\` is merged, so its \`description\` can't change. Leave it as it was, and add a stage that depends on \`one\` and changes its work.

      Nothing goes on, and it can't be approved like this. Push a fixed \`.loom/RUN/PLAN.md\`, or the one from before, to the plan's branch; Loom then reads it again. \`/loom cancel\` drops the plan."
    `);
    await world.run((now) => now.approval.kind === "awaited" && !isAtWork(now, "two"), "no agent");
    const shown = await check(world, "loom / plan", ({ headSha }) => headSha === head);
    expect([shown.conclusion, shown.title, named(shown.summary ?? ""), shown.actions]).toMatchInlineSnapshot(`
      [
        "action_required",
        "The plan was changed and can't be used as it is",
        "\`.loom/RUN/PLAN.md\` at \`SHA\` can't be approved:

      - \`one\` is merged, so its \`description\` can't change. Leave it as it was, and add a stage that depends on \`one\` and changes its work.

      Push a fixed \`.loom/RUN/PLAN.md\`, or the one from before, to the plan's branch; Loom then reads it again. \`/loom cancel\` drops the plan.",
        [],
      ]
    `);
    expect(await ask(world, plan.number, "/loom approve")).toMatchInlineSnapshot(`
      "This did not approve the plan: \`.loom/RUN/PLAN.md\` at \`SHA\` can't be approved:

      - \`one\` is merged, so its \`description\` can't change. Leave it as it was, and add a stage that depends on \`one\` and changes its work.

      Push a fixed \`.loom/RUN/PLAN.md\`, or the one from before, to the plan's branch; Loom then reads it again. \`/loom cancel\` drops the plan."
    `);
    expect(await panel(world, issue, "Fix the plan")).toMatch(
      /Fix the plan in #2: as it is at `SHA`, it can't be approved/,
    );
    expect((await world.run()).planVersion).toBe(1);

    const fixed = await edit(run, stages);
    await check(world, "loom / plan", ({ headSha }) => headSha === fixed);
    expect(await ask(world, plan.number, `/loom approve ${fixed.slice(0, 7)}`)).toContain("is approved");
    await world.run((now) => isAtWork(now, "two"), "the agent at work again");
    await ask(world, plan.number, "/loom cancel");
    await world.run(({ status }) => status === "cancelled", "the end");
  });

  it("says what is wrong with a plan that can't be read", async () => {
    world = await aGitHubWorld({ script: {} });
    const { plan, run } = await offered(world, [writesFile("one")]);
    const head = await world.push(
      branchOf(run),
      { [run.planPath]: "# A plan\n\n```yaml\nloom: [\n```\n" },
      "mia",
    );
    expect(await saidOf(plan.number, `edit-${head}`)).toMatchInlineSnapshot(`
      "\`.loom/RUN/PLAN.md\` was changed by mia (\`SHA\`), and Loom can't go on with it as it is there:

      - line 5: The YAML can't be used here: flow sequence in block collection must be sufficiently indented and end with a \\]. Indent it like its neighbours, with spaces; close every bracket.

      Nothing goes on, and it can't be approved like this. Push a fixed \`.loom/RUN/PLAN.md\`, or the one from before, to the plan's branch; Loom then reads it again. \`/loom cancel\` drops the plan."
    `);
    await world.run(({ refusedEdit }) => refusedEdit?.head === head, "the refused edit");
    world.label(plan.number, APPROVE);
    await world.until(() => !world.get(plan.number).labels.includes(APPROVE), "the label gone");
    expect((await world.run()).approval.kind).toBe("awaited");
  });
});

describe("a plan that somebody has changed", () => {
  it("goes to its branch with all that describes it, and can't be approved as it was", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] } });
    const { plan, run } = await offered(world, [writesFile("one"), writesFile("two", ["one"])]);
    const before = run.offer?.head ?? "";
    const outcome = await amend(run, [writesFile("one")]);
    expect(outcome).toMatchObject({ kind: "amended", pr: plan.number });
    const after = await world.run();
    expect(await world.file(run.planPath, branchOf(run))).toBe(planDocument([writesFile("one")]));
    expect(await world.file(`.loom/${run.id}/02-two.md`, branchOf(run))).toBe(null);
    expect(await saidOf(plan.number, `amended-${after.offer?.head}`)).toContain("- Removed: `two` Write two");
    // The same request again, as after a crash, says and does nothing more.
    const said = world.said(plan.number).length;
    expect(await amend(run, [writesFile("one")])).toEqual(outcome);
    expect(await amend(run, [writesFile("one")], "task-2")).toEqual({ kind: "unchanged" });
    expect([world.said(plan.number).length, (await world.run()).planVersion]).toEqual([said, 2]);
    // What was drafted from the plan before would undo this one.
    expect(await amend(run, [writesFile("two")], "task-3", 1)).toMatchObject({
      kind: "refused",
      problems: [expect.stringContaining("Somebody changed the plan on its branch meanwhile")],
    });

    expect(await ask(world, plan.number, `/loom approve ${before.slice(0, 7)}`)).toContain("its head is now");
    expect(await ask(world, plan.number, "/loom approve")).toContain("is approved");
    await world.stagePull("one");
  });

  it("is shown by whoever looks next when Loom is cut off in the middle", async () => {
    world = await aGitHubWorld({ script: {} });
    const { plan, run } = await offered(world, [writesFile("one")]);
    // Written down, and then nothing more.
    const fault = world.github.faults.inject({
      on: "request",
      match: { method: "PATCH", route: "/repos/{owner}/{repo}/pulls/{pull_number}" },
      times: Number.POSITIVE_INFINITY,
      effect: { kind: "fail", status: 422, body: { message: "Not now." } },
    });
    await expect(amend(run, [writesFile("one"), writesFile("two")])).rejects.toThrow();
    const cut = await world.run();
    expect([cut.planVersion, cut.offer?.planVersion]).toEqual([2, 1]);
    expect(await ask(world, plan.number, "/loom approve")).toContain("has not looked at that yet");
    fault.remove();
    const engine = await world.engine();
    await engine.queue.enqueue({ kind: "observe", repo: engine.repo, run: run.id });
    const after = await world.run(({ offer }) => offer?.planVersion === 2, "the new offer");
    expect(await saidOf(plan.number, `amended-${after.offer?.head}`)).toContain("wes had the plan changed");
    expect(world.said(plan.number).filter((body) => body.includes("loom:amended-"))).toHaveLength(1);
  });

  it("stays as it is when its pull request is closed or merged, or nothing would change", async () => {
    world = await aGitHubWorld({ script: {}, config: { version: 1, limits: { max_stages: 2 } } });
    const { plan, run } = await offered(world, [writesFile("one")]);
    const many = ["one", "two", "three"].map((id) => writesFile(id));
    expect([
      await amend(run, [writesFile("one")]),
      await amend(run, many),
      await amend(run, [{ ...writesFile("one"), harness: "nobody" }]),
    ]).toMatchInlineSnapshot(`
      [
        {
          "kind": "unchanged",
        },
        {
          "kind": "refused",
          "problems": [
            "The plan has 3 stages now, and this repository allows 2 (\`limits.max_stages\`). Split it into two runs.",
          ],
        },
        {
          "kind": "refused",
          "problems": [
            "There is no agent called nobody. Known here: claude, codex, gemini, opencode, command, scripted. \`--harness NAME\` chooses one.",
          ],
        },
      ]
    `);
    await world.merge(plan.number);
    expect(await amend(run, [writesFile("two")])).toMatchInlineSnapshot(`
      {
        "kind": "refused",
        "problems": [
          "The plan's pull request #2 is merged, so the plan can't change. Plan what is missing as a run of its own.",
        ],
      }
    `);
    await world.until(
      () => checkOf(world, "loom / plan")?.conclusion === "action_required",
      "a check of the plan",
    );
  });
});
