const queues = new Map<string, Promise<unknown>>();

/** One after the other for the same key, in the order of the calls, whatever becomes of the ones before. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const turn = (queues.get(key) ?? Promise.resolve()).then(work);
  const done = turn.catch(() => undefined);
  queues.set(key, done);
  try {
    return await turn;
  } finally {
    if (queues.get(key) === done) queues.delete(key);
  }
}
