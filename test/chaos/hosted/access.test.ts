import { existsSync } from "node:fs";
import { afterEach, expect, it } from "vitest";
import { suspend, unsuspend } from "../../../playground/model/apps/suspend.ts";
import { uninstall } from "../../../playground/model/apps/uninstall.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { livingWith, until } from "../../support/living-processes.ts";
import { aScene, aSign, ask, expectCleanEnd, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
afterEach(async () => {
  await world?.end();
  world = null;
});

/** A world whose first agent works until it is told to end. */
async function atWork(): Promise<{ world: GitHubWorld; stages: SceneStage[]; sign: string; marker: string }> {
  const sign = await aSign();
  const stages: SceneStage[] = [
    { id: "one", first: [{ run: `touch ${sign}; until test -f ${sign}-go; do sleep 0.1; done` }] },
    { id: "two", needs: ["one"] },
  ];
  const scene = await aScene(stages, { loom: true });
  world = scene.world;
  await ask(world, scene.issue);
  await world.until(() => existsSync(sign), "the agent");
  const run = await world.run((one) => one.stages.get("one")?.session?.state === "running", "its session");
  return { world, stages, sign, marker: run.stages.get("one")?.session?.marker ?? "" };
}

for (const told of [true, false]) {
  it(`lets runs rest while the App is suspended, and go on afterwards, ${told ? "told by webhooks" : "though no webhook tells it"} (F21)`, async () => {
    const scene = await atWork();
    const { world, stages, sign } = scene;
    const { world: model, installation, loom } = world;
    const quietly = <T>(work: () => T): T => (told ? work() : model.silently(work));
    const look = (): Promise<void> => loom.hosted.host.queue.enqueue({ kind: "sweep" });
    await world.github.hooks.whenDelivered();
    quietly(() => suspend(model, installation, { by: "ada" }));
    if (!told) await look();
    await world.run(({ pausedBy }) => pausedBy?.kind === "suspended", "the pause");
    const before = model.github.requests.length;
    for (let round = 0; round < 5; round += 1) {
      await look();
      await world.until(async () => !(await loom.hosted.host.leases.isHeld("sweep")), "the end of the sweep");
    }
    expect(model.github.requests.length - before).toBeLessThan(40);
    expect((await world.runs())[0]?.status).toBe("running");

    quietly(() => unsuspend(model, installation, { by: "ada" }));
    if (!told) await look();
    await world.run(({ pausedBy }) => pausedBy === null, "the end of the pause");
    const { writeFile } = await import("node:fs/promises");
    await writeFile(`${sign}-go`, "");
    await world.run(({ status, recorded }) => status === "completed" && recorded !== null, "the end");
    await expectCleanEnd(world, null, stages);
  });
}

it("ends its agents and its runs when the App is removed (F21)", async () => {
  const { world, marker } = await atWork();
  const { world: model, installation } = world;
  expect(livingWith(`LOOM_MARKER=${marker}`).length).toBeGreaterThan(0);
  uninstall(model, installation, { by: "ada" });
  await until(() => livingWith(`LOOM_MARKER=${marker}`).length === 0, "the agent ends");
  await world.run(({ status }) => status === "cancelled", "the end of the run");
  const before = model.github.requests.length;
  await world.loom.hosted.host.queue.enqueue({ kind: "sweep" });
  await world.until(
    async () => !(await world.loom.hosted.host.leases.isHeld("sweep")),
    "the end of the sweep",
  );
  expect(model.github.requests.length - before).toBeLessThan(20);
});
