import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmbeddedJobQueue } from "../../src/adapters/embedded/job-queue.ts";
import { createEmbeddedRunStore } from "../../src/adapters/embedded/run-store.ts";
import type { RunStore } from "../../src/ports/run-store.ts";
import { describeJobQueue } from "./job-queue.contract.ts";
import { createManualTime } from "./manual-time.ts";
import { describeRunStore } from "./run-store.contract.ts";

describeRunStore("embedded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "loom-store-"));
  // Made by the first append.
  const root = join(folder, "runs");
  const stores: RunStore[] = [];
  const open = async () => {
    const store = createEmbeddedRunStore({ root });
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    reopen: open,
    async dispose() {
      for (const store of stores) await store.close();
      await rm(folder, { recursive: true });
    },
  };
});

describeJobQueue("embedded", async () => {
  const time = createManualTime();
  const queue = createEmbeddedJobQueue(time);
  return { queue, advance: time.advance, dispose: () => queue.close() };
});
