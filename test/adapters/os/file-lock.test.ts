import { spawn } from "node:child_process";
import { once } from "node:events";
import { lutimes, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { holderOf, tryLock, waitForLock, withFileLock } from "../../../src/adapters/os/file-lock.ts";
import { buildForChildren } from "../embedded/build-for-children.ts";
import { startChild } from "../embedded/child.ts";

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
    const first = await tryLock(path, { now: () => NOON });
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

describe("a lock for work of moments", () => {
  it("lets one in at a time, and makes its folder", async () => {
    const deep = join(folder, "deep", "x.lock");
    let inside = 0;
    let most = 0;
    const enter = (): Promise<void> =>
      withFileLock(deep, async () => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 12 }, enter));
    expect(most).toBe(1);
    expect(await readdir(dirname(deep))).toEqual([]);
  });

  it("is free again when the work fails", async () => {
    await expect(withFileLock(path, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await withFileLock(path, async () => "yes")).toBe("yes");
  });

  it.each([
    ["whose process died", () => plant(path, { pid: deadPid, host: hostname() })],
    [
      "whose process's id belongs to another by now",
      () => plant(path, { pid: process.pid, start: "1", host: hostname() }),
    ],
    ["that is a file of an older Loom", () => writeFile(path, `${hostname()} ${deadPid} x\n`)],
  ])("is taken over at once from one %s", async (_whose, plantIt) => {
    await plantIt();
    expect(await withFileLock(path, async () => "mine")).toBe("mine");
    expect(await readdir(folder)).toEqual([]);
  });

  const shared = { takeOverMs: 30_000 };

  it("is not judged by the process's id when another machine holds it", async () => {
    await plant(path, { pid: deadPid, host: "elsewhere" });
    expect(await tryLock(path, { shared })).toMatchObject({ kind: "held", by: { pid: deadPid } });
    await age(path, 29_000);
    expect((await tryLock(path, { shared })).kind).toBe("held");
  });

  it.each(["elsewhere", hostname()])(
    "is taken over from a holder at %s once it is older than its work can be, by one of many",
    async (host) => {
      await plant(path, { pid: process.pid, host });
      await age(path, 31_000);
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => tryLock(path, { shared })));
      expect(outcomes.filter(({ kind }) => kind === "acquired")).toHaveLength(1);
      expect(await readdir(folder)).toEqual(["some.lock"]);
    },
  );

  it("stays the new holder's when the one that it was taken over from comes to its end", async () => {
    const late = await tryLock(path, { shared });
    await age(path, 31_000);
    expect((await tryLock(path, { shared })).kind).toBe("acquired");
    if (late.kind === "acquired") await late.release();
    expect((await tryLock(path, { shared })).kind).toBe("held");
  });

  it("waits for one on another machine that is breaking it, but not for ever", async () => {
    await plant(path, { pid: deadPid, host: hostname() });
    await plant(`${path}.token.0`, { pid: deadPid, host: "elsewhere" });
    expect((await tryLock(path, { shared })).kind).toBe("held");
    await age(`${path}.token.0`, 31_000);
    expect((await tryLock(path, { shared })).kind).toBe("acquired");
    expect(await readdir(folder)).toEqual(["some.lock"]);
  });
});

describe("a lock that is not shared by machines", () => {
  it("never goes to another for its age", async () => {
    await plant(path, { pid: process.pid });
    await age(path, 365 * 24 * 60 * 60 * 1000);
    expect((await tryLock(path)).kind).toBe("held");
  });
});

async function age(at: string, ms: number): Promise<void> {
  const then = (Date.now() - ms) / 1000;
  await lutimes(at, then, then);
}

/** A lock, or a claim to break one, as a process with this id has left it. */
async function plant(
  at: string,
  { pid, start = null, host }: { pid: number; start?: string | null; host?: string },
): Promise<void> {
  await symlink(JSON.stringify([pid, start, MORNING, "token", ...(host === undefined ? [] : [host])]), at);
}

/** How many of that many got the lock. */
async function acquisitions(tries: number): Promise<number> {
  const outcomes = await Promise.all(Array.from({ length: tries }, () => tryLock(path)));
  return outcomes.filter((outcome) => outcome.kind === "acquired").length;
}
