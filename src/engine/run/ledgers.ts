import { InternalError } from "../../core/errors.ts";
import type { LedgerStore } from "../../ports/ledger-store.ts";

/**
 * The engine's view of ledgers of one kind: loads what they amount to by folding only what is new, and appends by
 * compare-and-append, asking again with the newer state when another writer was faster. Every event reaches `onEvent`
 * exactly once and in order, whichever process wrote it.
 */
export interface Ledgers<E, S> {
  /** null when there is no such ledger. */
  load(id: string): Promise<S | null>;
  /** What is known of it without a look at the store: for what can't change any more. */
  peek(id: string): S | null;
  /** Throws when there is no such ledger. */
  get(id: string): Promise<S>;
  /** null when somebody else has begun it before. */
  create(id: string, events: readonly E[]): Promise<S | null>;
  /**
   * Appends what `events` makes of the newest state; it may be asked several times. An empty list writes nothing; null
   * means that the writer's reason is gone, and is handed back.
   */
  write(id: string, events: (state: S) => readonly E[] | null): Promise<S | null>;
  forget(id: string): void;
}

export type LedgersOptions<E, S> = {
  readonly store: LedgerStore<E>;
  /** A pure fold that leaves the given state as it was. Throws when an event does not fit. */
  readonly evolve: (state: S | null, events: readonly E[]) => S | null;
  readonly onEvent: (event: E, state: S) => void;
  /** Takes out of an event what must not be written down; what is folded here is what others will read. */
  readonly clean: (event: E) => E;
  /** Told of a ledger that is there, but shorter than it was: it lost its end, or began anew. */
  readonly onShorter?: (id: string) => void;
  /** What is thrown for an id that no ledger has. */
  readonly unknown: (id: string) => Error;
};

const PATIENCE = 100;

export function createLedgers<E, S extends { readonly version: number }>(
  options: LedgersOptions<E, S>,
): Ledgers<E, S> {
  const { store, evolve, onEvent, clean, unknown } = options;
  const known = new Map<string, S>();
  const lastWrites = new Map<string, Promise<unknown>>();
  /** How long ledgers were that are gone. One that is back, but shorter, was cut: somebody took it away in between. */
  const gone = new Map<string, number>();

  async function load(id: string): Promise<S | null> {
    const before = known.get(id) ?? null;
    const ledger = await store.loadSince(id, before?.version ?? 0);
    const current = known.get(id) ?? null;
    if (before && (!current || ledger.version < before.version)) {
      // It was removed meanwhile, and perhaps begun anew: what was known is another one's past.
      if (current === before) known.delete(id);
      gone.set(id, Math.max(before.version, gone.get(id) ?? 0));
      return load(id);
    }
    if (ledger.version > 0) {
      if (ledger.version < (gone.get(id) ?? 0)) options.onShorter?.(id);
      gone.delete(id);
    }
    // Another load may have finished meanwhile; only events behind what is known now are news.
    return take(id, ledger.version - ledger.events.length, ledger.events);
  }

  async function get(id: string): Promise<S> {
    const state = await load(id);
    if (!state) throw unknown(id);
    return state;
  }

  async function compareAndAppend(id: string, events: (state: S) => readonly E[] | null): Promise<S | null> {
    for (let attempt = 0; attempt < PATIENCE; attempt += 1) {
      const state = await get(id);
      const news = events(state)?.map(clean) ?? null;
      if (!news) return null;
      if (news.length === 0) return state;
      // Folding first: an illegal move must not reach the ledger.
      const next = evolve(state, news);
      const outcome = await store.append(id, state.version, news);
      if (outcome.kind !== "appended") continue;
      return next && known.get(id) === state ? keep(id, next, news) : take(id, state.version, news);
    }
    throw new InternalError(`failed to append to ${id}: other writers were faster ${PATIENCE} times`);
  }

  function take(id: string, from: number, events: readonly E[]): S | null {
    const current = known.get(id) ?? null;
    const news = events.slice((current?.version ?? 0) - from);
    const state = evolve(current, news);
    return state && keep(id, state, news);
  }

  function keep(id: string, state: S, news: readonly E[]): S {
    known.set(id, state);
    for (const event of news) onEvent(event, state);
    return state;
  }

  return {
    load,
    get,
    peek: (id) => known.get(id) ?? null,
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
      gone.delete(id);
    },
  };
}
