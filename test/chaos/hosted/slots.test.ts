import { afterEach, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/run/events.ts";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aScene, aSign, ask, expectCleanEnd, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
afterEach(async () => {
  await world?.end();
  world = null;
});

/** How many agents were at work at the same time, at most. */
function mostAtWork(events: readonly RunEvent[]): number {
  const working = new Set<string>();
  let most = 0;
  for (const event of events) {
    if (event.type === "session-started") working.add(event.session);
    if (event.type === "session-ended") working.delete(event.session);
    most = Math.max(most, working.size);
  }
  expect([...working]).toEqual([]);
  return most;
}

for (const slots of ["1", ""]) {
  const limit = slots === "" ? "several agents at a time" : "one agent at a time";
  it(`runs ${limit} when LOOM_MAX_PER_INSTALLATION is ${slots || "not set"}`, async () => {
    // Alone, each stays long enough to be met; together, they wait for each other.
    const sign = await aSign();
    const meets = (id: string) =>
      `touch ${sign}-${id}; until [ $(ls ${sign}-* | wc -l) -ge 2 ]; do sleep 0.05; done`;
    const stages: SceneStage[] = ["one", "two", "three"].map((id) => ({
      id,
      first: [slots === "1" ? { wait_ms: 2_500 } : { run: meets(id) }],
    }));
    const scene = await aScene(stages, { loom: true, env: { LOOM_MAX_PER_INSTALLATION: slots } });
    world = scene.world;
    await ask(world, scene.issue);
    const run = await world.run(
      ({ status, recorded }) => status === "completed" && recorded !== null,
      "the end",
    );
    await expectCleanEnd(world, null, stages);
    const { events } = await (await world.engine()).store.load(run.id);
    const most = mostAtWork(events);
    if (slots === "1") expect(most).toBe(1);
    else expect(most).toBeGreaterThan(1);
    expect([...run.stages.values()].map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });
}
