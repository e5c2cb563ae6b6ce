import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { commitFiles } from "../../../playground/git/objects/commit-files.ts";
import { createRepository } from "../../../playground/model/people/create-repository.ts";
import { createUser } from "../../../playground/model/people/create-user.ts";
import { openPull } from "../../../playground/model/pulls/open-pull.ts";
import { approveRun } from "../../../src/engine/github/plan/approve-run.ts";
import {
  ask,
  check,
  checkOf,
  named,
  offered,
  panel,
  press,
  settled,
  write,
  writesFile,
} from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";

const APPROVE = "loom: approve";
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-approval-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let world: GitHubWorld;
afterEach(() => world?.end());

const hangs = [{ run: "sleep 300" }, write("one.txt")];
const isAtWork = (run: { stages: ReadonlyMap<string, { session: { state: string } | null }> }): boolean =>
  run.stages.get("one")?.session?.state === "running";
const approvalOf = async (): Promise<string> => (await world.run()).approval.kind;
/** What Loom says on the plan's pull request, newest last. */
const saidOn = (number: number): string[] => world.said(number).map(named);
async function said(number: number, count: number): Promise<string> {
  await world.until(() => saidOn(number).length >= count, `${count} words on #${number}`);
  return saidOn(number)[count - 1] ?? "";
}

