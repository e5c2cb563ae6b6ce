import type { TaskEvent } from "../../core/task/task-events.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";
import type { RunFiles } from "../../ports/run-files.ts";
import type { Engine } from "../engine.ts";
import type { TaskLedgers } from "./task-ledgers.ts";

/** What tasks need besides what runs do. */
export type TaskEngine = Engine & {
  readonly tasks: TaskLedgers;
  readonly taskStore: LedgerStore<TaskEvent>;
  /** Logs and prompts of tasks, apart from those of runs. */
  readonly taskFiles: RunFiles;
};
