import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { replies } from "../../../src/core/report/github/run/replies.ts";
import { isTooOld } from "../../../src/engine/github/command/handle-once.ts";
import { handleInstallation } from "../../../src/engine/github/delivery/handle-installation.ts";
import { approveRun } from "../../../src/engine/github/plan/approve-run.ts";
import { ask, named, offered, settled, write, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld, planDocument } from "../../support/github-world.ts";

const APPROVE = "loom: approve";
let world: GitHubWorld;
afterEach(() => world?.end());

/** Somebody who saw a message of GitHub's sends it again, under an id of their own. */
async function replay(event: string, action: string, count = 1, holds = "", change = asItWas): Promise<void> {
  const { deliveries } = world.world.github;
  const captured = deliveries.findLast(
    (one) => one.event === event && one.action === action && JSON.stringify(one.payload).includes(holds),
  );
  if (!captured) throw new Error(`GitHub has sent no ${event}.${action}`);
  for (let n = 1; n <= count; n += 1) {
    const payload = change(structuredClone(captured.payload));
    const again = { ...captured, payload, id: captured.id + 100_000 + n, guid: randomUUID() };
    deliveries.push(again);
    world.github.hooks.redeliver(again.id);
  }
  await settled(world);
}

const asItWas = (payload: unknown): unknown => payload;

/** Comments of one second can't be told apart by their time. */
function anHourOlder(payload: unknown): unknown {
  const told = z.looseObject({ comment: z.looseObject({ created_at: z.string() }) }).parse(payload);
  const at = new Date(Date.parse(told.comment.created_at) - 3_600_000).toISOString();
  return { ...told, comment: { ...told.comment, created_at: at, updated_at: at } };
}

