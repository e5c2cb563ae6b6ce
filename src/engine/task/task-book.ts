import { UserError } from "../../core/errors.ts";
import { evolveTask } from "../../core/task/evolve-task.ts";
import type { Task } from "../../core/task/task.ts";
import type { TaskEvent } from "../../core/task/task-events.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import { type Book, createBook } from "../book.ts";

/** The ledgers of tasks. */
export type TaskBook = Book<TaskEvent, Task>;

export function createTaskBook(
  store: LedgerStore<TaskEvent>,
  clean: (event: TaskEvent) => TaskEvent = (event) => event,
  onEvent: (event: TaskEvent, task: Task) => void = () => {},
): TaskBook {
  const book = createBook({
    store,
    evolve: evolveTask,
    clean,
    onEvent,
    unknown: (id) =>
      new UserError(`There is no task ${id}.`, { next: "It may have been forgotten; ask for it again." }),
  });
  // A run begins with the approved bytes, which nobody may touch; a task begins with what people wrote.
  return { ...book, create: (id, events) => book.create(id, events.map(clean)) };
}