describe("who approves what", () => {
  it("counts the label of a writer, for one commit, as long as it is there and nothing is pushed", async () => {
    world = await aGitHubWorld({ script: { one: hangs } });
    const { issue, plan } = await offered(world, [writesFile("one")]);

    // A triager can set labels (T5), but not approve.
    world.label(plan.number, APPROVE, "tia");
    expect(await said(plan.number, 1)).toMatchInlineSnapshot(
      `"This did not approve the plan: it takes the role \`write\` or more in this repository. Ask somebody who has it."`,
    );
    expect(world.get(plan.number).labels).not.toContain(APPROVE);
    expect(await approvalOf()).toBe("awaited");

    // Nor can a bot, whatever its role.
    createUser(world.world, { login: "helper[bot]", type: "Bot" });
    world.label(plan.number, APPROVE, "helper[bot]");
    await said(plan.number, 2);
    expect(await approvalOf()).toBe("awaited");
    expect(world.loom.audits.map(({ boundary, rule, who }) => `${boundary}/${rule} ${who}`)).toEqual([
      "approval/role tia",
      "command/bot helper[bot]",
    ]);

    world.label(plan.number, APPROVE, "wes");
    await world.run(isAtWork, "an agent at work");
    const approved = await check(world, "loom / plan", ({ conclusion }) => conclusion === "success");
    expect([approved.title, named(approved.summary ?? "")]).toMatchInlineSnapshot(`
      [
        "Approved by wes",
        "wes (write) approved the plan at \`SHA\`. A push to this branch voids that.",
      ]
    `);

    // Somebody pushes to the plan: it no longer counts, the agent ends, and people hear of it (T4).
    const moved = await world.push(plan.pull?.headRef ?? "", { "notes.md": "More.\n" }, "mia");
    await world.run(
      (run) => run.approval.kind === "awaited" && !isAtWork(run),
      "a voided approval and no agent",
    );
    expect(await said(plan.number, 3)).toMatchInlineSnapshot(
      `"The approval no longer counts: somebody pushed to the plan after it was approved (SHA → SHA). Nothing new starts. Read the plan again, then comment \`/loom approve SHA\`."`,
    );
    expect(saidOn(plan.number)[2]).toContain("SHA");
    expect(world.said(plan.number)[2]).toContain(`/loom approve ${moved.slice(0, 7)}`);
    await world.until(() => !world.get(plan.number).labels.includes(APPROVE), "the label gone");
    expect(await panel(world, issue, "no longer counts")).toMatch(
      /Plan: #2; its approval no longer counts: .*\./,
    );
    const voided = await check(world, "loom / plan", ({ headSha }) => headSha === moved);
    expect([voided.conclusion, voided.title, voided.actions.map(({ label }) => label)]).toEqual([
      "action_required",
      "The approval no longer counts",
      ["Approve"],
    ]);

    // Once more, for the new commit, and no other.
    expect(
      await ask(world, plan.number, `/loom approve ${approved.headSha.slice(0, 7)}`),
    ).toMatchInlineSnapshot(
      `"This did not approve the plan: you named \`SHA\`, but its head is now \`SHA\`. Read what changed, then comment \`/loom approve SHA\`."`,
    );
    expect(await ask(world, plan.number, `/loom approve ${moved.slice(0, 9)}`)).toMatchInlineSnapshot(
      `"The plan is approved at \`SHA\`. The first stages start now; a push to the plan voids the approval."`,
    );
    await world.run(isAtWork, "an agent at work again");

    // The plan's pull request is closed: that ends the run (F20).
    world.close(plan.number, "mia");
    await world.run((run) => run.status === "cancelled", "the end of the run");
    expect(await panel(world, issue, /\*\*Cancelled\*\*/)).toMatch(/Cancelled by closing .*#.*2/);
    expect(world.pulls()).toHaveLength(1);
    world.label(plan.number, APPROVE, "wes");
    expect(await said(plan.number, 6)).toMatchInlineSnapshot(
      `"This run is over, so there is nothing to approve. \`/loom run\` on the issue starts a new one."`,
    );
  });

  it("voids the approval when its label is removed, and takes it again when it is set again (F20)", async () => {
    world = await aGitHubWorld({ script: { one: hangs } });
    const { issue, plan } = await offered(world, [writesFile("one")]);
    world.label(plan.number, APPROVE);
    await world.run(isAtWork, "an agent at work");
    world.unlabel(plan.number, APPROVE, "tia");
    await world.run(
      (run) => run.approval.kind === "awaited" && !isAtWork(run),
      "a voided approval and no agent",
    );
    expect(await said(plan.number, 1)).toMatchInlineSnapshot(
      `"The approval no longer counts: the label \`loom: approve\` was removed. Nothing new starts. Read the plan again, then comment \`/loom approve SHA\`."`,
    );

    // The message of the first label comes once more: the label is gone, so it says nothing (T4).
    const deliveries = world.world.github.deliveries;
    const labelled = deliveries.findLast(
      ({ event, action }) => event === "pull_request" && action === "labeled",
    );
    if (!labelled) throw new Error("GitHub has told nobody of the label");
    const forged = { ...labelled, id: labelled.id + 100_000, guid: randomUUID() };
    deliveries.push(forged);
    for (const { id } of [labelled, forged]) world.github.hooks.redeliver(id);
    await settled(world);
    expect(await approvalOf()).toBe("awaited");

    world.label(plan.number, APPROVE, "mia");
    await world.run(isAtWork, "an agent at work again");
    await panel(world, issue, "approved by mia");
    await ask(world, issue, "/loom cancel");
    await world.run((run) => run.status === "cancelled", "the end of the run");
  });

  it("starts nothing for a label that was set on another commit, nor for one on a fork's plan (T4, T6)", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] } });
    const { plan, run } = await offered(world, [writesFile("one")]);
    const branch = plan.pull?.headRef ?? "";
    // The label is set at A; before Loom hears of it, the head is B.
    let release = (): void => {};
    const held = new Promise<void>((done) => {
      release = done;
    });
    world.github.faults.inject({
      on: "webhook",
      event: "pull_request",
      action: "labeled",
      effect: { kind: "delay", until: held },
    });
    world.label(plan.number, APPROVE);
    await world.push(branch, { "notes.md": "More.\n" }, "mia");
    release();
    expect(await said(plan.number, 1)).toMatchInlineSnapshot(
      `"This did not approve the plan: you named \`SHA\`, but its head is now \`SHA\`. Read what changed, then comment \`/loom approve SHA\`."`,
    );
    expect(world.get(plan.number).labels).not.toContain(APPROVE);
    expect(await approvalOf()).toBe("awaited");

    // What is shown for approval is what stands there now.
    const tip = await world.world.git.tip(world.repository.gitDir, branch);
    const button = await check(world, "loom / plan", ({ headSha }) => headSha === tip);
    press(world, button, "approve", "tia");
    expect(await said(plan.number, 2)).toMatchInlineSnapshot(
      `"About the button that tia pressed: \`approve\` takes the role \`write\` or more in this repository; yours is \`triage\`. Ask somebody who has it."`,
    );
    expect(await approvalOf()).toBe("awaited");

    // A plan that was changed is another one, to be approved as it is there.
    const changed = await world.push(branch, { [run.planPath]: planDocument([writesFile("evil")]) }, "mia");
    await world.run(({ offer }) => offer?.head === changed, "the changed plan");
    expect(await ask(world, plan.number, `/loom approve ${tip?.slice(0, 7)}`)).toContain("its head is now");
    expect(await approvalOf()).toBe("awaited");

    // A fork holds a plan of the same name on a branch of the same name.
    const fork = await createRepository(world.world, {
      owner: "sam",
      name: "tools",
      gitDir: world.github.gitDir("sam", "tools"),
      parent: world.repository,
    });
    await commitFiles(
      fork.gitDir,
      branch,
      { [run.planPath]: planDocument([writesFile("stolen")]) },
      { author: { name: "sam", email: "sam@example.com" }, message: "Plan", from: "refs/heads/main" },
    );
    const foreign = await openPull(world.world, world.repository, {
      by: "sam",
      title: "A plan",
      head: branch,
      base: "main",
      headRepository: fork,
    });
    world.label(foreign.number, APPROVE, "wes");
    await settled(world);
    expect(await ask(world, foreign.number, "/loom approve")).toMatchInlineSnapshot(
      `"No run belongs to this thread. \`/loom run\` on an issue starts one; \`/loom help\` lists all commands."`,
    );
    expect(await world.runs()).toHaveLength(1);
    expect(await approvalOf()).toBe("awaited");
    expect(checkOf(world, "loom / plan", foreign.pull.headSha)).toBeUndefined();
    // Nor would it count, were it taken for the run's own.
    const engine = await world.engine();
    const pull = await engine.pulls.pull(foreign.number);
    if (!pull) throw new Error("the fork's pull request is not there");
    const outcome = await approveRun(engine, run.id, "write", {
      ...{ by: { login: "wes", id: world.idOf("wes") }, role: "write", via: "label" },
      ...{ sha: pull.head.sha, at: null, gesture: null, pull },
    });
    expect(outcome).toEqual({ kind: "foreign" });
    expect(world.loom.audits.map(({ boundary, rule, who }) => `${boundary}/${rule} ${who}`)).toEqual([
      "approval/moved wes",
      "command/role tia",
      "approval/foreign wes",
    ]);

    // The button of a writer, once the plan is put back.
    const back = await world.push(branch, { [run.planPath]: run.planText }, "mia");
    await world.run(({ offer }) => offer?.head === back, "the plan from before");
    const again = await check(world, "loom / plan", ({ headSha }) => headSha === back);
    press(world, again, "approve", "wes");
    await world.run((one) => one.approval.kind === "given" && one.approval.via === "button", "an approval");
    await world.stagePull("one");
  });
});
