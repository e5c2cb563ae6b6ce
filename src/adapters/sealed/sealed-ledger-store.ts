import * as z from "zod";
import { DamagedRecord, ForgedRecord, InternalError, UserError } from "../../core/errors.ts";
import type { LedgerWords } from "../../core/report/audit/ledger-words.ts";
import { type SealProblem, type SealRule, sealTexts } from "../../core/report/audit/seal-texts.ts";
import type { Ledger, LedgerStore } from "../../ports/ledger-store.ts";
import type { Seal } from "../../ports/seal.ts";
import { createLedgerEnds, type End } from "./ledger-ends.ts";

/**
 * A ledger that only Loom can write, in a store where others may write too (T32). Each event carries a signature over
 * itself, its ledger, its version and the signature of the event before: nothing can be changed, moved, put in between or
 * taken out without breaking all that follows. It also says how many events were written together with it and follow, so
 * that a batch can't be cut in its middle.
 *
 * What this does not see is a ledger that was cut back to an earlier end: that was its true end once. What is known of a
 * longer one, by a process or by the signed copy in git, is held against it elsewhere.
 *
 * The same events have the same signatures. So a ledger that came back from its copy is the one that it was, and a
 * process that remembers its end goes on from there. A reader that knows the end of another past is told version 0, as
 * if the ledger had begun anew: whoever goes on from what it remembers would mix two pasts.
 */
export type SealedLedgers<E> = {
  /** Keeps what it is given, whatever that is. */
  readonly store: LedgerStore<unknown>;
  readonly schema: z.ZodType<E>;
  /** Of a key for ledgers of this kind alone. */
  readonly seal: Seal;
  /** Separates repositories that share a store. */
  readonly scope: string;
  readonly words: LedgerWords;
  /** Told of each refusal. */
  readonly onForged: (refused: ForgedRecord, rule: SealRule, id: string) => void;
};

/** `s`: signature. `b`: how many events of its batch follow. `e`: the event. */
const storedSchema = z.object({
  s: z.string(),
  b: z.int().nonnegative(),
  e: z.unknown().refine((event) => event !== undefined),
});

/** Before the first event. */
const BEGINNING: End = { version: 0, signature: "" };

export function createSealedLedgerStore<E>(options: SealedLedgers<E>): LedgerStore<E> {
  const { store, schema, seal, scope, words } = options;
  const ends = createLedgerEnds();

  function partsOf(id: string, version: number, before: string, follow: number, text: string): string[] {
    return [scope, id, String(version), before, String(follow), text];
  }

  function refuse(id: string, version: number, problem: SealProblem): ForgedRecord {
    const refused = sealTexts.ledger(words, id, version, problem);
    options.onForged(refused, problem.kind, id);
    return refused;
  }

  /** The events behind `from`, checked one by one. */
  function open(id: string, from: End, stored: readonly unknown[]): Ledger<E> {
    const events: E[] = [];
    let { version, signature } = from;
    let follow = 0;
    for (const one of stored) {
      version += 1;
      const read = storedSchema.safeParse(one);
      if (!read.success) throw refuse(id, version, { kind: "unsigned" });
      const { s, b, e } = read.data;
      if (!seal.isSigned(partsOf(id, version, signature, b, JSON.stringify(e)), s))
        throw refuse(id, version, { kind: "forged" });
      events.push(readEvent(id, version, e));
      signature = s;
      follow = b;
    }
    if (follow > 0) throw refuse(id, version, { kind: "cut" });
    // Anybody can ask for a ledger that was never begun, by the name of a branch: that leaves nothing behind.
    if (version === 0) ends.forget(id);
    else ends.keep(id, { version, signature });
    return { version, events };
  }

  function readEvent(id: string, version: number, event: unknown): E {
    const parsed = schema.safeParse(event);
    if (parsed.success) return parsed.data;
    throw new UserError(
      `The ledger of ${words.one} ${id} was written by another version of Loom: event ${version}: ${z.prettifyError(parsed.error)}`,
      { next: `Run the version that wrote it, or ${words.forget}` },
    );
  }

  /** What can't even be read is not Loom's either: one such ledger must not hold up all others. */
  async function loadRaw(id: string, since: number): Promise<Ledger<unknown>> {
    return store.loadSince(id, since).catch((error: unknown) => {
      if (!(error instanceof DamagedRecord || error instanceof ForgedRecord)) throw error;
      options.onForged(new ForgedRecord(error.message, { next: error.next ?? "" }), "unreadable", id);
      throw sealTexts.unreadable(words, id, error);
    });
  }

  async function loadSince(id: string, since: number): Promise<Ledger<E>> {
    if (since === 0) return open(id, BEGINNING, (await loadRaw(id, 0)).events);
    // With the event before what is asked for: what follows is signed together with its signature.
    const { version, events } = await loadRaw(id, since - 1);
    if (version < since) return { version, events: [] };
    const last = storedSchema.safeParse(events[0]);
    const known = ends.signatureAt(id, since);
    if (!last.success || (known !== null && known !== last.data.s)) {
      ends.forget(id);
      return { version: 0, events: [] };
    }
    return open(id, { version: since, signature: last.data.s }, events.slice(1));
  }

  /** null when the ledger does not end there. */
  async function endAt(id: string, version: number): Promise<string | null> {
    if (version === 0) return BEGINNING.signature;
    const known = ends.newest(id);
    if (known?.version === version) return known.signature;
    // It has grown since the caller looked, as when somebody of this process read on in between: no reason to read it all.
    if (known && known.version > version) return null;
    await loadSince(id, 0);
    const end = ends.newest(id);
    return end?.version === version ? end.signature : null;
  }

  function sealed(id: string, from: End, events: readonly E[]): { stored: unknown[]; end: End } {
    let { version, signature } = from;
    const stored = events.map((event, n) => {
      const text = JSON.stringify(event);
      const e: unknown = JSON.parse(text);
      const parsed = schema.safeParse(e);
      if (!parsed.success)
        throw new InternalError(`events that can't be read back: ${z.prettifyError(parsed.error)}`);
      version += 1;
      const b = events.length - n - 1;
      signature = seal.sign(partsOf(id, version, signature, b, text));
      return { s: signature, b, e };
    });
    return { stored, end: { version, signature } };
  }

  return {
    ...store,
    load: (id) => loadSince(id, 0),
    loadSince,

    async append(id, expectedVersion, events) {
      if (events.length === 0) return store.append(id, expectedVersion, []);
      const signature = await endAt(id, expectedVersion);
      if (signature === null) return { kind: "conflict", version: ends.newest(id)?.version ?? 0 };
      const { stored, end } = sealed(id, { version: expectedVersion, signature }, events);
      const outcome = await store.append(id, expectedVersion, stored);
      if (outcome.kind === "appended") ends.keep(id, end);
      return outcome;
    },

    async remove(id) {
      ends.forget(id);
      await store.remove(id);
    },
  };
}
