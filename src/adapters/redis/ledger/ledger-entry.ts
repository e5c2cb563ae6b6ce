import * as z from "zod";
import { ForgedRecord, InternalError, messageOf, type UserError } from "../../../core/errors.ts";
import type { LedgerWords } from "../../../core/report/audit/ledger-words.ts";
import type { Ledger } from "../../../ports/ledger-store.ts";

/**
 * A batch as one entry of a stream. Its id is `<version of its first event>-<version of its last>`, so the top id alone
 * tells the version, and ids only grow. The fields: `m`, a random mark of the writer, and `e`, the events as JSON.
 */
export const entrySchema = z.tuple([z.string(), z.array(z.string())]);
export type Entry = z.infer<typeof entrySchema>;

export type LedgerEntries<E> = {
  /** Events that the ledger could not give back are a defect. */
  encode(events: readonly E[]): string;
  /** Entries that follow each other, the first of them directly behind version `from`. */
  decode(key: string, from: number, entries: readonly Entry[]): Ledger<E>;
};

export function createLedgerEntries<E>(schema: z.ZodType<E>, words: LedgerWords): LedgerEntries<E> {
  const eventsSchema = z.array(schema).min(1);

  function parseEvents(fields: readonly string[], damage: (reason: string) => UserError): E[] {
    const text = fields[fields.indexOf("e") + 1];
    try {
      return eventsSchema.parse(JSON.parse(text ?? ""));
    } catch (error) {
      throw damage(error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error));
    }
  }

  /** Redis keeps what it is given whole, so that somebody else has written here. */
  function damaged(key: string, id: string, reason: string): ForgedRecord {
    return new ForgedRecord(
      `The ledger is damaged, or was written by another version of Loom: ${key} in Redis, entry ${id}: ${reason}`,
      { next: `Put it back from a copy, or ${words.forget}` },
    );
  }

  return {
    encode(events) {
      const text = JSON.stringify(events);
      const parsed = eventsSchema.safeParse(JSON.parse(text));
      if (!parsed.success) {
        throw new InternalError(`events that can't be read back: ${z.prettifyError(parsed.error)}`);
      }
      return text;
    },

    decode(key, from, entries) {
      const events: E[] = [];
      for (const [id, fields] of entries) {
        const damage = (reason: string): UserError => damaged(key, id, reason);
        const [first, last] = id.split("-").map(Number) as [number, number];
        const expected = from + events.length + 1;
        if (first !== expected) throw damage(`it begins with event ${first} instead of ${expected}`);
        const batch = parseEvents(fields, damage);
        if (batch.length !== last - first + 1) throw damage(`it holds ${batch.length} events`);
        for (const event of batch) events.push(event);
      }
      return { version: from + events.length, events };
    },
  };
}
