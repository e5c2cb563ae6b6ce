import type { Reply } from "./send.ts";

/** Answers to keep for conditional requests, which cost nothing when nothing changed. */
export type Etags = {
  get(key: string): Known | null;
  keep(key: string, reply: Reply): void;
};

export type Known = { readonly etag: string; reply(): Reply };

/**
 * GitHub tells a pull request in some 20 KB and up to 64 KB that anybody wrote, and a list has a hundred of them: a number of
 * answers alone is no bound. This is room for more than a thousand pull requests; a character takes one byte, or two where
 * not all of the answer is Latin.
 */
export const MAX_CHARS = 32 * 2 ** 20;

/**
 * One store for all, of which those who ask as somebody else see nothing. The least used goes first. Answers are kept as
 * text, whose size is known: as objects they take several times as much.
 */
export function createEtags(maxChars = MAX_CHARS): { of(who: string): Etags } {
  const kept = new Map<string, { readonly etag: string; readonly text: string }>();
  let chars = 0;

  function drop(key: string): void {
    const entry = kept.get(key);
    if (!entry) return;
    kept.delete(key);
    chars -= key.length + entry.text.length;
  }

  function put(key: string, entry: { readonly etag: string; readonly text: string }): void {
    kept.set(key, entry);
    chars += key.length + entry.text.length;
    for (const oldest of kept.keys()) {
      if (chars <= maxChars) return;
      drop(oldest);
    }
  }

  return {
    of: (who) => ({
      get(key) {
        const entry = kept.get(`${who} ${key}`);
        if (!entry) return null;
        drop(`${who} ${key}`);
        put(`${who} ${key}`, entry);
        return { etag: entry.etag, reply: () => JSON.parse(entry.text) as Reply };
      },
      keep(key, reply) {
        const { etag } = reply.headers;
        drop(`${who} ${key}`);
        if (reply.status !== 200 || etag === undefined) return;
        const text = JSON.stringify(reply);
        // It would take the place of all others.
        if (text.length <= maxChars / 2) put(`${who} ${key}`, { etag, text });
      },
    }),
  };
}
