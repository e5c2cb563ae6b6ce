/** A process that stood still has used up one of these, not all of them. */
const TICKS = 20;

/**
 * Rejects when the work takes longer; the work itself goes on, so it has to be safe to repeat. Only time in which this
 * process could have seen an answer counts: after it stood still, its timers fire before it reads what came meanwhile,
 * and a store would be blamed for a busy machine.
 */
export async function withinTime<T>(ms: number, who: string, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    let left = TICKS;
    const tick = (): void => {
      left -= 1;
      if (left > 0) timer = setTimeout(tick, ms / TICKS);
      else reject(new Error(`${who} did not answer within ${ms} ms`));
    };
    timer = setTimeout(tick, ms / TICKS);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
