import { UserError } from "../../core/errors.ts";
import { evolveTask } from "../../core/task/evolve-task.ts";
import type { Task } from "../../core/task/task.ts";
import type { TaskEvent } from "../../core/task/task-events.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { createLedgers, type Ledgers } from "../run/ledgers.ts";

/** The ledgers of tasks. */
export type TaskLedgers = Ledgers<TaskEvent, Task>;

export function createTaskLedgers(
  store: LedgerStore<TaskEvent>,
  clean: (event: TaskEvent) => TaskEvent = (event) => event,
  onEvent: (event: TaskEvent, task: Task) => void = () => {},
): TaskLedgers {
  const ledgers = createLedgers({
    store,
    evolve: evolveTask,
    clean,
    onEvent,
    unknown: (id) =>
      new UserError(`There is no task ${id}.`, { next: "It may have been forgotten; ask for it again." }),
  });
  // A run begins with the approved bytes, which nobody may touch; a task begins with what people wrote.
  return { ...ledgers, create: (id, events) => ledgers.create(id, events.map(clean)) };
}
