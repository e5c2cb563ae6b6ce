import { join } from "node:path";
import { expect, it } from "vitest";
import { aGitHubWorld } from "../../support/github-world.ts";
import { aService } from "../../support/hosted-processes.ts";
import { assertBelow, MODULES_HOOK, readLoaded } from "../../support/loaded-modules.ts";

/** A ceiling, as those in test/cli/loaded-modules.test.ts: whoever meets it loads too early, or raises it and says why. */
it("loads what serves GitHub, and nothing of Redis where there is none", async () => {
  const world = await aGitHubWorld({ loom: false });
  try {
    const list = join(world.folder, "modules");
    const service = await aService(world);
    const env = { NODE_OPTIONS: `--import=${MODULES_HOOK}`, LOADED_MODULES: list };
    const app = await service.start("app", env);
    expect(await app.stop()).toEqual({ code: 0, signal: null });
    await service.end();
    const loaded = readLoaded(list);
    expect(loaded.packages).not.toContain("bullmq");
    expect(loaded.packages).not.toContain("ioredis");
    assertBelow(loaded, { files: 320, modules: 1560, kilobytes: 4300 });
  } finally {
    await world.end();
  }
});
