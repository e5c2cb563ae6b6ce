import type { TaskOutcome } from "../../../core/task/task-events.ts";

/** What a task comes to in its thread: the text that takes the place of "at work", and how it ended. */
export type Delivered = { readonly text: string; readonly outcome: TaskOutcome };
