import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { holderOf, tryLock, waitForLock } from "../../../src/adapters/embedded/file-lock.ts";
import { buildForChildren } from "./build-for-children.ts";
import { startChild } from "./child.ts";

const MORNING = Date.parse("2031-05-06T07:08:09Z");
const NOON = Date.parse("2031-05-06T12:00:00Z");

let built: Awaited<ReturnType<typeof buildForChildren>>;
let deadPid: number;
let folder: string;
let path: string;

beforeAll(async () => {
  built = await buildForChildren();
  const child = spawn("true");
  await once(child, "exit");
  deadPid = child.pid ?? -1;
});
afterAll(() => built.dispose());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-lock-"));
  path = join(folder, "some.lock");
});
afterEach(() => rm(folder, { recursive: true }));

describe("a file lock", () => {
  it("is held by one until it is released, and leaves nothing behind", async () => {
    const first = await tryLock(path, () => NOON);
    const held = { pid: process.pid, since: "2031-05-06T12:00:00.000Z" };
    expect(await tryLock(path)).toEqual({ kind: "held", by: held });
    expect(await holderOf(path)).toEqual(held);
    if (first.kind === "acquired") await first.release();
    expect(await holderOf(path)).toBeNull();
    expect(await readdir(folder)).toEqual([]);
    expect((await tryLock(path)).kind).toBe("acquired");
  });

  it("goes to one of many that try at the same time", async () => {
    expect(await acquisitions(50)).toBe(1);
  });

  it("is not released by a former holder whose lock was taken away by hand", async () => {
    const former = await waitForLock(path, { what: "It", timeoutMs: 0 });
    await rm(path);
    await waitForLock(path, { what: "It", timeoutMs: 0 });
    await former.release();
    expect(await holderOf(path)).not.toBeNull();
  });

  it("goes at once to the next when its holder was killed with SIGKILL", async () => {
    const child = startChild(built.folder, "hold", [path]);
    expect((await child.lines.next()).value).toBe("acquired");
    expect(await tryLock(path)).toMatchObject({ kind: "held", by: { pid: child.pid } });
    await child.kill();
    expect(await holderOf(path)).toBeNull();
    expect((await tryLock(path)).kind).toBe("acquired");
    expect(await readdir(folder)).toEqual(["some.lock"]);
  });

  it("goes at once to the next when its holder's id belongs to another process by now", async () => {
    await plant(path, { pid: process.pid, start: "1" });
    expect((await tryLock(path)).kind).toBe("acquired");
  });

  it.each(["no record", "[1]"])("does not count %j as a holder", async (target) => {
    await symlink(target, path);
    expect(await holderOf(path)).toBeNull();
    expect(await acquisitions(5)).toBe(1);
  });

  it("does not count an ordinary file as a holder", async () => {
    await writeFile(path, "");
    expect(await acquisitions(5)).toBe(1);
  });

  it("goes to one of many that break it at the same time", async () => {
    for (let round = 0; round < 20; round += 1) {
      await plant(path, { pid: deadPid });
      expect(await acquisitions(10)).toBe(1);
      expect(await readdir(folder)).toEqual(["some.lock"]);
      await rm(path);
    }
  });

  it("goes to one of several processes that break it at the same time", async () => {
    const children = Array.from({ length: 3 }, () => startChild(built.folder, "race", []));
    const told = () => Promise.all(children.map(async (child) => (await once(child.process, "message"))[0]));
    await told();
    for (let round = 0; round < 100; round += 1) {
      const lock = join(folder, `${round}.lock`);
      await plant(lock, { pid: deadPid });
      const answers = told();
      for (const child of children) child.process.send(lock);
      expect((await answers).filter((kind) => kind === "acquired")).toHaveLength(1);
    }
    for (const child of children) await child.kill();
  });

  it("passes over one that died while breaking it", async () => {
    await plant(path, { pid: deadPid });
    await plant(`${path}.token.0`, { pid: deadPid });
    await plant(`${path}.token.1`, { pid: deadPid });
    expect(await acquisitions(10)).toBe(1);
    expect(await readdir(folder)).toEqual(["some.lock"]);
  });

  it("waits for one that is breaking it", async () => {
    await plant(path, { pid: deadPid });
    await plant(`${path}.token.0`, { pid: process.pid });
    expect(await tryLock(path)).toMatchObject({ kind: "held", by: { pid: process.pid } });
  });

  it("is waited for with growing pauses", async () => {
    const lock = await waitForLock(path, { what: "It", timeoutMs: 0 });
    const pauses: number[] = [];
    const sleep = async (ms: number) => {
      pauses.push(ms);
      if (pauses.length === 6) await lock.release();
    };
    await waitForLock(path, { what: "It", timeoutMs: 1_000, sleep });
    expect(pauses).toEqual([1, 2, 4, 8, 10, 10]);
  });

  it("names its holder when the time is up", async () => {
    await plant(path, { pid: process.pid });
    const waiting = waitForLock(path, {
      what: "The ledger of run r1",
      timeoutMs: 100,
      sleep: async () => {},
    });
    await expect(waiting).rejects.toMatchObject({
      name: "UserError",
      message: `The ledger of run r1 is locked by process ${process.pid} since 2031-05-06T07:08:09.000Z.`,
      next: `Wait until process ${process.pid} is done, or end it, then try again.`,
    });
  });

  it("throws when there is no folder for it", async () => {
    await expect(tryLock(join(folder, "missing", "some.lock"))).rejects.toMatchObject({ code: "ENOENT" });
  });
});

/** A lock, or a claim to break one, as a process with this id has left it. */
async function plant(
  at: string,
  { pid, start = null }: { pid: number; start?: string | null },
): Promise<void> {
  await symlink(JSON.stringify([pid, start, MORNING, "token"]), at);
}

/** How many of that many got the lock. */
async function acquisitions(tries: number): Promise<number> {
  const outcomes = await Promise.all(Array.from({ length: tries }, () => tryLock(path)));
  return outcomes.filter((outcome) => outcome.kind === "acquired").length;
}
