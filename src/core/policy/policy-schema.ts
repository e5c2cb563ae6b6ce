import * as z from "zod";
import { isId } from "../ids.ts";
import { DECISIONS } from "./policy.ts";

/** The shape of a rule file as people write it. Strict: a rule that is misspelled would be a rule that is not there. */

const MAX_ITEMS = 200;
const MAX_REASON = 300;
const MAX_PATTERN = 200;

const decision = z.enum(DECISIONS, {
  error: ({ input }) => (input === undefined ? "is missing" : "must be `deny`, `ask` or `allow`"),
});

const text = (longest: number) =>
  z
    .string({ error: ({ input }) => (input === undefined ? "is missing" : "must be a text") })
    .transform((value) => value.trim())
    .refine((value) => value !== "", { error: "must not be empty" })
    .refine((value) => !/[\r\n]/.test(value), { error: "must be one line" })
    .refine((value) => value.length <= longest, { error: `must not be longer than ${longest} characters` });

const list = <T extends z.ZodType>(item: T) =>
  z
    .array(item, { error: "must be a list" })
    .min(1, { error: "must have an item at least" })
    .max(MAX_ITEMS, { error: `must not have more than ${MAX_ITEMS} items` });

const command = text(MAX_PATTERN)
  .refine((value) => !/[;&|<>()`$"'\\]/.test(value), {
    error: "must be words and flags, without quotes and operators",
  })
  .refine((value) => !value.startsWith("-") && !value.startsWith("/"), {
    error: "must begin with the name of a program, without its folder",
  });

export const writtenRuleSchema = z.strictObject(
  {
    id: text(63).refine(isId, { error: "must be a name of small letters, digits and dashes" }),
    decision,
    reason: text(MAX_REASON),
    commands: list(command).optional(),
    arguments: list(text(MAX_PATTERN)).optional(),
    redirection: z.literal("to-file", { error: "must be `to-file`" }).optional(),
    here_document: z.literal(true, { error: "must be true" }).optional(),
  },
  { error: "must be a mapping that begins with `id:`" },
);

export type WrittenRule = z.infer<typeof writtenRuleSchema>;

export const writtenPolicySchema = z.strictObject(
  {
    version: z.literal([1, "1"], {
      error: ({ input }) => (input === undefined ? "is missing" : "must be 1"),
    }),
    otherwise: decision,
    rules: z
      .array(writtenRuleSchema, {
        error: ({ input }) => (input === undefined ? "is missing" : "must be a list"),
      })
      .max(MAX_ITEMS, { error: `must not have more than ${MAX_ITEMS} items` }),
  },
  { error: "must be a mapping that begins with `version: 1`" },
);
