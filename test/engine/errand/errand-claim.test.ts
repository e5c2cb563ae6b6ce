import { describe, expect, it } from "vitest";
import { createEmbeddedLeases } from "../../../src/adapters/embedded/leases.ts";
import {
  claimErrand,
  ErrandLost,
  type HeldErrand,
  watchErrand,
  writeErrand,
} from "../../../src/engine/errand/errand-claim.ts";
import type { ErrandEngine } from "../../../src/engine/errand/errand-engine.ts";
import { cancelErrand } from "../../../src/engine/errand/run-errand.ts";
import { aHarness, aRepository, aWorker, beginErrand, ledgerOf } from "./errand-world.ts";

const NEVER = new AbortController().signal;

/** Two workers of one errand; `alike`: each knows whether the other one lives. */
async function twoWorkers({ alike }: { readonly alike: boolean }) {
  const repo = aRepository();
  const leases = createEmbeddedLeases();
  const options = { repo, agents: [aHarness("claude", [])], ...(alike ? { leases } : {}) };
  const [one, other] = [await aWorker(options), await aWorker(options)];
  return { one, other, id: await beginErrand(one, repo, "ask") };
}

async function claimed(engine: ErrandEngine, id: string): Promise<HeldErrand> {
  const held = await claimErrand(engine, id);
  if (!held) throw new Error("it could not be claimed");
  return held;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

const ANSWER = { type: "answer-written", text: "Because." } as const;
const FINISHED = {
  type: "errand-finished",
  at: "2026-03-01T10:00:00.000Z",
  outcome: { kind: "answered" },
} as const;

describe("the claim of an errand", () => {
  it("is had by one worker at a time", async () => {
    const { one, other, id } = await twoWorkers({ alike: true });
    const held = await claimed(one, id);
    expect(await claimErrand(other, id)).toBeNull();
    expect(await claimErrand(one, id)).toBeNull();
    await held.release();
    expect((await claimed(other, id)).claim.token).not.toBe(held.claim.token);
  });

  it("goes to one of several who want it at the same moment", async () => {
    const { one, other, id } = await twoWorkers({ alike: true });
    const all = await Promise.all([one, other, one, other].map((engine) => claimErrand(engine, id)));
    expect(all.filter((held) => held !== null)).toHaveLength(1);
    expect(await ledgerOf(one, id)).toEqual(["errand-created", "errand-claimed"]);
  });

  it("leaves no lease with those who did not get it", async () => {
    const { one, other, id } = await twoWorkers({ alike: true });
    const all = await Promise.all([one, other].map((engine) => claimErrand(engine, id)));
    for (const held of all) await held?.release();
    expect(await claimErrand(one, id)).not.toBeNull();
  });

  it("is not given for what is done, nor for what nobody asked for", async () => {
    const { one, id } = await twoWorkers({ alike: true });
    await one.errands.write(id, () => [FINISHED]);
    expect(await claimErrand(one, id)).toBeNull();
    expect(await claimErrand(one, "ask-9-9")).toBeNull();
  });

  it("passes from a worker that died, and ends what it had started", async () => {
    const { one, other, id } = await twoWorkers({ alike: false });
    const first = await claimed(one, id);
    await writeErrand(one, first.claim, {
      type: "session-started",
      session: "answer-1-x",
      purpose: "answer",
      harness: "claude",
      model: null,
      signalTokens: 1,
      prefixHash: "",
      marker: first.claim.token,
    });
    const reaped: string[] = [];
    const sandbox = { ...other.sandbox, reap: async (marker: string) => reaped.push(marker) };
    const second = await claimed({ ...other, sandbox }, id);
    expect(reaped).toEqual([first.claim.token]);
    await expect(writeErrand(one, first.claim, ANSWER)).rejects.toThrow(ErrandLost);
    expect((await writeErrand(other, second.claim, ANSWER)).answer).toBe("Because.");
  });

  it("writes nothing any more about what was cancelled or is done", async () => {
    const { one, id } = await twoWorkers({ alike: true });
    const held = await claimed(one, id);
    expect(await cancelErrand(one, id, "ada")).toBe(true);
    await expect(writeErrand(one, held.claim, ANSWER)).rejects.toThrow(`the errand ${id} is no longer ours`);
    await one.errands.write(id, () => [FINISHED]);
    await expect(writeErrand(one, held.claim, ANSWER)).rejects.toThrow(ErrandLost);
    expect(await ledgerOf(one, id)).toEqual([
      "errand-created",
      "errand-claimed",
      "errand-cancelled",
      "errand-finished",
    ]);
  });
});

describe("watching an errand", () => {
  it("tells when another process cancels it", async () => {
    const { one, other, id } = await twoWorkers({ alike: true });
    const { claim } = await claimed(one, id);
    const watch = watchErrand(one, claim, NEVER);
    expect(watch.signal.aborted).toBe(false);
    await cancelErrand(other, id, "ada");
    await whenAborted(watch.signal);
    watch.close();
  });

  it("tells when another process takes it over", async () => {
    const { one, other, id } = await twoWorkers({ alike: false });
    const { claim } = await claimed(one, id);
    const watch = watchErrand(one, claim, NEVER);
    await claimed(other, id);
    await whenAborted(watch.signal);
    expect(String(watch.signal.reason)).toContain("no longer wanted");
    watch.close();
  });

  it("tells of what happened before it began", async () => {
    const { one, id } = await twoWorkers({ alike: true });
    const { claim } = await claimed(one, id);
    await cancelErrand(one, id, "ada");
    const watch = watchErrand(one, claim, NEVER);
    await whenAborted(watch.signal);
    watch.close();
  });

  it("passes on that the worker is to stop, and is quiet once it is closed", async () => {
    const { one, id } = await twoWorkers({ alike: true });
    const { claim } = await claimed(one, id);
    const [outer, later] = [new AbortController(), new AbortController()];
    const [watch, closed] = [watchErrand(one, claim, outer.signal), watchErrand(one, claim, later.signal)];
    closed.close();
    outer.abort(new Error("stop"));
    later.abort(new Error("stop"));
    expect(watch.signal.reason).toEqual(new Error("stop"));
    expect(closed.signal.aborted).toBe(false);
    expect(watchErrand(one, claim, AbortSignal.abort()).signal.aborted).toBe(true);
    watch.close();
  });
});
