import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDriverLease } from "../../../src/adapters/embedded/driver-lease.ts";
import { createEmbeddedRunStore } from "../../../src/adapters/embedded/run-store.ts";
import { createRunFiles } from "../../../src/adapters/local/run-files.ts";
import { createRunLedgers } from "../../../src/engine/run/run-ledgers.ts";
import { sweepLogs, type WhileNobodyDrives } from "../../../src/engine/run/sweep-logs.ts";
import type { RunFiles } from "../../../src/ports/run-files.ts";
import { aRun, START } from "../../support/a-run.ts";
import { tempFolder } from "../../support/git-repo.ts";

const DAY = 24 * 3_600_000;
const LIMITS = { ms: 90 * DAY, bytes: 1_000_000 };
const LATER = START + 91 * DAY;

type End = "completed" | "recorded" | "failed" | "cancelled" | "running";

/** Real ledgers and files in one folder, as in a repository. */
async function aDisk(ends: Readonly<Record<string, End>>) {
  const root = tempFolder();
  const store = createEmbeddedRunStore({ root });
  const files = createRunFiles({ root });
  const lease = createDriverLease({ root });
  for (const [id, end] of Object.entries(ends)) {
    const story = aRun([{ id: "build" }], { run: id });
    if (end === "recorded") story.finishes("completed").records();
    else if (end !== "running") story.finishes(end);
    await store.append(id, 0, story.events);
    const log = files.openLog(id, "build", 1);
    log.write(`${id} was here`);
    await log.close();
    await files.writePrompt(id, "build-1-1", "Do it.");
    await files.writeHeartbeat(id, {
      ...{ stage: "build", attempt: 1, session: "s", at: new Date(START).toISOString() },
      activity: null,
    });
  }
  const free: WhileNobodyDrives = async (run, act) => {
    const held = await lease.acquire(run);
    if (held.kind === "held") return;
    await act().finally(() => held.release());
  };
  const sweep = async (now: number, limits = LIMITS, own: RunFiles = files): Promise<void> =>
    sweepLogs({ runs: createRunLedgers(store, () => {}), files: own, now: () => now }, limits, free);
  const kept = async (): Promise<string[]> => (await files.kept()).map(({ run }) => run).sort();
  return { root, store, files, lease, sweep, kept };
}

describe("the sweep of logs", () => {
  it("removes those of runs that are long over, keeps their ledgers, and says so", async () => {
    const { root, store, files, sweep, kept } = await aDisk({
      built: "recorded",
      gone: "cancelled",
      red: "failed",
    });
    await sweep(START + 89 * DAY);
    expect(await kept()).toEqual(["built", "gone", "red"]);
    await sweep(LATER);
    expect(await kept()).toEqual([]);
    expect(await store.list()).toEqual(["built", "gone", "red"]);
    for (const folder of ["logs", "prompts", "heartbeats"])
      expect(existsSync(join(root, "built", folder))).toBe(false);
    expect(await files.sweptAt("built")).toBe(new Date(LATER).toISOString());
    expect(await files.readLogs("built", "build")).toEqual([]);
  });

  it("keeps those of a run that goes on, whose documents are not in yet, or whose ledger can't be read", async () => {
    const { root, sweep, kept } = await aDisk({
      alive: "running",
      damaged: "recorded",
      unrecorded: "completed",
    });
    writeFileSync(join(root, "damaged", "events.jsonl"), "{}\n{}\n");
    await sweep(LATER + 1_000 * DAY, { ms: DAY, bytes: 1 });
    expect(await kept()).toEqual(["alive", "damaged", "unrecorded"]);
  });

  it("keeps those of a run that somebody goes on with at this moment", async () => {
    const { lease, sweep, kept } = await aDisk({ driven: "failed" });
    const held = await lease.acquire("driven");
    await sweep(LATER);
    expect(await kept()).toEqual(["driven"]);
    if (held.kind === "acquired") await held.release();
    await sweep(LATER);
    expect(await kept()).toEqual([]);
  });

  it("removes what has no ledger any more by its own age", async () => {
    const { root, files, sweep, kept } = await aDisk({});
    await files.writeReport("lost", "crash", "It crashed.");
    const old = (LATER - 91 * DAY) / 1000;
    utimesSync(join(root, "lost", "reports", "crash.md"), old, old);
    await sweep(LATER - DAY * 2);
    expect(await kept()).toEqual(["lost"]);
    await sweep(LATER);
    expect(await kept()).toEqual([]);
    expect(await files.sweptAt("lost")).toBeNull();
  });

  it("may be killed half-way: the next one ends its work", async () => {
    const { root, files, sweep, kept } = await aDisk({ built: "recorded" });
    const dies: RunFiles = {
      ...files,
      async sweep(run, at) {
        writeFileSync(join(root, run, "swept"), at);
        throw new Error("killed");
      },
    };
    await expect(sweep(LATER, LIMITS, dies)).rejects.toThrow("killed");
    expect(await kept()).toEqual(["built"]);
    await sweep(LATER + DAY);
    expect(await kept()).toEqual([]);
    expect(await files.sweptAt("built")).toBe(new Date(LATER + DAY).toISOString());
  });

  it("may be done by two at once", async () => {
    const { sweep, kept, files } = await aDisk({ a: "recorded", b: "cancelled", c: "running" });
    await Promise.all([sweep(LATER), sweep(LATER)]);
    await sweep(LATER);
    expect(await kept()).toEqual(["c"]);
    expect(await files.sweptAt("a")).not.toBeNull();
  });
});
