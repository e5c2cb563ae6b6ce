import { describe, expect, it } from "vitest";
import { createEmbeddedLeases } from "../../../src/adapters/embedded/leases.ts";
import { cancelTask } from "../../../src/engine/task/run-task.ts";
import {
  claimTask,
  type HeldTask,
  TaskLost,
  watchTask,
  writeTask,
} from "../../../src/engine/task/task-claim.ts";
import type { TaskEngine } from "../../../src/engine/task/task-engine.ts";
import { aHarness, aRepository, aWorker, beginTask, ledgerOf } from "./task-world.ts";

const NEVER = new AbortController().signal;

/** Two workers of one task; `alike`: each knows whether the other one lives. */
async function twoWorkers({ alike }: { readonly alike: boolean }) {
  const repo = aRepository();
  const leases = createEmbeddedLeases();
  const options = { repo, agents: [aHarness("claude", [])], ...(alike ? { leases } : {}) };
  const [one, other] = [await aWorker(options), await aWorker(options)];
  return { one, other, id: await beginTask(one, repo, "ask") };
}

async function claimed(engine: TaskEngine, id: string): Promise<HeldTask> {
  const held = await claimTask(engine, id);
  if (!held) throw new Error("it could not be claimed");
  return held;
}

function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

const ANSWER = { type: "answer-written", text: "Because." } as const;
const FINISHED = {
  type: "task-finished",
  at: "2026-03-01T10:00:00.000Z",
  outcome: { kind: "answered" },
} as const;

describe("the claim of a task", () => {
  it("is had by one worker at a time", async () => {
    const { one, other, id } = await twoWorkers({ alike: true });
    const held = await claimed(one, id);
    expect(await claimTask(other, id)).toBeNull();
    expect(await claimTask(one, id)).toBeNull();
    await held.release();
    expect((await claimed(other, id)).claim.token).not.toBe(held.claim.token);
  });

  it("goes to one of several who want it at the same moment", async () => {
    const { one, other, id } = await twoWorkers({ alike: true });
    const all = await Promise.all([one, other, one, other].map((engine) => claimTask(engine, id)));
    expect(all.filter((held) => held !== null)).toHaveLength(1);
    expect(await ledgerOf(one, id)).toEqual(["task-created", "task-claimed"]);
  });

  it("leaves no lease with those who did not get it", async () => {
    const { one, other, id } = await twoWorkers({ alike: true });
    const all = await Promise.all([one, other].map((engine) => claimTask(engine, id)));
    for (const held of all) await held?.release();
    expect(await claimTask(one, id)).not.toBeNull();
  });

  it("is not given for what is done, nor for what nobody asked for", async () => {
    const { one, id } = await twoWorkers({ alike: true });
    await one.tasks.write(id, () => [FINISHED]);
    expect(await claimTask(one, id)).toBeNull();
    expect(await claimTask(one, "ask-9-9")).toBeNull();
  });

  it("passes from a worker that died, and ends what it had started", async () => {
    const { one, other, id } = await twoWorkers({ alike: false });
    const first = await claimed(one, id);
    await writeTask(one, first.claim, {
      type: "session-started",
      session: "answer-1-x",
      purpose: "answer",
      harness: "claude",
      model: null,
      promptTokens: 1,
      prefixHash: "",
      marker: first.claim.token,
    });
    const reaped: string[] = [];
    const supervisor = { ...other.supervisor, reap: async (marker: string) => reaped.push(marker) };
    const second = await claimed({ ...other, supervisor }, id);
    expect(reaped).toEqual([first.claim.token]);
    await expect(writeTask(one, first.claim, ANSWER)).rejects.toThrow(TaskLost);
    expect((await writeTask(other, second.claim, ANSWER)).answer).toBe("Because.");
  });

  it("writes nothing any more about what was cancelled or is done", async () => {
    const { one, id } = await twoWorkers({ alike: true });
    const held = await claimed(one, id);
    expect(await cancelTask(one, id, "ada")).toBe(true);
    await expect(writeTask(one, held.claim, ANSWER)).rejects.toThrow(`the task ${id} is no longer ours`);
    await one.tasks.write(id, () => [FINISHED]);
    await expect(writeTask(one, held.claim, ANSWER)).rejects.toThrow(TaskLost);
    expect(await ledgerOf(one, id)).toEqual([
      "task-created",
      "task-claimed",
      "task-cancelled",
      "task-finished",
    ]);
  });
});

describe("watching a task", () => {
  it("tells when another process cancels it", async () => {
    const { one, other, id } = await twoWorkers({ alike: true });
    const { claim } = await claimed(one, id);
    const watch = watchTask(one, claim, NEVER);
    expect(watch.signal.aborted).toBe(false);
    await cancelTask(other, id, "ada");
    await whenAborted(watch.signal);
    watch.close();
  });

  it("tells when another process takes it over", async () => {
    const { one, other, id } = await twoWorkers({ alike: false });
    const { claim } = await claimed(one, id);
    const watch = watchTask(one, claim, NEVER);
    await claimed(other, id);
    await whenAborted(watch.signal);
    expect(String(watch.signal.reason)).toContain("no longer wanted");
    watch.close();
  });

  it("tells of what happened before it began", async () => {
    const { one, id } = await twoWorkers({ alike: true });
    const { claim } = await claimed(one, id);
    await cancelTask(one, id, "ada");
    const watch = watchTask(one, claim, NEVER);
    await whenAborted(watch.signal);
    watch.close();
  });

  it("passes on that the worker is to stop, and is quiet once it is closed", async () => {
    const { one, id } = await twoWorkers({ alike: true });
    const { claim } = await claimed(one, id);
    const [outer, later] = [new AbortController(), new AbortController()];
    const [watch, closed] = [watchTask(one, claim, outer.signal), watchTask(one, claim, later.signal)];
    closed.close();
    outer.abort(new Error("stop"));
    later.abort(new Error("stop"));
    expect(watch.signal.reason).toEqual(new Error("stop"));
    expect(closed.signal.aborted).toBe(false);
    expect(watchTask(one, claim, AbortSignal.abort()).signal.aborted).toBe(true);
    watch.close();
  });
});
