import { isForgettable } from "../../core/task/is-forgettable.ts";
import type { TaskId } from "../../core/task/task.ts";
import type { TaskEngine } from "./task-engine.ts";

type Keeper = Pick<TaskEngine, "tasks" | "taskStore" | "taskFiles" | "now">;

/** Where no service sweeps: removes what nobody has touched for long. One that can't be read stays for a person to look at. */
export async function forgetOldTasks(engine: Keeper): Promise<void> {
  const now = engine.now();
  for (const id of await engine.taskStore.list()) {
    const task = await engine.tasks.load(id).catch(() => null);
    if (!task || !isForgettable(task, now)) continue;
    await removeTask(engine, id);
    engine.tasks.forget(id);
  }
}

export async function removeTask(
  { taskFiles, taskStore }: Pick<Keeper, "taskFiles" | "taskStore">,
  id: TaskId,
): Promise<void> {
  await taskFiles.remove(id);
  await taskStore.remove(id);
}
