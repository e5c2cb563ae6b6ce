import { generateKeyPairSync } from "node:crypto";
import { appendFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_LEDGERS } from "../../../src/adapters/sealed/ledger-ends.ts";
import { ForgedRecord } from "../../../src/core/errors.ts";
import type { RunEvent } from "../../../src/core/run/events.ts";
import type { LedgerStore } from "../../../src/ports/ledger-store.ts";
import { NO_AUDIT } from "../../../src/wiring/hosted/audit-log.ts";
import { createSeals, rawFiles, type Seals } from "../../../src/wiring/stores/seals.ts";
import { created, queued, taskCreated } from "../../contract/sample-events.ts";
import { APP_KEY } from "../../support/app-key.ts";

/** `raw` is what somebody sees who can write to the store: all that is kept, as it is kept. */
let folder: string;
let raw: LedgerStore<unknown>;
let audit: string[];
let seals: Seals;

type Stored = { readonly s: string; readonly b: number; readonly e: unknown };

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-forged-"));
  raw = rawFiles(join(folder, "runs"), "runs");
  audit = [];
  seals = createSeals(
    { privateKey: APP_KEY.privateKey },
    {
      refused: ({ what, boundary, rule, run = "-", repo = "-" }) =>
        void audit.push(`${boundary}/${rule} ${repo} ${run}: ${what}`),
    },
  );
  const loom = seals.runs(raw, "r1");
  await loom.append("shop", 0, [created("shop"), queued("a")]);
  await loom.append("shop", 2, [queued("b")]);
  await loom.append("shop", 3, [queued("c")]);
});
afterEach(() => rm(folder, { recursive: true }));

const approved: RunEvent = {
  type: "run-approved",
  at: "2031-05-06T07:08:09.000Z",
  by: "mallory",
  role: "admin",
  head: "a".repeat(40),
  blob: "b".repeat(40),
  via: "command",
};
const stored = async (id = "shop"): Promise<Stored[]> => (await raw.load(id)).events as Stored[];
const events = async (id = "shop"): Promise<unknown> => (await seals.runs(raw, "r1").load(id)).events;

/** The ledger holds this from now on, as far as its writer can say. */
async function rewrite(...now: unknown[]): Promise<void> {
  await raw.remove("shop");
  await raw.append("shop", 0, now);
}
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => new Error("nobody refused it"),
    (reason: unknown) => reason as Error,
  );
  if (!(error instanceof ForgedRecord)) throw error;
  return `${error.message} ${error.next}`;
}

it("tells a writer who is late without reading the ledger again", async () => {
  const read: number[] = [];
  const watched: LedgerStore<unknown> = {
    ...raw,
    async loadSince(id, version) {
      read.push(version);
      return raw.loadSince(id, version);
    },
  };
  const loom = seals.runs(watched, "r1");
  await loom.load("shop");
  read.length = 0;
  expect(await loom.append("shop", 3, [queued("d")])).toEqual({ kind: "conflict", version: 4 });
  expect(read).toEqual([]);
  expect(await loom.append("shop", 4, [queued("d")])).toEqual({ kind: "appended", version: 5 });
});

it("keeps nothing of ledgers that there never were", async () => {
  const read: string[] = [];
  const watched: LedgerStore<unknown> = {
    ...raw,
    async loadSince(id, version) {
      read.push(id);
      return id === "shop" ? raw.loadSince(id, version) : { version: 0, events: [] };
    },
  };
  const loom = seals.runs(watched, "r1");
  await loom.load("shop");
  for (let n = 0; n <= MAX_LEDGERS; n += 1) await loom.load(`guess-${n}`);
  read.length = 0;
  // Where this one ended is still known.
  expect(await loom.append("shop", 4, [queued("d")])).toEqual({ kind: "appended", version: 5 });
  expect(read).toEqual([]);
});

