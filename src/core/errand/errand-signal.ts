import type { Signal } from "../signal/signal.ts";

/**
 * The text that a session of an errand is started with, ordered like a stage's: the rules, then the task. The last part is
 * what to do now: give it a worth of null.
 */
export type ErrandSignal = Pick<Signal, "text" | "rules" | "task" | "metrics">;
