/**
 * Calls of git that look at an agent's tree are ended when they take too long, and soon once Loom is to stop: whatever makes
 * git slow there, Loom answers (T25). None outlives this process, unless it is killed. These commands start no other
 * programs, so there is no group of processes to end with them.
 */
export type CallLimits = { begin(): CallLimit };

export type CallLimit = {
  readonly signal: AbortSignal;
  /** Has to be called, or the call would be ended some time after it is over. */
  close(): void;
};

export type CallTimes = {
  /** Long enough to check out the largest of repositories on a slow disk. */
  readonly callMs: number;
  /** Work is put down when Loom stops, so a call may still begin then. */
  readonly stoppingMs: number;
};

const CALL_TIMES: CallTimes = { callMs: 600_000, stoppingMs: 10_000 };

const running = new Set<AbortController>();
let listens = false;

export function createCallLimits(stop?: AbortSignal, times: CallTimes = CALL_TIMES): CallLimits {
  return {
    begin() {
      endWithProcess();
      const controller = new AbortController();
      const end = (): void => controller.abort();
      let timer = setTimeout(end, stop?.aborted ? times.stoppingMs : times.callMs);
      const hurry = (): void => {
        clearTimeout(timer);
        timer = setTimeout(end, times.stoppingMs);
      };
      stop?.addEventListener("abort", hurry, { once: true });
      running.add(controller);
      return {
        signal: controller.signal,
        close() {
          clearTimeout(timer);
          stop?.removeEventListener("abort", hurry);
          running.delete(controller);
        },
      };
    },
  };
}

function endWithProcess(): void {
  if (listens) return;
  listens = true;
  process.on("exit", () => {
    for (const controller of running) controller.abort();
  });
}