describe("a ledger in a store that others can write to (T32)", () => {
  it("takes what Loom wrote", async () => {
    expect(await events()).toEqual([created("shop"), queued("a"), queued("b"), queued("c")]);
    expect(audit).toEqual([]);
  });

  it("refuses an event that was appended without a signature, and says so to people and to the operator", async () => {
    await raw.append("shop", 4, [approved]);
    expect(await refusal(events())).toMatchInlineSnapshot(
      `"Loom does nothing more for the run shop: event 5 of its ledger carries no signature. An older Loom wrote it, or somebody else who can write to Loom's store. The operator removes the ledger; a signed copy in git brings the run back."`,
    );
    expect(audit).toMatchInlineSnapshot(`
      [
        "store/unsigned r1 shop: what was written to the store by somebody else. Loom does nothing more for the run shop: event 5 of its ledger carries no signature. An older Loom wrote it, or somebody else who can write to Loom's store. The operator removes the ledger; a signed copy in git brings the run back.",
      ]
    `);
  });

  it("refuses an event with the signature of another", async () => {
    const [, , , last] = await stored();
    await raw.append("shop", 4, [{ ...last, e: approved }]);
    expect(await refusal(events())).toMatchInlineSnapshot(
      `"Loom does nothing more for the run shop: event 5 of its ledger was not written there by this App. If the App's private key was replaced, the operator sets PREVIOUS_PRIVATE_KEY to the old one. Otherwise somebody else can write to Loom's store."`,
    );
  });

  it.each<[string, (all: Stored[]) => unknown[], rule?: string]>([
    [
      "an event that was changed",
      ([a, b, c, d]) => [a, b, { ...c, e: { ...(c?.e as object), stage: "x" } }, d],
    ],
    ["an event that was taken out of the middle", ([a, b, , d]) => [a, b, d]],
    ["a first event that was taken out", ([, ...rest]) => rest],
    ["two events that changed places", ([a, b, c, d]) => [a, b, d, c]],
    ["an event that stands there twice", ([a, b, c, d]) => [a, b, c, d, d]],
    ["an old event once more at the end", ([a, b, c, d]) => [a, b, c, d, b]],
    ["a batch that was cut in its middle", ([a]) => [a], "store/cut"],
    ["a batch cut in its middle, with its count fixed", ([a]) => [{ ...a, b: 0 }]],
    [
      "an event with one more field",
      ([a, b, c, d]) => [a, b, c, { ...d, e: { ...(d?.e as object), by: "x" } }],
    ],
    ["an event without content", ([a, b, c, d]) => [a, b, c, { s: d?.s, b: 0 }], "store/unsigned"],
    ["a text", ([a, b, c]) => [a, b, c, "stage-queued"], "store/unsigned"],
    ["nothing at all", ([a, b, c]) => [a, b, c, null], "store/unsigned"],
    ["an empty signature", ([a, b, c, d]) => [a, b, c, { ...d, s: "" }]],
    ["a shortened signature", ([a, b, c, d]) => [a, b, c, { ...d, s: d?.s.slice(0, 20) }]],
  ])("refuses %s", async (_, tamper, rule = "store/forged") => {
    await rewrite(...tamper(await stored()));
    await refusal(events());
    expect(audit.map((line) => line.split(":")[0])).toEqual([`${rule} r1 shop`]);
  });

  it("refuses a ledger that can't be read", async () => {
    for (const file of await readdir(join(folder, "runs"), { recursive: true, withFileTypes: true }))
      if (file.isFile()) await appendFile(join(file.parentPath, file.name), "no batch\n");
    await refusal(events());
    expect(audit.map((line) => line.split(":")[0])).toEqual(["store/unreadable r1 shop"]);
  });

  it("refuses the events of another run, of another repository and of a task", async () => {
    const all = await stored();
    await raw.append("other", 0, all);
    await refusal(events("other"));
    await refusal(seals.runs(raw, "r2").load("shop"));
    const tasks = rawFiles(join(folder, "tasks"), "tasks");
    await seals.tasks(tasks, "r1").append("ask-1", 0, [taskCreated("ask-1")]);
    await raw.append("ask-1", 0, (await tasks.load("ask-1")).events);
    await refusal(events("ask-1"));
  });

  it("refuses what follows in a ledger that was known up to there", async () => {
    const reader = seals.runs(raw, "r1");
    await reader.load("shop");
    await raw.append("shop", 4, [approved]);
    await refusal(reader.loadSince("shop", 4));
    await refusal(reader.loadSince("shop", 2));
  });

  it("writes nothing behind what it refuses", async () => {
    await raw.append("shop", 4, [approved]);
    await refusal(seals.runs(raw, "r1").append("shop", 5, [queued("d")]));
    expect((await raw.load("shop")).version).toBe(5);
  });

  it("does not mix the past that a reader knows with another", async () => {
    const reader = seals.runs(raw, "r1");
    await reader.load("shop");
    const all = await stored();
    await rewrite(...all.slice(0, 3));
    const writer = seals.runs(raw, "r1");
    await writer.append("shop", 3, [queued("other")]);
    await writer.append("shop", 4, [queued("next")]);
    // As if it had begun anew: whoever remembers a past forgets it and reads all.
    expect(await reader.loadSince("shop", 4)).toEqual({ version: 0, events: [] });
    expect((await reader.load("shop")).events.at(-1)).toEqual(queued("next"));
  });

  it("does not mix two pasts either where others of the process have read on", async () => {
    const reader = seals.runs(raw, "r1");
    await reader.load("shop");
    await rewrite(...(await stored()).slice(0, 3));
    const writer = seals.runs(raw, "r1");
    await writer.append("shop", 3, [queued("other")]);
    await writer.append("shop", 4, [queued("next")]);
    // As whoever copies or tells a ledger does.
    await reader.load("shop");
    expect(await reader.loadSince("shop", 4)).toEqual({ version: 0, events: [] });
  });

  it("refuses a ledger that was put together from two pasts", async () => {
    const all = await stored();
    await rewrite(...all.slice(0, 2));
    const loom = seals.runs(raw, "r1");
    await loom.append("shop", 2, [queued("other")]);
    await loom.append("shop", 3, [queued("next")]);
    const other = await stored();
    await rewrite(...all.slice(0, 3), other[3]);
    await refusal(events());
  });

  it("signs the same events the same way, so that a ledger from its copy is the one that it was", async () => {
    const before = await stored();
    await raw.remove("shop");
    const loom = seals.runs(raw, "r1");
    await loom.append("shop", 0, [created("shop"), queued("a")]);
    await loom.append("shop", 2, [queued("b")]);
    await loom.append("shop", 3, [queued("c")]);
    expect(await stored()).toEqual(before);
  });

  it("takes what a replaced key has signed only while that key is named, and signs with the new one", async () => {
    const { privateKey } = generateKeyPairSync("ed25519", {
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    expect(await refusal(createSeals({ privateKey }, NO_AUDIT).runs(raw, "r1").load("shop"))).toContain(
      "PREVIOUS_PRIVATE_KEY",
    );
    const rotated = createSeals({ privateKey, previousKeys: [APP_KEY.privateKey] }, NO_AUDIT).runs(raw, "r1");
    expect((await rotated.load("shop")).version).toBe(4);
    await rotated.append("shop", 4, [queued("d")]);
    expect((await rotated.load("shop")).version).toBe(5);
    await refusal(events());
  });
});
