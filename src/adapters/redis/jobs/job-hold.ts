/** What this process knows about the lock of a job that it holds. */
export type Hold = {
  readonly id: string | undefined;
  readonly signal: AbortSignal;
  readonly ended: Promise<void>;
  renew(): void;
  lose(): void;
  lost(): boolean;
  stop(): void;
  end(): void;
};

export function createHold(id: string | undefined, lockMs: number): Hold {
  const controller = new AbortController();
  let lost = false;
  let finish = (): void => {};
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const lose = (): void => {
    lost = true;
    controller.abort(new Error("the lock of the job is lost"));
  };
  const timer = setTimeout(lose, lockMs);
  return {
    id,
    signal: controller.signal,
    ended,
    renew() {
      if (!lost) timer.refresh();
    },
    lose,
    lost: () => lost,
    stop: () => controller.abort(new Error("the queue closes")),
    end() {
      clearTimeout(timer);
      finish();
    },
  };
}
