import * as z from "zod";
import type { DatedFailure } from "../failure/retry-policy.ts";

/** What of its means a task has used up, with all settings and options that people can raise; report/ says it in words. */
const spentSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("budget"),
    usd: z.number(),
    /** Tokens whose price nobody named count. */
    isGuess: z.boolean(),
    /** What each session that was cut off counts besides; null: none was. */
    cutOffUsd: z.number().nullable(),
    limits: z.array(z.string()).readonly(),
  }),
  z.object({ kind: z.literal("time"), secs: z.number(), limits: z.array(z.string()).readonly() }),
]);
export type Spent = Readonly<z.infer<typeof spentSchema>>;

/** Why there is no sound plan. */
export const degradeCauseSchema = z.discriminatedUnion("kind", [
  /** No draft held; `problems` counts what was wrong with the last one, `first` is the first of it. */
  z.object({
    kind: z.literal("drafts"),
    drafts: z.int(),
    problems: z.int(),
    first: z.string().nullable(),
  }),
  /** So many sessions failed, the last one for this reason. */
  z.object({ kind: z.literal("failures"), times: z.int(), reason: z.string() }),
  z.object({ kind: z.literal("limit"), spent: spentSchema }),
]);
export type DegradeCause = Readonly<z.infer<typeof degradeCauseSchema>>;

/** Why nothing comes of a task. */
export type GiveUpCause =
  /** `failure`: of the last session. */
  | { readonly kind: "failed"; readonly failure: DatedFailure | null }
  | { readonly kind: "limit"; readonly spent: Spent }
  | { readonly kind: "too-often"; readonly sessions: number };
