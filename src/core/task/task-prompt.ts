import type { Prompt } from "../prompt/prompt.ts";

/**
 * The text that a session of a task is started with, ordered like a stage's: the rules, then the task. The last part is
 * what to do now: give it a priority of null.
 */
export type TaskPrompt = Pick<Prompt, "text" | "rules" | "task" | "metrics">;
