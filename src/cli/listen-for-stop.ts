const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The exit code of what a person stopped. */
export const INTERRUPTED = 130;

/** The first signal puts the work down in order; a second one does not wait. */
export function listenForStop(on: { readonly first: () => void; readonly second: () => void }): {
  readonly signal: AbortSignal;
  close(): void;
} {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) {
      on.second();
      process.exit(INTERRUPTED);
    }
    on.first();
    controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    close() {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}
