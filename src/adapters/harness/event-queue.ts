import type { HarnessEvent } from "../../ports/harness.ts";

/**
 * Joins what a program prints with what Loom sees of it elsewhere. `push` waits until the event was taken, so that a
 * program that prints without end is read no faster than its lines are used; `note` does not wait, for what is rare.
 */
export function createEventQueue() {
  const waiting: { readonly event: HarnessEvent; readonly taken: () => void }[] = [];
  let ended = false;
  let patient = true;
  let wake = (): void => {};

  return {
    push(event: HarnessEvent): Promise<void> {
      if (ended) return Promise.resolve();
      return new Promise((taken) => {
        waiting.push({ event, taken: patient ? taken : () => {} });
        if (!patient) taken();
        wake();
      });
    },
    /** The program is being ended: what it still has to say must not keep anybody from seeing it end. */
    hurry(): void {
      patient = false;
      for (const { taken } of waiting) taken();
    },
    note(event: HarnessEvent): void {
      if (ended) return;
      waiting.push({ event, taken: () => {} });
      wake();
    },
    end(): void {
      ended = true;
      wake();
    },
    async *events(): AsyncGenerator<HarnessEvent> {
      try {
        for (;;) {
          const next = waiting.shift();
          if (next) {
            next.taken();
            yield next.event;
          } else if (ended) return;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        // Nobody listens any more; whoever waits to be heard must not wait for ever.
        ended = true;
        for (const { taken } of waiting.splice(0)) taken();
      }
    },
  };
}
