import { afterEach, describe, expect, it } from "vitest";
import { sweep } from "../../../src/engine/github/recover/sweep.ts";
import { offered, panel, settled, write, writesFile } from "../../support/github-talk.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

const env = { LOOM_AUTO_ARCHIVE: "true" };
const script = { one: [write("one.txt")] };

async function nothingIsLeft(issue: number, plan: number): Promise<void> {
  await world.run(({ archived }) => archived, "a run that is archived");
  expect(await panel(world, issue, /\*\*Done\*\*/)).toContain("All that was planned is done.");
  expect([world.get(issue).labels, world.get(plan).labels]).toEqual([[], []]);
  expect(await world.world.git.refs(world.repository.gitDir, "refs/heads/loom/")).toEqual([]);
}

describe("a run that puts itself away", () => {
  it("waits until people have merged its documents, and keeps them", async () => {
    world = await aGitHubWorld({ env, script });
    const { issue, plan, run } = await offered(world, [writesFile("one")]);
    world.label(plan.number, "loom: approve");
    await world.merge((await world.stagePull("one")).number);
    await world.run(({ recorded }) => recorded !== null, "the record of the run");
    await settled(world);
    await sweep(world.loom.hosted.host);
    await panel(world, issue, /\*\*Done\*\*/);
    expect((await world.run()).archived).toBe(false);
    expect(world.get(plan.number).state).toBe("open");

    await world.merge(plan.number);
    await nothingIsLeft(issue, plan.number);
    expect(await world.file(`.loom/${run.id}/PROGRESS.md`)).toContain(run.id);
  });

  it("does so by itself where Loom merges, found by the sweep at the latest", async () => {
    world = await aGitHubWorld({ env, script, config: { version: 1, merge: { mode: "auto" } } });
    const { issue, plan, run } = await offered(world, [writesFile("one")]);
    world.label(plan.number, "loom: approve");
    await world.run(({ recorded }) => recorded !== null, "the record of the run");
    await settled(world);
    await sweep(world.loom.hosted.host);
    await nothingIsLeft(issue, plan.number);
    expect(await world.file(`.loom/${run.id}/PROGRESS.md`)).toContain(run.id);
  });
});

describe("the folder for documents", () => {
  it("is the one that the operator chose, for the plan and for the record", async () => {
    world = await aGitHubWorld({
      env: { LOOM_STATE_DIR: "docs/loom" },
      script,
      config: { version: 1, merge: { mode: "auto" } },
    });
    const { plan, run } = await offered(world, [writesFile("one")]);
    expect(await world.file(`docs/loom/${run.id}/PLAN.md`, plan.pull?.headRef)).toContain("one");
    world.label(plan.number, "loom: approve");
    await world.run(({ recorded }) => recorded !== null, "the record of the run");
    expect(await world.file(`docs/loom/${run.id}/PROGRESS.md`)).toContain(run.id);
    expect(await world.file(`.loom/${run.id}/history.jsonl`)).toBeNull();
  });
});
