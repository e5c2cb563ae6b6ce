/** Why Loom ended a session that would have gone on. */
export type EndedBy = "stalled" | "timed-out" | "aborted" | "exhausted" | "asked" | "spent";

export type WatchdogRequest = {
  readonly ceilingSecs: number;
  /** 0 turns the stall guard off. */
  readonly stallSecs: number;
  readonly abort: AbortSignal;
};

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Two separate guards: the stall window, which any sign of life pushes back, and the ceiling, which nothing does. */
export function createWatchdog(request: WatchdogRequest, stop: () => Promise<void>) {
  let endedBy: EndedBy | null = null;
  let stopping: Promise<void> | null = null;
  const end = (by: EndedBy): void => {
    if (endedBy) return;
    endedBy = by;
    stopping = stop();
    // The rejection is looked at in settled(); until then it must not count as unhandled.
    stopping.catch(() => {});
  };
  const onAbort = (): void => end("aborted");
  if (request.abort.aborted) onAbort();
  else request.abort.addEventListener("abort", onAbort, { once: true });
  const after = (secs: number, by: EndedBy) =>
    setTimeout(() => end(by), Math.min(secs * 1000, LONGEST_TIMER_MS));
  const ceiling = after(request.ceilingSecs, "timed-out");
  const stall = request.stallSecs > 0 ? after(request.stallSecs, "stalled") : null;
  return {
    end,
    touch: () => stall?.refresh(),
    endedBy: () => endedBy,
    settled: async () => {
      await stopping;
    },
    close: () => {
      clearTimeout(ceiling);
      if (stall) clearTimeout(stall);
      request.abort.removeEventListener("abort", onAbort);
    },
  };
}
