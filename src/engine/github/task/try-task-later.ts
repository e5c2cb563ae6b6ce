import { needsPerson } from "../../../core/errors.ts";
import type { Millis } from "../../../core/ids.ts";
import type { Task, TaskId } from "../../../core/task/task.ts";
import { WorkerKilled } from "../../../ports/job-queue.ts";
import type { RepoEngine } from "../host.ts";
import { sendTask } from "./send-task.ts";

/** With the pauses between them, these take most of an hour. */
const TRIES = 10;
const FIRST_PAUSE_MS = 10_000;
const LAST_PAUSE_MS = 900_000;
const REMEMBER_MS = 3_600_000;

/**
 * GitHub or git was out of reach, mostly: that needs no person, and what an agent was paid for is not to be thrown away for
 * it. So the task is brought back after ever longer pauses, which the sweep respects. Only what fails that often is more
 * than an outage. False: no more of it, as for what a person has to fix and for what kills its workers (F31).
 */
export async function tryTaskLater(engine: RepoEngine, task: Task, error: unknown): Promise<boolean> {
  if (needsPerson(error) || error instanceof WorkerKilled) return false;
  const times = (await triesOf(engine, task.id)).times + 1;
  if (times >= TRIES) return false;
  const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LAST_PAUSE_MS);
  const tries = `${times} ${engine.now() + pauseMs}`;
  await engine.cache.set(keyOf(task.id), tries, { ttlMs: pauseMs + REMEMBER_MS });
  await sendTask(engine, task, pauseMs);
  return true;
}

/** How long it is to be left alone yet, after it failed. */
export async function pauseLeft(engine: RepoEngine, id: TaskId): Promise<Millis> {
  return Math.max(0, (await triesOf(engine, id)).until - engine.now());
}

async function triesOf(
  { cache }: RepoEngine,
  id: TaskId,
): Promise<{ readonly times: number; readonly until: Millis }> {
  const [times = 0, until = 0] = ((await cache.get(keyOf(id))) ?? "").split(" ").map(Number);
  return { times, until };
}

function keyOf(id: TaskId): string {
  return `given-up/${id}`;
}
