import { appendFile, mkdtemp, readdir, readFile, readlink, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createEmbeddedInbox } from "../../../src/adapters/embedded/inbox.ts";
import { comment } from "../../contract/inbox.contract.ts";
import { buildForChildren } from "./build-for-children.ts";
import { startChild } from "./child.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

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
