import type { Reply } from "./send.ts";

/** Answers to keep for conditional requests, which cost nothing when nothing changed. */
export type Etags = {
  get(key: string): { readonly etag: string; readonly reply: Reply } | null;
  keep(key: string, reply: Reply): void;
};

/** One store for all, of which those who ask as somebody else see nothing. The least used goes first. */
export function createEtags(max = 1000): { of(who: string): Etags } {
  const kept = new Map<string, { etag: string; reply: Reply }>();
  return {
    of: (who) => ({
      get(key) {
        const entry = kept.get(`${who} ${key}`);
        if (!entry) return null;
        kept.delete(`${who} ${key}`);
        kept.set(`${who} ${key}`, entry);
        return entry;
      },
      keep(key, reply) {
        const { etag } = reply.headers;
        kept.delete(`${who} ${key}`);
        if (reply.status !== 200 || etag === undefined) return;
        kept.set(`${who} ${key}`, { etag, reply });
        const [oldest] = kept.keys();
        if (kept.size > max && oldest !== undefined) kept.delete(oldest);
      },
    }),
  };
}
