import { closeSync, openSync, readdirSync, readlinkSync } from "node:fs";
import {
  appendFile,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createDeliveryLog } from "../../../src/adapters/embedded/delivery-log.ts";
import { createEmbeddedInbox } from "../../../src/adapters/embedded/inbox.ts";
import { comment } from "../../contract/inbox.contract.ts";
import { buildForChildren } from "./build-for-children.ts";
import { startChild } from "./child.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Puts something that can't be flushed in the place of the open file: what was written to the file stands in it, and the system
 * refuses to say that it is on the disk.
 */
function failFlushes(path: string): { end(): void } {
  const fd = readdirSync("/proc/self/fd").find((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`) === path;
    } catch {
      return false;
    }
  });
  const put = (other: string): void => {
    closeSync(Number(fd));
    // Gets the lowest number that is free.
    expect(openSync(other, "a")).toBe(Number(fd));
  };
  put("/dev/null");
  return { end: () => put(path) };
}

describe("the files of the embedded inbox", () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), "loom-inbox-"));
  });
  afterEach(() => rm(root, { recursive: true }));

  it("are one per day, and only ever grow", async () => {
    let now = Date.parse("2026-03-01T23:59:59Z");
    const inbox = createEmbeddedInbox({ root, now: () => now });
    await inbox.put("d1", comment("hello"));
    const [first = ""] = await readdir(root);
    const before = await readFile(join(root, first), "utf8");
    await inbox.done("d1");
    expect((await readFile(join(root, first), "utf8")).startsWith(before)).toBe(true);
    now += 2000;
    await inbox.put("d2", comment("hello"));
    expect((await readdir(root)).sort()).toEqual(["2026-03-01.log", "2026-03-02.log"]);
  });

  it("are forgotten a week after they were done, never before, and never while they wait", async () => {
    const start = Date.now();
    let now = start;
    const inbox = createEmbeddedInbox({ root, now: () => now });
    for (const id of ["done", "waits"]) await inbox.put(id, comment(id));
    await inbox.done("done");
    now = start + 6.9 * DAY_MS;
    await inbox.put("x", comment("x"));
    expect(await inbox.put("done", comment("again"))).toBe("done");
    now = start + 8 * DAY_MS;
    await inbox.put("y", comment("y"));
    expect(await inbox.put("done", comment("again"))).toBe("new");
    expect(await inbox.put("waits", comment("again"))).toBe("waiting");
  });

  it("go away a week after their day, unless something in them or before them still waits", async () => {
    const start = Date.parse("2026-03-01T12:00:00Z");
    let now = start;
    const inbox = createEmbeddedInbox({ root, now: () => now });
    await inbox.put("waits", comment("waits"));
    await inbox.put("done", comment("done"));
    now = start + DAY_MS;
    await inbox.done("done");
    now = start + 9.6 * DAY_MS;
    await inbox.put("x", comment("x"));
    expect((await readdir(root)).sort()).toEqual(["2026-03-01.log", "2026-03-02.log", "2026-03-11.log"]);
    // Without the second file the first would say that what is done still waits.
    expect(await createEmbeddedInbox({ root, now: () => now }).get("done")).toBeNull();
    await inbox.done("waits");
    now += DAY_MS;
    await inbox.put("y", comment("y"));
    expect((await readdir(root)).sort()).toEqual(["2026-03-11.log", "2026-03-12.log"]);
    expect((await inbox.waiting(10)).map(({ id }) => id)).toEqual(["x", "y"]);
  });

  it("may end in the half line of a crash, which spoils nothing", async () => {
    await createEmbeddedInbox({ root }).put("d1", comment("hello"));
    const [name = ""] = await readdir(root);
    await appendFile(join(root, name), '\n{"m":"00000000","id":"d2","at":"2026-');
    const inbox = createEmbeddedInbox({ root });
    expect(await inbox.put("d2", comment("again"))).toBe("new");
    expect((await createEmbeddedInbox({ root }).waiting(10)).map(({ id }) => id)).toEqual(["d1", "d2"]);
    expect(await createEmbeddedInbox({ root }).get("d2")).toEqual(comment("again"));
  });

  it("may be taken away, and with them what they held", async () => {
    const inbox = createEmbeddedInbox({ root });
    await inbox.put("d1", comment("hello"));
    await rm(root, { recursive: true });
    expect(await inbox.waiting(10)).toEqual([]);
    expect(await inbox.put("d1", comment("hello"))).toBe("new");
    expect(await createEmbeddedInbox({ root }).get("d1")).toEqual(comment("hello"));
  });

  it("are found by their name, also when the one that was written to is moved away", async () => {
    const inbox = createEmbeddedInbox({ root });
    await inbox.put("d1", comment("hello"));
    const [name = ""] = await readdir(root);
    await rename(join(root, name), join(root, "aside"));
    expect(await inbox.put("d2", comment("hello"))).toBe("new");
    expect((await createEmbeddedInbox({ root }).waiting(10)).map(({ id }) => id)).toEqual(["d2"]);
    // As large as the one in its place, and another one.
    await rename(join(root, "aside"), join(root, name));
    expect((await inbox.waiting(10)).map(({ id }) => id)).toEqual(["d1"]);
  });

  it("are open one at a time, however many deliveries come", async () => {
    let now = Date.parse("2026-03-01T23:59:59Z");
    const inbox = createEmbeddedInbox({ root, now: () => now });
    const openFiles = async (): Promise<string[]> => {
      const found = await Promise.all(
        (await readdir("/proc/self/fd")).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
      );
      return found.filter((path) => path.startsWith(root));
    };
    for (const day of ["2026-03-01", "2026-03-02"]) {
      await Promise.all(Array.from({ length: 20 }, (_, n) => inbox.put(`${day}-${n}`, comment("hello"))));
      await inbox.done(`${day}-0`);
      expect(await openFiles()).toEqual([join(root, `${day}.log`)]);
      now += 2000;
    }
  });

  it("take nothing that the disk has no room for, and go on once it has", async () => {
    const inbox = createEmbeddedInbox({ root, now: () => Date.parse("2026-03-01T12:00:00Z") });
    const file = join(root, "2026-03-01.log");
    await symlink("/dev/full", file);
    const full = { code: "ENOSPC" };
    await expect(inbox.put("d1", comment("hello"))).rejects.toMatchObject(full);
    await expect(inbox.put("d1", comment("hello"))).rejects.toMatchObject(full);
    expect(await inbox.waiting(10)).toEqual([]);
    await rm(file);
    expect(await inbox.put("d1", comment("hello"))).toBe("new");
    expect(await createEmbeddedInbox({ root }).get("d1")).toEqual(comment("hello"));
  });

  describe("that could not be flushed", () => {
    const now = (): number => Date.parse("2026-03-01T12:00:00Z");
    const refused = { code: "EINVAL", syscall: "fdatasync" };

    it("acknowledge nothing that came until then, and keep what was acknowledged before", async () => {
      const inbox = createEmbeddedInbox({ root, now });
      await inbox.put("before", comment("before"));
      const shared = ["d1", "d2", "d4"].map((id) => inbox.put(id, comment(id)));
      const again = inbox.put("d1", comment("d1"));
      const done = inbox.done("d4");
      failFlushes(join(root, "2026-03-01.log"));
      // Until the flush is under way: what comes now waits for the next one, of the same file.
      await Promise.resolve();
      await Promise.resolve();
      const late = inbox.put("d3", comment("d3"));
      const ended = await Promise.allSettled([...shared, again, done, late]);
      expect(ended).toEqual(
        ended.map(() => ({ status: "rejected", reason: expect.objectContaining(refused) })),
      );
      expect((await inbox.waiting(10)).map(({ id }) => id)).toEqual(["before"]);
      // Read from its beginning, it says no more than before.
      await rename(root, `${root}-aside`);
      expect(await inbox.waiting(10)).toEqual([]);
      await rename(`${root}-aside`, root);
      expect((await inbox.waiting(10)).map(({ id }) => id)).toEqual(["before"]);

      expect(await inbox.put("before", comment("before"))).toBe("waiting");
      for (const id of ["d1", "d2", "d3", "d4"]) {
        expect(await inbox.put(id, comment(id))).toBe("new");
        expect(await inbox.put(id, comment(id))).toBe("waiting");
      }
      const restarted = createEmbeddedInbox({ root, now });
      // Somebody did what the fourth is about, and that can be read by now.
      expect((await restarted.waiting(10)).map(({ id }) => id)).toEqual(["before", "d1", "d2", "d3"]);
      for (const id of ["before", "d1", "d2", "d3"]) expect(await restarted.get(id)).toEqual(comment(id));
    });

    it("fail whatever came until the system said so, which it does only once", async () => {
      const log = createDeliveryLog(root, now);
      log.news();
      const first = log.append("one").flushed;
      log.news();
      const failure = failFlushes(join(root, "2026-03-01.log"));
      const told = first.catch(() => failure.end());
      await Promise.resolve();
      await Promise.resolve();
      const late = log.append("two").flushed;
      await expect(late).rejects.toMatchObject(refused);
      await told;
      await log.append("three").flushed;
      expect(await first.catch((error) => error)).toMatchObject(refused);
      expect(await readFile(join(root, "2026-03-01.log"), "utf8")).toBe("\none\n\nthree\n");
    });

    it("call nothing done or dropped before they hold it", async () => {
      const inbox = createEmbeddedInbox({ root, now });
      const file = join(root, "2026-03-01.log");
      const lines = async (): Promise<number> =>
        (await readFile(file, "utf8")).split("\n").filter(Boolean).length;
      for (const id of ["d1", "d2"]) await inbox.put(id, comment(id));
      for (const end of [() => inbox.done("d1"), () => inbox.drop("d2")]) {
        const before = await lines();
        const ending = end();
        failFlushes(file);
        await expect(ending).rejects.toMatchObject(refused);
        expect((await inbox.waiting(10)).map(({ id }) => id)).toContain("d2");
        await end();
        // Written a second time, and flushed.
        expect(await lines()).toBe(before + 2);
      }
      expect(await inbox.waiting(10)).toEqual([]);
      expect(await createEmbeddedInbox({ root, now }).put("d1", comment("d1"))).toBe("done");
    });
  });

  it("say what to do when one is damaged", async () => {
    const inbox = createEmbeddedInbox({ root });
    await inbox.put("d1", comment("hello"));
    const [name = ""] = await readdir(root);
    const text = await readFile(join(root, name), "utf8");
    await writeFile(join(root, name), text.replace('"kind":"comment"', '"kind":"omments"'));
    await expect(inbox.get("d1")).rejects.toMatchObject({
      name: "UserError",
      message: expect.stringContaining(
        `Delivery d1 is damaged, or was written by a newer Loom: ${join(root, name)}`,
      ),
      next: "Do on GitHub again what it was about, such as the comment or the label.",
    });
  });

  describe("of a process that is killed", () => {
    let built: Awaited<ReturnType<typeof buildForChildren>>;
    beforeAll(async () => {
      built = await buildForChildren();
    });
    afterAll(() => built.dispose());

    it("hold every delivery that was acknowledged, whole, and none that is done waits again", async () => {
      const child = startChild(built.folder, "receive", [root, JSON.stringify(comment("hello"))]);
      const acknowledged: string[] = [];
      while (acknowledged.length < 60) acknowledged.push((await child.lines.next()).value);
      await child.kill();
      const inbox = createEmbeddedInbox({ root });
      const waiting = (await inbox.waiting(10_000)).map(({ id }) => id);
      for (const line of acknowledged) {
        const [word, id = ""] = line.split(" ");
        expect(await inbox.put(id, comment("again"))).not.toBe("new");
        if (word === "done") expect(waiting).not.toContain(id);
      }
      for (const id of waiting) expect(await inbox.get(id)).toEqual(comment("hello"));
    });
  });
});
