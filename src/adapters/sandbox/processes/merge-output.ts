import type { Readable } from "node:stream";
import type { OutputChunk } from "../../../ports/process-supervisor.ts";

/**
 * Both streams of a program as one iterable for one reader. Whoever reads slowly slows the program down: what waits here
 * is bounded, whatever the program prints. Whoever stops reading sets it free, and the rest is thrown away.
 *
 * A stream ends when its last writer has closed it, and a writer may be a process that outlived everything Loom did to
 * end it. `settle` says that no writer should be left: from then on silence, or more than the pipes could still have
 * held, ends the output.
 */
export function mergeOutput(streams: { readonly stdout: Readable; readonly stderr: Readable }) {
  const waiting: OutputChunk[] = [];
  let weight = 0;
  let open = 2;
  let discarding = false;
  let settled = false;
  let rest = PIPES_HOLD_BYTES;
  let silence: NodeJS.Timeout | null = null;
  let wake: (() => void) | null = null;

  const both = [streams.stdout, streams.stderr];
  const paused = (): boolean => weight >= HIGH_BYTES;
  const notify = (): void => {
    wake?.();
    wake = null;
  };
  const cut = (): void => {
    for (const stream of both) stream.destroy();
  };
  const listenForSilence = (): void => {
    if (silence) clearTimeout(silence);
    silence = null;
    if (!settled || open === 0 || paused()) return;
    // A process that was busy all that time has not looked at its pipes yet. It does between a timer and an immediate.
    const mine = setTimeout(() => {
      setImmediate(() => {
        if (silence === mine) cut();
      });
    }, SILENCE_MS);
    silence = mine;
  };

  const listen = (stream: Readable, name: OutputChunk["stream"]): void => {
    let ended = false;
    stream.on("data", (data: Buffer) => {
      if (settled) {
        rest -= data.length;
        if (rest < 0) return cut();
      }
      if (!discarding) {
        waiting.push({ stream: name, data });
        weight += weigh(data);
        if (paused()) for (const one of both) one.pause();
        notify();
      }
      listenForSilence();
    });
    const end = (): void => {
      if (ended) return;
      ended = true;
      open -= 1;
      listenForSilence();
      notify();
    };
    stream.on("end", end);
    stream.on("close", end);
    stream.on("error", () => stream.destroy());
  };
  listen(streams.stdout, "stdout");
  listen(streams.stderr, "stderr");

  const take = (): OutputChunk | undefined => {
    const chunk = waiting.shift();
    if (!chunk) return undefined;
    const wasPaused = paused();
    weight -= weigh(chunk.data);
    if (wasPaused && !paused()) {
      for (const stream of both) stream.resume();
      listenForSilence();
    }
    return chunk;
  };

  const iterator: AsyncIterator<OutputChunk> = {
    async next() {
      for (;;) {
        const value = take();
        if (value) return { done: false, value };
        if (open === 0) return { done: true, value: undefined };
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async return() {
      discarding = true;
      waiting.length = 0;
      weight = 0;
      for (const stream of both) stream.resume();
      listenForSilence();
      return { done: true, value: undefined };
    },
  };

  return {
    output: { [Symbol.asyncIterator]: () => iterator },
    settle(): void {
      settled = true;
      listenForSilence();
    },
    cut,
  };
}

const HIGH_BYTES = 256 * 1024;
/** More than the buffers of the kernel and of Node hold for two pipes. */
const PIPES_HOLD_BYTES = 2 * 1024 * 1024;
const SILENCE_MS = 100;

/** A flood of single bytes must count for what it costs. */
function weigh(data: Buffer): number {
  return data.length + 128;
}
