import type { HarnessEvent } from "../../ports/harness.ts";

/** Of one kind, of what is not waited for: more than any program says in the moments before it ends. */
const MOST_EVENTS = 1_000;
const MOST_CHARS = 1_000_000;

type Kind = HarnessEvent["kind"];
type Waiting = { readonly event: HarnessEvent; readonly chars: number; readonly taken: () => void };

/**
 * Joins what a program prints with what Loom sees of it elsewhere. `push` waits until the event was taken, so that a
 * program that prints without end is read no faster than its lines are used; `note` does not wait. What nobody waits for
 * is bounded, each kind by itself: a flood of one can't push another out. What is left out is counted and told last.
 */
export function createEventQueue() {
  const waiting: Waiting[] = [];
  const weights = new Map<Kind, { events: number; chars: number }>();
  let left = 0;
  let ended = false;
  let patient = true;
  let wake = (): void => {};

  const add = (event: HarnessEvent, taken: () => void): void => {
    const chars = charsOf(event);
    const weight = weights.get(event.kind) ?? { events: 0, chars: 0 };
    // One alone is taken whatever its length: it was bounded where it was read.
    const isFull = weight.events >= MOST_EVENTS || weight.chars + chars > MOST_CHARS;
    if (isFull && weight.events > 0) {
      left += 1;
      taken();
      return;
    }
    weights.set(event.kind, { events: weight.events + 1, chars: weight.chars + chars });
    waiting.push({ event, chars, taken });
    wake();
  };
  const take = (): Waiting | undefined => {
    const next = waiting.shift();
    const weight = next && weights.get(next.event.kind);
    if (next && weight) {
      weight.events -= 1;
      weight.chars -= next.chars;
    }
    next?.taken();
    return next;
  };

  return {
    push(event: HarnessEvent): Promise<void> {
      if (ended) return Promise.resolve();
      return new Promise((taken) => {
        add(event, taken);
        if (!patient) taken();
      });
    },
    /** The program is being ended: what it still has to say must not keep anybody from seeing it end. */
    hurry(): void {
      patient = false;
      for (const { taken } of waiting) taken();
    },
    note(event: HarnessEvent): void {
      if (!ended) add(event, () => {});
    },
    end(): void {
      ended = true;
      wake();
    },
    async *events(): AsyncGenerator<HarnessEvent> {
      try {
        for (;;) {
          const next = take();
          if (next) yield next.event;
          else if (ended) break;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
        if (left > 0)
          yield { kind: "output", text: `[Loom left ${left} events out here: they came too fast.]` };
      } finally {
        // Nobody listens any more; whoever waits to be heard must not wait for ever.
        ended = true;
        for (const { taken } of waiting.splice(0)) taken();
      }
    },
  };
}

/** All that can be long in an event is a text. */
function charsOf(event: HarnessEvent): number {
  return Object.values(event).reduce(
    (sum: number, value: unknown) => sum + (typeof value === "string" ? value.length : 0),
    0,
  );
}
