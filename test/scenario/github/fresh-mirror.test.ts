import { readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { lookAtMirror } from "../../../src/adapters/git/mirror/mirror-upkeep.ts";
import { repoId } from "../../../src/core/ids.ts";
import { aGitHubWorld, type GitHubWorld } from "../../support/github-world.ts";
import { scriptNow, send, taskWhen } from "../../support/task-talk.ts";

let world: GitHubWorld;
afterEach(() => world?.end());

it("goes on with a mirror that the sweep made anew", async () => {
  world = await aGitHubWorld();
  await scriptNow(world, { answer: [{ answer: "So." }, { answer: "And so." }] });
  const ask = async (): Promise<void> => {
    const { id } = send(world, world.issue(), "ask", "Is it so?");
    await taskWhen(world, id, ({ outcome }) => outcome !== null, "that it is answered");
    expect((await (await world.engine()).tasks.load(id))?.outcome?.kind).toBe("answered");
  };
  await ask();
  const { hosted } = world.loom;
  const data = world.env.LOOM_DATA ?? "";
  const mirror = join(data, "repositories", repoId(world.repository.id), "mirror.git");
  const stamp = join(data, "workers", `${hosted.worker}.swept`);
  const before = await world.engine();
  // The trees of tasks stay for a day, and would keep it.
  await before.workspaceFor({ id: ".tasks" }).dispose();
  await before.workspaceFor({ id: ".shared" }).dispose();
  const month = Date.now() / 1000 - 31 * 24 * 3_600;
  const objects = join(mirror, "objects");
  for (const path of [...readdirSync(objects).map((name) => join(objects, name)), objects])
    utimesSync(path, month, month);
  await hosted.sweepDisk();
  // Whoever gets an engine leaves word of it, which keeps a sweep that is under way from removing what they begin to use.
  const { openedAt } = lookAtMirror(mirror) ?? { openedAt: Number.NaN };
  expect(await world.engine()).toBe(before);
  expect(lookAtMirror(mirror)?.openedAt).toBeGreaterThan(openedAt);
  utimesSync(stamp, month, month);
  await hosted.sweepDisk();
  expect(readdirSync(join(objects, "pack"))).toEqual([]);
  expect(await world.engine()).not.toBe(before);
  await ask();
});