describe("a message that is sent again under another id (T33)", () => {
  it("has one effect, and an approval counts for no later plan", async () => {
    world = await aGitHubWorld({ script: { one: [{ run: "sleep 300" }, write("one.txt")] } });
    const { plan, run } = await offered(world, [writesFile("one")]);
    await ask(world, plan.number, "/loom pause");
    await ask(world, plan.number, "/loom resume");
    await replay("issue_comment", "created", 3, "/loom pause");
    expect((await world.run()).pausedBy).toBeNull();
    // Nor does it end anything that the App was removed, once it is back.
    for (const action of ["deleted", "suspended", "repositories-removed"] as const)
      await handleInstallation(world.loom.hosted.host, {
        kind: "installation",
        installation: world.installation.id,
        sender: { login: "ada", id: 1, bot: false },
        action,
        repos: [],
      });
    expect(await world.run()).toMatchObject({ cancelledBy: null, pausedBy: null });

    await ask(world, plan.number, "/loom approve");
    const approved = await world.run(({ approval }) => approval.kind === "given");

    // Another plan: the approval is void, and the captured comment does not give it again.
    const text = planDocument([writesFile("one"), writesFile("two")]);
    const head = await world.push(plan.pull?.headRef ?? "", { [approved.planPath]: text }, "mia");
    await world.run(({ offer, approval }) => offer?.head === head && approval.kind === "awaited");
    const said = world.said(plan.number).length;
    await replay("issue_comment", "created", 3, "/loom approve");
    expect((await world.run()).approval.kind).toBe("awaited");
    expect(world.said(plan.number)).toHaveLength(said);

    // Neither would it, had Loom forgotten that it was there.
    const engine = await world.engine();
    const { since } = (await world.run()).offer ?? { since: "" };
    const [gesture] = [...approved.gestures.keys()];
    const who = { by: { login: "wes", id: 3 }, role: "write", via: "command" } as const;
    const before = new Date(Date.parse(since) - 1000).toISOString();
    const older = await approveRun(engine, run.id, "write", {
      ...who,
      sha: null,
      at: before,
      gesture: "new",
    });
    const used = await approveRun(engine, run.id, "write", {
      ...who,
      sha: head,
      at: null,
      gesture: gesture ?? null,
    });
    expect(
      [older, used].map((outcome) => named(replies.approval(outcome, "PLAN.md"))),
    ).toMatchInlineSnapshot(`
      [
        "This did not approve the plan: it changed after you wrote that. Read it at \`SHA\`, then comment \`/loom approve SHA\`.",
        "This did not approve the plan: it did so once before, and that approval no longer counts. To approve the plan again, comment \`/loom approve SHA\`.",
      ]
    `);

    // A commit that Loom did not make has to be named.
    await world.push(plan.pull?.headRef ?? "", { "notes.md": "More.\n" }, "mia");
    expect(await ask(world, plan.number, "/loom approve")).toMatchInlineSnapshot(
      `"This did not approve the plan: somebody pushed to it since Loom opened it. Read it at \`SHA\`, then comment \`/loom approve SHA\`."`,
    );
    expect((await world.run()).approval.kind).toBe("awaited");

    // A label that somebody else has set since is not the one that the captured message tells of.
    world.label(plan.number, APPROVE);
    await world.run(({ approval }) => approval.kind === "given");
    world.unlabel(plan.number, APPROVE);
    await world.run(({ approval }) => approval.kind === "awaited");
    await settled(world);
    const issue = world.get(plan.number);
    issue.labels.push(APPROVE);
    issue.labelEvents.push({ id: 9_999_999, event: "labeled", label: APPROVE, by: "tia", at: Date.now() });
    await replay("pull_request", "labeled");
    expect((await world.run()).approval.kind).toBe("awaited");
    await ask(world, plan.number, "/loom cancel");
  });

  it("changes nothing where somebody deleted all that Loom remembered of it but the ledger", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] } });
    const { issue, plan, run } = await offered(world, [writesFile("one")]);
    const again = async (words: string, change = asItWas): Promise<void> => {
      const { cache } = await world.engine();
      for (const key of (await cache.list("reply/")).keys()) await cache.remove(key);
      await replay("issue_comment", "created", 1, words, change);
    };
    const replayed = () => world.loom.audits.filter(({ boundary }) => boundary === "replay");

    // What was refused is not done later, and what was done not again.
    expect(await ask(world, plan.number, "On with it.\n/loom resume")).toMatch(
      /^There is nothing to go on with/,
    );
    expect(await ask(world, plan.number, "Yes, do.\n/loom answer one: yes")).toMatch(/^one has not asked/);
    expect(await ask(world, plan.number, "Wait.\n/loom pause")).toMatch(/^Paused/);
    await again("On with it.");
    expect((await world.run()).pausedBy).not.toBeNull();
    await ask(world, plan.number, "Go on.\n/loom resume");
    const { version } = await world.run(({ pausedBy }) => pausedBy === null);
    for (const words of ["Wait.", "Yes, do.", "Go on."]) await again(words);
    expect(await world.run()).toMatchObject({ pausedBy: null, version });
    // One line a minute.
    expect(replayed()).toMatchObject([{ boundary: "replay", rule: "used", run: run.id, who: "wes" }]);

    // What ended one run ends no other, and what asked for it asks for no other.
    await ask(world, issue, "No more.\n/loom cancel");
    await world.run(({ status }) => status === "cancelled");
    await ask(world, issue, "Once more.\n/loom run");
    const { store, runs } = await world.engine();
    const [other = ""] = (await store.list()).filter((id) => id !== run.id);
    await again("No more.", anHourOlder);
    expect(await runs.get(other)).toMatchObject({ status: "running", cancelledBy: null });
    expect(replayed().at(-1)).toMatchObject({ boundary: "replay", rule: "older", run: other });
    await ask(world, issue, "Not this either.\n/loom cancel");
    await world.until(async () => (await runs.get(other)).status === "cancelled", "the other run cancelled");
    const told = world.said(issue).length;
    await again("Once more.");
    expect(await store.list()).toHaveLength(2);
    expect(world.said(issue)).toHaveLength(told);
  });

  it("is not heard when it is older than anything that GitHub sends again", () => {
    const now = Date.parse("2031-05-10T00:00:00Z");
    const old = (at: string) => isTooOld({ now: () => now }, { at });
    expect([old("2031-05-07T00:00:00Z"), old("2031-05-05T00:00:00Z"), old("2032-01-01T00:00:00Z")]).toEqual([
      false,
      true,
      false,
    ]);
  });
});
