import type { Millis } from "../../../core/ids.ts";
import { isForgettable, KEEP_TASKS_MS } from "../../../core/task/is-forgettable.ts";
import { nextTaskStep } from "../../../core/task/next-task-step.ts";
import type { Task, TaskId } from "../../../core/task/task.ts";
import { removeTask } from "../../task/forget-tasks.ts";
import type { RepoEngine } from "../host.ts";
import { unlessForged } from "../recover/unless-forged.ts";
import { sendTask } from "./send-task.ts";
import { pauseLeft } from "./try-task-later.ts";

/** When those ended that have: there may be thousands of them, and none is looked at again before it is forgotten. */
const ended = new WeakMap<RepoEngine, Map<TaskId, Millis>>();

/**
 * Sends for those that nobody is at, or that waited for a time that has come; what is long done is forgotten. Resolves with
 * what is not done.
 */
export async function sweepTasks(engine: RepoEngine): Promise<readonly Task[]> {
  const now = engine.now();
  const over = ended.get(engine) ?? new Map<TaskId, Millis>();
  ended.set(engine, over);
  const open: Task[] = [];
  for (const id of await engine.taskStore.list()) {
    if (now - (over.get(id) ?? 0) < KEEP_TASKS_MS) continue;
    const task = await unlessForged(engine.tasks.load(id));
    if (!task) continue;
    const step = nextTaskStep(task, now);
    if (step.kind === "done") {
      over.set(id, Date.parse(task.touchedAt));
      if (isForgettable(task, now)) {
        over.delete(id);
        await removeTask(engine, id);
      }
      engine.tasks.forget(id);
      continue;
    }
    open.push(task);
    if (step.kind !== "wait" || (step.until !== null && step.until <= now))
      await sendTask(engine, task, await pauseLeft(engine, id));
  }
  return open;
}

/** Their ledgers have become others: what is known of those before says nothing about them. */
export async function forgetTasks(engine: RepoEngine): Promise<void> {
  ended.delete(engine);
  for (const id of await engine.taskStore.list()) engine.tasks.forget(id);
}
