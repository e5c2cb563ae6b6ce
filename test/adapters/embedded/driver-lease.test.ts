import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDriverLease } from "../../../src/adapters/embedded/driver-lease.ts";
import { createEmbeddedRunStore } from "../../../src/adapters/embedded/run-store.ts";
import { buildForChildren } from "./build-for-children.ts";
import { startChild } from "./child.ts";

const NOON = Date.parse("2031-05-06T12:00:00Z");

describe("the lease of a driver", () => {
  let built: Awaited<ReturnType<typeof buildForChildren>>;
  let root: string;

  beforeAll(async () => {
    built = await buildForChildren();
  });
  afterAll(() => built.dispose());
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "loom-lease-"));
  });
  afterEach(() => rm(root, { recursive: true }));

  it("lets one drive a run at a time and says who does", async () => {
    const lease = createDriverLease({ root, now: () => NOON });
    expect(await lease.holder("r1")).toBeNull();
    const outcome = await lease.acquire("r1");
    const held = { pid: process.pid, since: "2031-05-06T12:00:00.000Z" };
    expect(await lease.acquire("r1")).toEqual({ kind: "held", ...held });
    expect(await createDriverLease({ root }).holder("r1")).toEqual(held);
    expect((await lease.acquire("r2")).kind).toBe("acquired");
    if (outcome.kind === "acquired") await outcome.release();
    expect(await lease.holder("r1")).toBeNull();
    expect((await lease.acquire("r1")).kind).toBe("acquired");
  });

  it("is free at once when the driver was killed with SIGKILL", async () => {
    const lease = createDriverLease({ root });
    const first = await lease.acquire("r1");
    if (first.kind === "acquired") await first.release();
    const child = startChild(built.folder, "hold", [join(root, "r1", "driver.lock")]);
    await child.lines.next();
    expect(await lease.acquire("r1")).toMatchObject({ kind: "held", pid: child.pid });
    await child.kill();
    expect((await lease.acquire("r1")).kind).toBe("acquired");
  });

  it("makes no run of the run it is for", async () => {
    await createDriverLease({ root }).acquire("r1");
    expect(await createEmbeddedRunStore({ root }).list()).toEqual([]);
  });

  it("ends quietly when the run was removed meanwhile", async () => {
    const lease = createDriverLease({ root });
    const outcome = await lease.acquire("r1");
    await createEmbeddedRunStore({ root }).remove("r1");
    const next = await lease.acquire("r1");
    if (outcome.kind === "acquired") await outcome.release();
    expect(next.kind).toBe("acquired");
    expect(await lease.holder("r1")).not.toBeNull();
  });

  it("refuses what is no name of a run", async () => {
    await expect(createDriverLease({ root }).acquire("../r1")).rejects.toThrow("is not the name of a run");
    await expect(createDriverLease({ root }).holder("../r1")).rejects.toThrow("is not the name of a run");
  });
});
