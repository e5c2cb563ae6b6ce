import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { createEmbeddedCache } from "../../../src/adapters/embedded/cache.ts";
import { createEmbeddedInboxOf } from "../../../src/adapters/embedded/inbox.ts";
import { createSeal } from "../../../src/adapters/sealed/create-seal.ts";
import { ForgedRecord } from "../../../src/core/errors.ts";
import { takeDelivery } from "../../../src/engine/github/delivery/take-delivery.ts";
import type { Inbox } from "../../../src/ports/inbox.ts";
import { createSeals, type Seals } from "../../../src/wiring/stores/seals.ts";
import { comment } from "../../contract/inbox.contract.ts";
import { APP_KEY } from "../../support/app-key.ts";

let folder: string;
let audit: string[];
let seals: Seals;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-forged-"));
  audit = [];
  seals = createSeals(
    { privateKey: APP_KEY.privateKey },
    {
      refused: ({ what, boundary, rule, run = "-", repo = "-" }) =>
        void audit.push(`${boundary}/${rule} ${repo} ${run}: ${what}`),
    },
  );
});
afterEach(() => rm(folder, { recursive: true }));

describe("a delivery in a store that others can write to (T32)", () => {
  let raw: Inbox<unknown>;
  let inbox: Inbox;
  beforeEach(() => {
    raw = createEmbeddedInboxOf({ root: join(folder, "inbox"), schema: z.unknown() });
    inbox = seals.inbox(raw);
  });

  it("counts when it came through Loom's intake", async () => {
    await inbox.put("d1", comment("/loom approve"));
    expect(await inbox.get("d1")).toEqual(comment("/loom approve"));
    expect(audit).toEqual([]);
  });

  it("is refused when somebody put it there, is told, and the real one can still come", async () => {
    await raw.put("d1", comment("/loom approve"));
    await expect(inbox.get("d1")).rejects.toThrow(ForgedRecord);
    expect(audit).toMatchInlineSnapshot(`
      [
        "store/unsigned - -: what was written to the store by somebody else. Delivery d1 is refused: it carries no signature. If the App's private key was replaced, the operator sets PREVIOUS_PRIVATE_KEY to the old one. Otherwise somebody else can write to Loom's store. A real delivery can be sent again from the App's settings on GitHub.",
      ]
    `);
    expect(await takeDelivery({ inbox }, "d1")).toBeNull();
    expect(await inbox.waiting(10)).toEqual([]);
    expect(await inbox.put("d1", comment("hello"))).toBe("new");
  });

  it("is refused under another id, with another text, and with the signature of a note", async () => {
    await inbox.put("d1", comment("/loom status"));
    const kept = (await raw.get("d1")) as { s: string; d: object };
    await raw.put("d2", kept);
    await raw.put("d3", { ...kept, d: comment("/loom approve") });
    const cache = createEmbeddedCache({ root: join(folder, "cache") });
    await seals.cache(cache, "d4").set("d4", JSON.stringify(comment("/loom approve")));
    const [signature] = ((await cache.get("d4")) ?? "").split(" ");
    await raw.put("d4", { s: signature, d: comment("/loom approve") });
    for (const id of ["d2", "d3", "d4"]) await expect(inbox.get(id)).rejects.toThrow(ForgedRecord);
  });

  it.each([null, 1, "text", [], {}, { s: "x" }, { s: 1, d: {} }])(
    "is refused when it is %j",
    async (junk) => {
      await raw.put("d1", junk);
      if (junk === null) expect(await inbox.get("d1")).toBeNull();
      else await expect(inbox.get("d1")).rejects.toThrow(ForgedRecord);
    },
  );
});

describe("a note in a store that others can write to (T32)", () => {
  it("counts as forgotten unless Loom wrote it, there and under that name", async () => {
    const raw = createEmbeddedCache({ root: join(folder, "cache") });
    const cache = seals.cache(raw, "r1");
    await cache.set("place/r1", "here");
    await raw.set("place/r2", "elsewhere");
    await raw.set("place/r3", (await raw.get("place/r1")) ?? "");
    await raw.set("reply/1", `${((await raw.get("place/r1")) ?? "").split(" ")[0]} approved`);
    expect(await cache.get("place/r1")).toBe("here");
    for (const key of ["place/r2", "place/r3", "reply/1"]) expect(await cache.get(key)).toBeNull();
    expect(await cache.list("")).toEqual(new Map([["place/r1", "here"]]));
    expect(await seals.cache(raw, "r2").get("place/r1")).toBeNull();
    expect(audit[0]).toMatchInlineSnapshot(
      `"store/note r1 -: the note "place/r2", which was not written by this App and is forgotten."`,
    );
  });
});

describe("a seal", () => {
  const seal = createSeal({ current: Buffer.alloc(32, 1), previous: [] });

  it("tells parts apart, wherever the borders between them are", () => {
    expect(seal.isSigned(["ab", "c"], seal.sign(["ab", "c"]))).toBe(true);
    for (const parts of [["a", "bc"], ["abc"], ["ab", "c", ""], ["2:ab", "c"], ["c", "ab"]])
      expect(seal.isSigned(parts, seal.sign(["ab", "c"]))).toBe(false);
  });
});
