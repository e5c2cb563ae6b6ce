import { InternalError } from "../errors.ts";
import type { Millis } from "../ids.ts";

export type Available = {
  readonly harness: string;
  /** null: it can be used now; else when its quota is back. */
  readonly until: Millis | null;
};

/** The first whose quota is not used up; when all are, the one that is free first. `order` names one at least. */
export function chooseAvailable(
  order: readonly string[],
  exhausted: ReadonlyMap<string, Millis>,
  now: Millis,
): Available {
  const all = order.map((harness) => {
    const until = exhausted.get(harness);
    return { harness, until: until === undefined || until <= now ? null : until };
  });
  const free = all.find(({ until }) => until === null);
  const [soonest] = all.toSorted((a, b) => (a.until ?? 0) - (b.until ?? 0));
  const chosen = free ?? soonest;
  if (!chosen) throw new InternalError("no harness to choose from");
  return chosen;
}
