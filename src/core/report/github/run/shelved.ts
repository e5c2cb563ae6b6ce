import * as z from "zod";

/** What is remembered of things said to people. Damaged, it counts as forgotten: forgetting is no loss. */

/** The outcome of one command. */
export type Reply = { readonly ok: boolean; readonly text: string };

/** What a surface showed last, and the id under which GitHub keeps it. */
export type Shown = { readonly id: number | null; readonly text: string };

const replySchema: z.ZodType<Reply> = z.object({ ok: z.boolean(), text: z.string() });
const shownSchema: z.ZodType<Shown> = z.object({ id: z.int().nullable(), text: z.string() });

export function readReply(json: string | null): Reply | null {
  return read(replySchema, json);
}

export function readShown(json: string | null): Shown | null {
  return read(shownSchema, json);
}

function read<T>(schema: z.ZodType<T>, json: string | null): T | null {
  if (json === null) return null;
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
