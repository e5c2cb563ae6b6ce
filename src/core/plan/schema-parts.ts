import * as z from "zod";

/** What the shapes of a plan's fields are made of. Every message goes on after the name of the field: "`retries` must be …". */

export const WEEK = 7 * 24 * 3600;

/** YAML reads `1`, `true` and `1.5` as other things than text; where text is wanted, they are meant as text. */
export const text = z.preprocess(
  (value) => (typeof value === "number" || typeof value === "boolean" ? String(value) : value),
  z.string({ error: ({ input }) => (input === undefined ? "is missing" : "must be a text") }),
);
export const filled = text.refine((value) => value.trim() !== "", { error: "must not be empty" });
export const flag = z.boolean({ error: "must be true or false" });
export const count = (least: number, most: number) =>
  z
    .int({ error: "must be a whole number" })
    .min(least, { error: `must be at least ${least}` })
    .max(most, { error: `must be at most ${most}` });
export const amount = (what: string) =>
  z.number({ error: "must be a number" }).positive({ error: `must be ${what} above 0` });
export const seconds = amount("a number of seconds").max(WEEK, {
  error: "must be a week (604800 seconds) at most",
});

/** One item may stand without the list around it. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item, { error: "must be a list" }),
  );
}
