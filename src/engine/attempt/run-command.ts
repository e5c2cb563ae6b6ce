import type { ConfinedProcess, ProcessExit } from "../../ports/process-supervisor.ts";

export type RunOptions = {
  /** null: as long as it takes. */
  readonly timeoutMs: number | null;
  /** How much of the end of the output is kept, for each stream and for both together. */
  readonly tailBytes: number;
  /** Between asking the program to end and ending it, once its time is up or it is not wanted any more. */
  readonly graceMs: number;
  /** Ends it before its time; the result is that of the end it came to. */
  readonly signal?: AbortSignal;
};

export type CommandResult = {
  readonly exit: ProcessExit;
  readonly timedOut: boolean;
  /** The last part of both streams in order of arrival. */
  readonly output: string;
  /** How much came before it. */
  readonly cutBytes: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
};

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Runs a program to its end or to the end of its time. Memory is bounded whatever it prints. */
export async function runToEnd<Spec>(
  sandbox: { spawn(spec: Spec): ConfinedProcess },
  spec: Spec,
  options: RunOptions,
): Promise<CommandResult> {
  const { timeoutMs, tailBytes, graceMs, signal } = options;
  const began = performance.now();
  const running = sandbox.spawn(spec);
  let timedOut = false;
  let stopping: Promise<void> | null = null;
  const stop = (): void => {
    stopping ??= running.stop(graceMs);
    // Looked at below; until then a rejection must not count as unhandled.
    stopping.catch(() => {});
  };
  const onTimeout = (): void => {
    timedOut = true;
    stop();
  };
  const timer = timeoutMs === null ? null : setTimeout(onTimeout, Math.min(timeoutMs, LONGEST_TIMER_MS));
  if (signal?.aborted) stop();
  else signal?.addEventListener("abort", stop, { once: true });
  const both = createTail(tailBytes);
  const streams = { stdout: createTail(tailBytes), stderr: createTail(tailBytes) };
  try {
    for await (const { stream, data } of running.output) {
      both.push(data);
      streams[stream].push(data);
    }
    const exit = await running.exit;
    await stopping;
    return {
      exit,
      timedOut,
      output: both.text(),
      cutBytes: both.cutBytes(),
      stdout: streams.stdout.text(),
      stderr: streams.stderr.text(),
      durationMs: performance.now() - began,
    };
  } finally {
    if (timer) clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** The end of a stream in a buffer of twice that size: it is moved to the front only when the buffer is full. */
function createTail(limit: number) {
  const buffer = Buffer.allocUnsafe(2 * limit);
  let length = 0;
  let total = 0;
  const tail = (): Buffer => {
    const end = buffer.subarray(Math.max(0, length - limit), length);
    return end.length < total ? fromFirstCharacter(end) : end;
  };
  return {
    push(data: Buffer): void {
      total += data.length;
      const end = data.subarray(Math.max(0, data.length - limit));
      if (length + end.length > buffer.length) {
        buffer.copyWithin(0, length - limit, length);
        length = limit;
      }
      end.copy(buffer, length);
      length += end.length;
    },
    text: (): string => tail().toString("utf8"),
    cutBytes: (): number => total - tail().length,
  };
}

/** A cut in the middle of a character leaves its last bytes at the front; they say nothing. */
function fromFirstCharacter(bytes: Buffer): Buffer {
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0b1100_0000) === 0b1000_0000) at += 1;
  return bytes.subarray(at);
}
