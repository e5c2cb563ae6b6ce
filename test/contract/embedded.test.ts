import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmbeddedInbox } from "../../src/adapters/embedded/inbox.ts";
import { createEmbeddedJobQueue } from "../../src/adapters/embedded/job-queue.ts";
import { createEmbeddedLeases } from "../../src/adapters/embedded/leases.ts";
import { createEmbeddedRunStore } from "../../src/adapters/embedded/run-store.ts";
import { createEmbeddedShelf } from "../../src/adapters/embedded/shelf.ts";
import type { RunStore } from "../../src/ports/run-store.ts";
import { describeInbox } from "./inbox.contract.ts";
import { describeJobQueue } from "./job-queue.contract.ts";
import { describeLeases } from "./leases.contract.ts";
import { createManualTime } from "./manual-time.ts";
import { describeRunStore } from "./run-store.contract.ts";
import { describeShelf } from "./shelf.contract.ts";

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

describeInbox("embedded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "loom-inbox-"));
  const open = async () => createEmbeddedInbox({ root: join(folder, "inbox") });
  return { inbox: await open(), reopen: open, dispose: () => rm(folder, { recursive: true }) };
});

describeLeases("embedded", async () => {
  const leases = createEmbeddedLeases();
  return { leases, dispose: () => leases.close() };
});

describeShelf("embedded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "loom-shelf-"));
  const open = async () => createEmbeddedShelf({ root: join(folder, "shelf") });
  return { shelf: await open(), reopen: open, dispose: () => rm(folder, { recursive: true }) };
});
