import { InternalError, UserError } from "../core/errors.ts";
import type { RunId } from "../core/ids.ts";
import type { RunEvent } from "../core/run/events.ts";
import { evolve } from "../core/run/evolve.ts";
import type { Run } from "../core/run/run.ts";
import type { Feed } from "../ports/feed.ts";
import type { RunStore } from "../ports/run-store.ts";

/**
 * The engine's view of the ledgers: loads a run by folding only what is new, and appends by compare-and-append, asking
 * again with the newer run when another writer was faster. Every event reaches the feed exactly once and in order,
 * whichever process wrote it.
 */
export interface LedgerBook {
  /** null when there is no such run. */
  load(run: RunId): Promise<Run | null>;
  /** Throws when there is no such run. */
  get(run: RunId): Promise<Run>;
  create(run: RunId, events: readonly RunEvent[]): Promise<Run | null>;
  /**
   * Appends what `events` makes of the newest run; it may be asked several times. An empty list writes nothing; null
   * means that the writer's reason is gone, and is handed back.
   */
  write(run: RunId, events: (run: Run) => readonly RunEvent[] | null): Promise<Run | null>;
  forget(run: RunId): void;
}

const PATIENCE = 100;

export type Clean = (event: RunEvent) => RunEvent;

/** `clean` takes out of an event what must not be written down; what is folded here is what others will read. */
export function createLedgerBook(store: RunStore, feed: Feed, clean: Clean = (event) => event): LedgerBook {
  const known = new Map<RunId, Run>();
  const lastWrites = new Map<RunId, Promise<unknown>>();

  async function load(id: RunId): Promise<Run | null> {
    const before = known.get(id) ?? null;
    const ledger = await store.loadSince(id, before?.version ?? 0);
    const current = known.get(id) ?? null;
    if (before && (!current || ledger.version < before.version)) {
      // The run was removed meanwhile, and perhaps started anew: what was known is another run's past.
      if (current === before) known.delete(id);
      return load(id);
    }
    // Another load may have finished meanwhile; only events behind what is known now are news.
    return take(id, ledger.version - ledger.events.length, ledger.events);
  }

  async function get(id: RunId): Promise<Run> {
    const run = await load(id);
    if (!run)
      throw new UserError(`There is no run ${id}.`, {
        next: "`loom runs` lists the runs of this repository.",
      });
    return run;
  }

  async function compareAndAppend(
    id: RunId,
    events: (run: Run) => readonly RunEvent[] | null,
  ): Promise<Run | null> {
    for (let attempt = 0; attempt < PATIENCE; attempt += 1) {
      const run = await get(id);
      const news = events(run)?.map(clean) ?? null;
      if (!news) return null;
      if (news.length === 0) return run;
      // Folding first: an illegal move must not reach the ledger.
      evolve(run, news);
      const outcome = await store.append(id, run.version, news);
      if (outcome.kind === "appended") return take(id, run.version, news);
    }
    throw new InternalError(`failed to append to run ${id}: other writers were faster ${PATIENCE} times`);
  }

  function take(id: RunId, from: number, events: readonly RunEvent[]): Run | null {
    const current = known.get(id) ?? null;
    const news = events.slice((current?.version ?? 0) - from);
    const run = evolve(current, news);
    if (!run) return null;
    known.set(id, run);
    for (const event of news) feed({ kind: "event", event, run });
    return run;
  }

  return {
    load,
    get,
    async create(id, events) {
      const outcome = await store.append(id, 0, events);
      return outcome.kind === "appended" ? take(id, 0, events) : null;
    },
    write(id, events) {
      // Writers of this process queue up: of hundreds that tried at once, the last would lose hundreds of times.
      const written = (lastWrites.get(id) ?? Promise.resolve()).then(() => compareAndAppend(id, events));
      lastWrites.set(
        id,
        written.catch(() => {}),
      );
      return written;
    },
    forget(id) {
      known.delete(id);
    },
  };
}
