export type Places = {
  /** True as soon as there is one; it is given back when `over` is aborted. False: that came first. */
  take(over: AbortSignal): Promise<boolean>;
};

/** So many places, given out in the order in which they are asked for. */
export function createPlaces(max: number): Places {
  const waiting = new Set<() => void>();
  let taken = 0;
  const giveBack = (): void => {
    const [next] = waiting;
    if (next) next();
    else taken -= 1;
  };
  return {
    take(over) {
      if (over.aborted) return Promise.resolve(false);
      if (taken < max) {
        taken += 1;
        over.addEventListener("abort", giveBack, { once: true });
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const leave = (): void => {
          waiting.delete(begin);
          resolve(false);
        };
        const begin = (): void => {
          waiting.delete(begin);
          over.removeEventListener("abort", leave);
          over.addEventListener("abort", giveBack, { once: true });
          resolve(true);
        };
        waiting.add(begin);
        over.addEventListener("abort", leave, { once: true });
      });
    },
  };
}
