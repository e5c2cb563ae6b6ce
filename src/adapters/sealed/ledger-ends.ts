/** Where a ledger ended, and the signature of its last event. */
export type End = { readonly version: number; readonly signature: string };

/** Where ledgers ended when they were read or written here. */
export type LedgerEnds = {
  /** Where it ended the last time. */
  newest(id: string): End | null;
  /** What its event of this version was signed with, when it ended there; null: not known. */
  signatureAt(id: string, version: number): string | null;
  keep(id: string, end: End): void;
  forget(id: string): void;
};

/**
 * A run takes some hundred bytes here and far more where its state is kept, so these are few megabytes, and for more runs than
 * any repository is likely to have. What is left out costs one more read of its ledger when something is written to it.
 */
export const MAX_LEDGERS = 10_000;

/**
 * Who remembers a ledger stands where it ended some reads ago: others of the same process, which look how far it was told or
 * copied, may have read on since.
 */
const ENDS_OF_ONE = 8;

/** Those that were left alone for the longest go first. */
export function createLedgerEnds(max = MAX_LEDGERS): LedgerEnds {
  const ledgers = new Map<string, { newest: End; readonly signatures: Map<number, string> }>();
  return {
    newest: (id) => ledgers.get(id)?.newest ?? null,
    signatureAt: (id, version) => ledgers.get(id)?.signatures.get(version) ?? null,
    keep(id, end) {
      const ledger = ledgers.get(id) ?? { newest: end, signatures: new Map() };
      ledger.newest = end;
      moveToEnd(ledger.signatures, end.version, end.signature, ENDS_OF_ONE);
      moveToEnd(ledgers, id, ledger, max);
    },
    forget(id) {
      ledgers.delete(id);
    },
  };
}

/** A map keeps the order of insertion, so its first key is the one that was set the longest ago. */
function moveToEnd<K, V>(map: Map<K, V>, key: K, value: V, max: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= max) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
