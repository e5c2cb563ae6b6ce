import type { Repository } from "./types.ts";

const turns = new WeakMap<Repository, Promise<unknown>>();

/**
 * One after another per repository. Merging, pushing and queueing read git, think, and write: two at once could both
 * see the old base. Never call it from inside a turn: it would wait for itself.
 */
export function inTurn<T>(repository: Repository, work: () => Promise<T>): Promise<T> {
  const before = turns.get(repository) ?? Promise.resolve();
  const mine = before.then(work, work);
  turns.set(
    repository,
    mine.catch(() => undefined),
  );
  return mine;
}
