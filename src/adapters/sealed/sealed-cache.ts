import type { Cache } from "../../ports/cache.ts";
import type { Seal } from "../../ports/seal.ts";

/**
 * Notes that only Loom can write (T32): among them are where a repository is, what was answered to a command and which
 * check run shows what. What others wrote counts as forgotten, which nothing in a cache is worth more than.
 */
export type SealedCache = {
  readonly cache: Cache;
  readonly seal: Seal;
  /** Separates repositories that share a store. */
  readonly scope: string;
  /** Told of each note that does not count. */
  readonly onForged: (key: string) => void;
};

export function createSealedCache({ cache, seal, scope, onForged }: SealedCache): Cache {
  /** A signature has no blanks. */
  function open(key: string, stored: string): string | null {
    const at = stored.indexOf(" ");
    const value = stored.slice(at + 1);
    if (at !== -1 && seal.isSigned([scope, key, value], stored.slice(0, at))) return value;
    onForged(key);
    return null;
  }

  return {
    ...cache,
    async get(key) {
      const stored = await cache.get(key);
      return stored === null ? null : open(key, stored);
    },
    set: (key, value, options) => cache.set(key, `${seal.sign([scope, key, value])} ${value}`, options),
    async list(prefix) {
      const entries = new Map<string, string>();
      for (const [key, stored] of await cache.list(prefix)) {
        const value = open(key, stored);
        if (value !== null) entries.set(key, value);
      }
      return entries;
    },
  };
}
