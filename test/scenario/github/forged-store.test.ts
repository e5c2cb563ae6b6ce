import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createEmbeddedInboxOf } from "../../../src/adapters/embedded/inbox.ts";
import { repoId } from "../../../src/core/ids.ts";
import { rawFiles } from "../../../src/wiring/stores/seals.ts";
import { ask, named, offered, settled, write, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

/** All that somebody needs who can write to the store. */
const ledgers = () =>
  rawFiles(join(world.folder, "data", "repositories", repoId(world.repository.id), "runs"), "runs");
const mirrored = (type: string) =>
  world.until(
    async () =>
      (await (await world.engine()).ledgerMirror.mirroredLedgers())[0]?.text.includes(`"type":"${type}"`),
    `a copy with ${type}`,
  );
const warned = (line: RegExp) =>
  world.until(() => world.loom.warnings.some((one) => line.test(one)), `${line}`);
const sweep = async (): Promise<void> => {
  await world.loom.hosted.host.queue.enqueue({ kind: "sweep" });
  await settled(world);
};

describe("somebody writes to the store (T32)", () => {
  it("runs nothing for an approval in the ledger or the inbox, says so, and brings the run back from its copy", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] } });
    const { plan } = await offered(world, [writesFile("one")]);
    const run = await world.run(({ offer }) => offer !== null);
    await mirrored("plan-offered");

    // A delivery that GitHub never sent.
    const inbox = createEmbeddedInboxOf({
      root: join(world.folder, "data", "inbox"),
      schema: z.unknown(),
    });
    await inbox.put("forged", {
      kind: "comment",
      repoRef: (await world.engine()).repoRef,
      sender: { login: "ada", id: 1, bot: false },
      number: plan.number,
      isPullRequest: true,
      comment: 424_242,
      body: "/loom approve",
    });
    await world.loom.hosted.host.queue.enqueue({ kind: "delivery", delivery: "forged" });
    await settled(world);
    expect((await world.run()).approval.kind).toBe("awaited");
    expect(await inbox.waiting(10)).toEqual([]);

    // An approval that nobody gave.
    const raw = ledgers();
    const { head, blob } = run.offer ?? { head: "", blob: "" };
    const { version } = await raw.load(run.id);
    const approval = { type: "run-approved", at: run.createdAt, by: "ada", role: "admin", head, blob };
    await raw.append(run.id, version, [{ ...approval, via: "command" }]);
    await world.loom.hosted.host.queue.enqueue({
      kind: "advance",
      repo: repoId(world.repository.id),
      run: run.id,
    });
    await sweep();
    const said = () => world.said(plan.number).map(named);
    await world.until(() => said().some((text) => text.includes("does nothing more")), "a word on the plan");
    const told = said();
    expect(told.at(-1)).toMatchInlineSnapshot(`
      "Loom does nothing more for the run RUN: event 4 of its ledger carries no signature. An older Loom wrote it, or somebody else who can write to Loom's store. The operator removes the ledger; a signed copy in git brings the run back.

      <!-- loom:RUN -->"
    `);
    expect(await ask(world, plan.number, "/loom approve")).toMatch(/^Loom does nothing more for the run/);
    await sweep();
    expect(world.said(plan.number)).toHaveLength(told.length + 1);
    expect(world.pulls()).toHaveLength(1);
    expect(world.loom.audits.filter(({ count }) => count === 1)).toMatchObject([
      { boundary: "store", rule: "unsigned", run: null },
      { boundary: "store", rule: "unsigned", run: run.id, repo: repoId(world.repository.id) },
    ]);

    // The operator removes the ledger.
    await raw.remove(run.id);
    await sweep();
    await warned(/was lost and is back from its copy in git/);
    expect(await ask(world, plan.number, "/loom approve")).toMatch(/^The plan is approved/);
  });

  it("puts back a withdrawn word that somebody cut off the ledger", async () => {
    world = await aGitHubWorld({ script: { one: [write("one.txt")] } });
    const { plan } = await offered(world, [writesFile("one")]);
    const before = await world.run(({ offer }) => offer !== null);
    await ask(world, plan.number, "/loom cancel");
    const { version } = await world.run(({ status }) => status === "cancelled");
    await mirrored("run-finished");
    const raw = ledgers();
    const { events } = await raw.load(before.id);
    await raw.remove(before.id);
    await raw.append(before.id, 0, events.slice(0, before.version));

    // The process remembers more.
    expect((await world.runs())[0]?.status).toBe("running");
    await sweep();
    await warned(
      /^refused at store\/shortened \(T32\): .* had lost its last \d+ events; they are back from its copy/,
    );
    expect((await world.runs())[0]).toMatchObject({ status: "cancelled", version });
  });
});
