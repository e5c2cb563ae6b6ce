import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Delivery } from "../../src/core/command/delivery.ts";
import type { Inbox } from "../../src/ports/inbox.ts";

export type InboxUnderTest = {
  readonly inbox: Inbox;
  /** Another instance over the same data, as another process, or the same one after a crash, would have. */
  reopen(): Promise<Inbox>;
  dispose(): Promise<void>;
};

/** What every inbox promises, whatever it keeps deliveries in. */
export function describeInbox(name: string, makeInbox: () => Promise<InboxUnderTest>): void {
  describe(`${name} inbox`, () => {
    let world: InboxUnderTest;
    let inbox: Inbox;

    beforeEach(async () => {
      world = await makeInbox();
      inbox = world.inbox;
    });
    afterEach(() => world.dispose());

    it("knows nothing of a delivery that never came", async () => {
      expect(await inbox.get("d1")).toBeNull();
      expect(await inbox.waiting(10)).toEqual([]);
    });

    it("keeps a delivery until it is done, and its id beyond that", async () => {
      expect(await inbox.put("d1", comment("hello"))).toBe("new");
      expect(await inbox.put("d1", comment("another body"))).toBe("waiting");
      expect(await inbox.get("d1")).toEqual(comment("hello"));
      await inbox.done("d1");
      expect(await inbox.get("d1")).toBeNull();
      expect(await inbox.put("d1", comment("hello"))).toBe("done");
      expect(await inbox.get("d1")).toBeNull();
      expect(await inbox.waiting(10)).toEqual([]);
    });

    it("tells one of twenty callers with one id that it is new", async () => {
      const other = await world.reopen();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? inbox : other).put("d1", comment(`n ${n}`))),
      );
      expect(answers.filter((answer) => answer === "new")).toHaveLength(1);
      expect(answers.filter((answer) => answer === "waiting")).toHaveLength(19);
    });

    it("never calls a delivery new again while it becomes done", async () => {
      const other = await world.reopen();
      await inbox.put("d1", comment("hello"));
      const puts = Array.from({ length: 20 }, () => other.put("d1", comment("hello")));
      const answers = await Promise.all([...puts, inbox.done("d1")]);
      expect(answers).not.toContain("new");
      expect(await other.put("d1", comment("hello"))).toBe("done");
    });

    it("forgets a delivery that is dropped, and takes the real one under its id", async () => {
      const other = await world.reopen();
      await inbox.put("d1", comment("of somebody"));
      await inbox.put("d2", comment("waits"));
      await inbox.drop("d1");
      await inbox.drop("unknown");
      expect(await other.get("d1")).toBeNull();
      expect((await other.waiting(10)).map(({ id }) => id)).toEqual(["d2"]);
      expect(await other.put("d1", comment("of GitHub"))).toBe("new");
      expect(await inbox.get("d1")).toEqual(comment("of GitHub"));
      await inbox.done("d1");
      await other.drop("d1");
      expect(await inbox.put("d1", comment("again"))).toBe("done");
    });

    it("lists what waits, oldest first and no more than asked for", async () => {
      for (const id of ["c", "a", "d", "b"]) await inbox.put(id, comment(id));
      await inbox.done("a");
      const waiting = await inbox.waiting(10);
      expect(waiting.map(({ id }) => id)).toEqual(["c", "d", "b"]);
      for (const { since } of waiting) {
        expect(since).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        expect(Math.abs(Date.parse(since) - Date.now())).toBeLessThan(60_000);
      }
      expect((await inbox.waiting(2)).map(({ id }) => id)).toEqual(["c", "d"]);
      expect(await inbox.waiting(0)).toEqual([]);
    });

    it("gives everything back after a crash", async () => {
      await inbox.put("d1", comment("hello"));
      await inbox.put("d2", comment("done"));
      await inbox.done("d2");
      const reopened = await world.reopen();
      expect(await reopened.get("d1")).toEqual(comment("hello"));
      expect(await reopened.put("d1", comment("hello"))).toBe("waiting");
      expect(await reopened.put("d2", comment("done"))).toBe("done");
      expect((await reopened.waiting(10)).map(({ id }) => id)).toEqual(["d1"]);
    });

    it("remembers a delivery as done that it never saw", async () => {
      await inbox.done("d1");
      expect(await inbox.put("d1", comment("late"))).toBe("done");
    });

    it.each(["../../evil", "a/b", "{x}", "with space\nand line", "ünï", "*", "x".repeat(200)])(
      "takes %j for an id",
      async (id) => {
        expect(await inbox.put(id, comment("hello"))).toBe("new");
        expect(await inbox.get(id)).toEqual(comment("hello"));
        expect((await inbox.waiting(1))[0]?.id).toBe(id);
        await inbox.done(id);
        expect(await inbox.put(id, comment("hello"))).toBe("done");
      },
    );

    it("keeps every character of a long comment", async () => {
      const body = '漢字 🧵 \u2028 \u0000 \ud800 "quoted" \\ \r\n'.repeat(1500);
      await inbox.put("d1", comment(body));
      expect(await (await world.reopen()).get("d1")).toEqual(comment(body));
    });
  });
}

export function comment(body: string): Delivery {
  return {
    kind: "comment",
    repoRef: { installation: 1, repo: { id: 12, owner: "octo", name: "shop" } },
    sender: { login: "ada", id: 7, bot: false },
    number: 3,
    isPullRequest: false,
    comment: 99,
    at: "2031-05-06T07:08:09Z",
    body,
  };
}
