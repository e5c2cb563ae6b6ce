import type { RepoEngine } from "../host.ts";
import { takeCalls } from "./train-calls.ts";

const FOR_MS = 3_600_000;

/**
 * A train that failed every time, or ended each worker that had it, says nothing about any one stage. So for a while each is
 * merged by itself, where what is wrong is told of the stage that it is wrong with (F31).
 */
export async function giveUpOnTrain(engine: RepoEngine, target: string): Promise<void> {
  await engine.cache.set(keyOf(target), "", { ttlMs: FOR_MS });
  await dismissCalls(engine, target);
}

/** Whoever called is woken to merge by itself. */
export async function dismissCalls(engine: RepoEngine, target: string): Promise<void> {
  for (const run of await takeCalls(engine, target)) await engine.queue.enqueue({ kind: "advance", run });
}

export async function isGivenUp(engine: RepoEngine, target: string): Promise<boolean> {
  return (await engine.cache.get(keyOf(target))) !== null;
}

function keyOf(target: string): string {
  return `no-train/${target}`;
}
