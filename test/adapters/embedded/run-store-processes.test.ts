import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEmbeddedRunStore } from "../../../src/adapters/embedded/run-store.ts";
import type { RunEvent } from "../../../src/core/run/events.ts";
import { created, queued } from "../../contract/sample-events.ts";
import { buildForChildren } from "./build-for-children.ts";
import { startChild } from "./child.ts";

describe("the embedded run store with several processes", () => {
  let built: Awaited<ReturnType<typeof buildForChildren>>;
  let root: string;

  beforeAll(async () => {
    built = await buildForChildren();
  });
  afterAll(() => built.dispose());
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "loom-store-"));
  });
  afterEach(() => rm(root, { recursive: true }));

  it("keeps every batch of two that append at the same time, whole and in their order", async () => {
    const children = ["one", "two"].map((stage) =>
      startChild(built.folder, "append", [root, "r1", stage, "100"]),
    );
    const versions = (await Promise.all(children.map((child) => child.end()))).flat().map(Number);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => 3 * (n + 1)));
    const batches = inThrees((await createEmbeddedRunStore({ root }).load("r1")).events);
    for (const stage of ["one", "two"]) {
      const attempts = batches.filter((batch) => batch.stage === stage).map((batch) => batch.attempt);
      expect(attempts).toEqual(Array.from({ length: 100 }, (_, n) => n + 1));
    }
  });

  it("loses no acknowledged batch and keeps no half one when a writer is killed with SIGKILL", async () => {
    for (const acknowledged of [1, 2, 7, 20, 33]) {
      const run = `r${acknowledged}`;
      const child = startChild(built.folder, "append", [root, run, "s", "100000"]);
      let version = 0;
      for (let n = 0; n < acknowledged; n += 1) version = Number((await child.lines.next()).value);
      await child.kill();
      const store = createEmbeddedRunStore({ root });
      const ledger = await store.load(run);
      expect(ledger.version).toBeGreaterThanOrEqual(version);
      expect(inThrees(ledger.events).map((batch) => batch.attempt)).toEqual(
        Array.from({ length: ledger.version / 3 }, (_, n) => n + 1),
      );
      const outcome = await store.append(run, ledger.version, [queued("after")]);
      expect(outcome).toEqual({ kind: "appended", version: ledger.version + 1 });
    }
  });

  it("takes back a batch that could be written only half, and says why", async () => {
    const store = createEmbeddedRunStore({ root });
    await store.append("r1", 0, [created("r1")]);
    const file = join(root, "r1", "events.jsonl");
    const before = await readFile(file);
    // A limit on the size of files fails in the middle of a write, as a full disk does.
    const limited = ["sh", "-c", 'ulimit -f 64; exec "$@"', "sh"];
    const child = startChild(built.folder, "appendLong", [root, "r1", "1", "200000"], limited);
    const [answer] = await child.end();
    expect(JSON.parse(answer ?? "")).toEqual({
      kind: "UserError",
      message: expect.stringMatching(/^Failed to write the ledger of run r1: EFBIG/),
      next: expect.stringContaining("loom resume r1"),
      cause: "EFBIG",
    });
    expect(await readFile(file)).toEqual(before);
    expect(await store.append("r1", 1, [queued("a")])).toEqual({ kind: "appended", version: 2 });
    expect((await stat(file)).size).toBeGreaterThan(before.length);
  });
});

/** The batches that fixtures/child.mjs writes: three equal events each. */
function inThrees(events: readonly RunEvent[]): { stage: string; attempt: number }[] {
  expect(events.length % 3).toBe(0);
  return Array.from({ length: events.length / 3 }, (_, n) => {
    const [first, ...others] = events.slice(3 * n, 3 * n + 3);
    if (first?.type !== "stage-queued") throw new Error("another event than was written");
    expect(others).toEqual([first, first]);
    return { stage: first.stage, attempt: first.attempt };
  });
}
