import { randomBytes } from "node:crypto";
import { z } from "zod";
import { messageOf } from "../../core/errors.ts";
import { type RunEvent, runEventSchema } from "../../core/run/events.ts";

/** A batch as a line of a ledger: a random mark, the version of its first event, the events. */
const batchSchema = z.object({
  m: z.string(),
  v: z.int().positive(),
  events: z.array(runEventSchema).min(1),
});

export type Decoded =
  | { readonly kind: "batch"; readonly events: readonly RunEvent[] }
  | { readonly kind: "damaged"; readonly reason: string };

export const NEWLINE = 0x0a;
/** So many bytes from its beginning tell a line from any other that may have stood in its place. */
export const MARK_BYTES = '{"m":"01234567"'.length;

export function encodeBatch(v: number, events: readonly RunEvent[]): Buffer {
  return Buffer.from(`${JSON.stringify({ m: randomBytes(4).toString("hex"), v, events })}\n`);
}

export function decodeBatch(line: Buffer, expected: number): Decoded {
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
}
