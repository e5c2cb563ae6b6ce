import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { createEmbeddedCache } from "../../src/adapters/embedded/cache.ts";
import { createEmbeddedInbox, createEmbeddedInboxOf } from "../../src/adapters/embedded/inbox.ts";
import { createEmbeddedJobQueue } from "../../src/adapters/embedded/job-queue.ts";
import { createEmbeddedLeases } from "../../src/adapters/embedded/leases.ts";
import { createEmbeddedRunStore } from "../../src/adapters/embedded/run-store.ts";
import { createEmbeddedTaskStore } from "../../src/adapters/embedded/task-store.ts";
import { keepAndAnnounce } from "../../src/engine/github/delivery/keep-and-announce.ts";
import type { LedgerStore } from "../../src/ports/ledger-store.ts";
import { rawFiles } from "../../src/wiring/stores/seals.ts";
import { SEALS } from "../support/seals.ts";
import { describeCache } from "./cache.contract.ts";
import { describeInbox } from "./inbox.contract.ts";
import { describeIntake } from "./intake.contract.ts";
import { describeJobQueue } from "./job-queue.contract.ts";
import { describeLeases } from "./leases.contract.ts";
import { describeLedgerStore, type StoreUnderTest } from "./ledger-store.contract.ts";
import { createManualTime } from "./manual-time.ts";
import { RUN_SAMPLE, TASK_SAMPLE } from "./sample-events.ts";

async function inFolder<E>(
  create: (options: { root: string }) => LedgerStore<E>,
): Promise<StoreUnderTest<E>> {
  const folder = await mkdtemp(join(tmpdir(), "loom-store-"));
  // Made by the first append.
  const root = join(folder, "ledgers");
  const stores: LedgerStore<E>[] = [];
  const open = async () => {
    const store = create({ root });
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
}

describeLedgerStore("embedded", RUN_SAMPLE, () => inFolder(createEmbeddedRunStore));
describeLedgerStore("embedded", TASK_SAMPLE, () => inFolder(createEmbeddedTaskStore));

describeLedgerStore("sealed embedded", RUN_SAMPLE, () =>
  inFolder(({ root }) => SEALS.runs(rawFiles(root, "runs"), "r1")),
);
describeLedgerStore("sealed embedded", TASK_SAMPLE, () =>
  inFolder(({ root }) => SEALS.tasks(rawFiles(root, "tasks"), "r1")),
);

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

describeInbox("sealed embedded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "loom-inbox-"));
  const open = async () =>
    SEALS.inbox(createEmbeddedInboxOf({ root: join(folder, "inbox"), schema: z.unknown() }));
  return { inbox: await open(), reopen: open, dispose: () => rm(folder, { recursive: true }) };
});

describeIntake("sealed embedded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "loom-inbox-"));
  const open = () => SEALS.inbox(createEmbeddedInboxOf({ root: join(folder, "inbox"), schema: z.unknown() }));
  const queue = createEmbeddedJobQueue();
  const inbox = open();
  return {
    intake: keepAndAnnounce(inbox, queue),
    other: keepAndAnnounce(open(), queue),
    inbox,
    queue,
    async dispose() {
      await queue.close();
      await rm(folder, { recursive: true });
    },
  };
});

describeLeases("embedded", async () => {
  const leases = createEmbeddedLeases();
  return { leases, dispose: () => leases.close() };
});

describeCache("embedded", async () => {
  const folder = await mkdtemp(join(tmpdir(), "loom-cache-"));
  const open = async () => createEmbeddedCache({ root: join(folder, "cache") });
  return { cache: await open(), reopen: open, dispose: () => rm(folder, { recursive: true }) };
});
