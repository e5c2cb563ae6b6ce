import type { Unwatch } from "../../ports/ledger-store.ts";
import { watchLedger } from "./watch-ledger.ts";

/** Whoever wants to know of changes of a ledger shares one watch with all others of this process: each looks at the file. */
export type LedgerWatches = {
  watch(path: string, onChange: () => void): Unwatch;
  close(): void;
};

type Shared = { readonly listeners: Set<() => void>; readonly unwatch: Unwatch };

export function createLedgerWatches(): LedgerWatches {
  const watches = new Map<string, Shared>();

  function open(path: string): Shared {
    const listeners = new Set<() => void>();
    const unwatch = watchLedger(path, () => {
      // One of them may stop another.
      for (const listener of [...listeners]) if (listeners.has(listener)) listener();
    });
    const shared = { listeners, unwatch };
    watches.set(path, shared);
    return shared;
  }

  function leave(path: string): void {
    const shared = watches.get(path);
    watches.delete(path);
    shared?.listeners.clear();
    shared?.unwatch();
  }

  return {
    watch(path, onChange) {
      const shared = watches.get(path) ?? open(path);
      // The same function may listen twice, and stop once.
      const listener = (): void => onChange();
      shared.listeners.add(listener);
      return () => {
        shared.listeners.delete(listener);
        if (shared.listeners.size === 0 && watches.get(path) === shared) leave(path);
      };
    },
    close() {
      for (const path of [...watches.keys()]) leave(path);
    },
  };
}
