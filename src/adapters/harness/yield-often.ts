import { setImmediate as turn } from "node:timers/promises";

/** So long a program's lines may keep Loom's only thread to themselves. */
const SLICE_MS = 10;

/**
 * Lines that are there already are read one after the other without the event loop getting a turn: signals, timers and all
 * other agents would wait until a flood has passed. Whoever goes through lines awaits this after each.
 */
export function createYield(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await turn();
    since = performance.now();
  };
}
