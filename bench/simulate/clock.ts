/**
 * A clock that jumps from one event to the next. What happens is told by processes: generators that do real things with
 * `await`, and hand out with `yield` for how long they are busy. One step of one process at a time, in the order of their
 * times and, at the same time, in the order in which they were asked for: the same input gives the same story.
 */
export type Process = AsyncGenerator<Until, void, void>;

/** In milliseconds of the simulated time, when the process goes on. */
export type Until = number;

export type Clock = {
  now(): number;
  /** Begins now, or after a while. */
  start(process: Process, afterMs?: number): void;
  /** Until nobody has anything left to do. */
  run(): Promise<void>;
};

type Step = { readonly at: number; readonly order: number; readonly process: Process };

export function createClock(): Clock {
  const heap: Step[] = [];
  let now = 0;
  let order = 0;

  const isBefore = (one: Step, other: Step): boolean =>
    one.at < other.at || (one.at === other.at && one.order < other.order);

  function put(step: Step): void {
    heap.push(step);
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1;
      if (!isBefore(heap[child] as Step, heap[parent] as Step)) return;
      swap(child, parent);
      child = parent;
    }
  }

  function take(): Step | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (heap.length === 0 || !last) return first;
    heap[0] = last;
    for (let parent = 0; ; ) {
      let least = parent;
      for (const child of [2 * parent + 1, 2 * parent + 2])
        if (child < heap.length && isBefore(heap[child] as Step, heap[least] as Step)) least = child;
      if (least === parent) return first;
      swap(parent, least);
      parent = least;
    }
  }

  function swap(one: number, other: number): void {
    [heap[one], heap[other]] = [heap[other] as Step, heap[one] as Step];
  }

  return {
    now: () => now,
    start: (process, afterMs = 0) => put({ at: now + afterMs, order: order++, process }),
    async run() {
      for (let step = take(); step; step = take()) {
        now = step.at;
        const { value, done } = await step.process.next();
        if (!done) put({ at: Math.max(now, value), order: order++, process: step.process });
      }
    },
  };
}
