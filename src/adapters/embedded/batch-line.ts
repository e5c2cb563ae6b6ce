import { randomBytes } from "node:crypto";
import * as z from "zod";
import { messageOf } from "../../core/errors.ts";

export type Decoded<E> =
  | { readonly kind: "batch"; readonly events: readonly E[] }
  | { readonly kind: "damaged"; readonly reason: string };

/** A batch as a line of a ledger: a random mark, the version of its first event, the events. */
export type BatchLines<E> = {
  encode(v: number, events: readonly E[]): Buffer;
  decode(line: Buffer, expected: number): Decoded<E>;
};

export const NEWLINE = 0x0a;
/** So many bytes from its beginning tell a line from any other that may have stood in its place. */
export const MARK_BYTES = '{"m":"01234567"'.length;

export function createBatchLines<E>(schema: z.ZodType<E>): BatchLines<E> {
  const batchSchema = z.object({ m: z.string(), v: z.int().positive(), events: z.array(schema).min(1) });
  return {
    encode: (v, events) =>
      Buffer.from(`${JSON.stringify({ m: randomBytes(4).toString("hex"), v, events })}\n`),

    decode(line, expected) {
      try {
        const { v, events } = batchSchema.parse(JSON.parse(line.toString("utf8")));
        if (v !== expected)
          return { kind: "damaged", reason: `it begins with event ${v} instead of ${expected}` };
        return { kind: "batch", events };
      } catch (error) {
        return {
          kind: "damaged",
          reason: error instanceof z.ZodError ? z.prettifyError(error) : messageOf(error),
        };
      }
    },
  };
}
