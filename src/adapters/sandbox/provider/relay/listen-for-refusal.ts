import { setTimeout as delay } from "node:timers/promises";
import type { OutputChunk } from "../../../../ports/process-supervisor.ts";

const MOST_CHARS = 2000;
const PATIENCE_MS = 500;

/**
 * Hands the output on and keeps the beginning of standard error: when the isolation can't be built, the reason is there and
 * nowhere else.
 */
export function listenForRefusal(output: AsyncIterable<OutputChunk>) {
  let said = "";
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const inner = output[Symbol.asyncIterator]();
  const iterator: AsyncIterator<OutputChunk> = {
    async next() {
      const step = await inner.next();
      if (step.done) finish();
      else if (step.value.stream === "stderr" && said.length < MOST_CHARS) said += step.value.data.toString();
      return step;
    },
    async return() {
      finish();
      return (await inner.return?.()) ?? { done: true, value: undefined };
    },
  };
  return {
    output: { [Symbol.asyncIterator]: () => iterator },
    /** Whoever reads the output may not have come to its end yet, or may not read it at all. */
    async text(): Promise<string> {
      await Promise.race([finished, delay(PATIENCE_MS)]);
      return said
        .slice(0, MOST_CHARS)
        .trim()
        .replaceAll(/\s*\n\s*/g, "; ");
    },
  };
}
