import { afterEach, expect, it } from "vitest";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aScene, ask, expectCleanEnd, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
afterEach(async () => {
  await world?.end();
  world = null;
});

const stages: SceneStage[] = [{ id: "one" }, { id: "two", needs: ["one"] }];
const hasEnded = ({ status, recorded }: { status: string; recorded: string | null }): boolean =>
  status === "completed" && recorded !== null;

it("acts once on webhooks that come twenty times, in any order, and again much later (F12, F13)", async () => {
  const scene = await aScene(stages, { loom: true });
  world = scene.world;
  const { faults, hooks } = world.github;
  for (const event of ["issue_comment", "pull_request", "push", "check_run"]) {
    faults.inject({ on: "webhook", event, times: 2, effect: { kind: "duplicate", copies: 20 } });
    faults.inject({ on: "webhook", event, times: 2, effect: { kind: "reorder" } });
  }
  await ask(world, scene.issue);
  await world.run(hasEnded, "the end");
  await hooks.whenDelivered();
  expect(faults.unfired()).toEqual([]);
  // GitHub's page has a button that sends a delivery again, with the id it had.
  for (const delivery of world.world.github.deliveries.filter(({ redelivery }) => !redelivery).slice(0, 20))
    world.world.redeliver?.(delivery);
  await hooks.whenDelivered();
  await world.loom.hosted.host.queue.idle();
  await expectCleanEnd(world, null, stages);
  expect((await world.runs()).length).toBe(1);
  expect(world.said(scene.issue).filter((body) => body.includes("The plan is open")).length).toBe(1);
});

it("finds out by itself what no webhook told it", async () => {
  const scene = await aScene(stages, { loom: true, mode: "review" });
  world = scene.world;
  const { world: model, loom } = world;
  const look = (): Promise<void> => loom.hosted.host.queue.enqueue({ kind: "sweep" });
  await ask(world, scene.issue);
  for (const id of ["one", "two"]) {
    await world.run(
      (run) => run.stages.get(id)?.waiting !== null && run.stages.get(id)?.pr !== null,
      `${id} waits`,
    );
    const { number } = await world.stagePull(id);
    await model.silently(() => world?.merge(number));
    await look();
    await world.run((run) => run.stages.get(id)?.state.kind === "completed", `${id} is seen as merged`);
  }
  await world.run(({ status }) => status === "completed", "the end");
  await expectCleanEnd(world, null, stages);
});

it("fetches deliveries that got lost on the way (F11)", async () => {
  const scene = await aScene(stages.slice(0, 1), { loom: true });
  world = scene.world;
  const dropped = world.github.faults.inject({
    on: "webhook",
    event: "issue_comment",
    effect: { kind: "drop" },
  });
  world.comment(scene.issue, "/loom run");
  await dropped.whenFired;
  await world.github.hooks.whenDelivered();
  expect(await world.runs().catch(() => [])).toEqual([]);
  for (let round = 0; round < 2; round += 1) await world.loom.hosted.host.queue.enqueue({ kind: "sweep" });
  await world.planPull();
  await world.reply(scene.issue);
  expect((await world.runs()).length).toBe(1);
});
