import * as z from "zod";

/** Why nothing new starts. What may lift the pause follows from it, so it is kept as a code; report/ says it in words. */
export const pauseCauseSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("person"), by: z.string() }),
  z.object({ kind: z.literal("budget"), usd: z.number() }),
  /** GitHub lets the App work no longer. */
  z.object({ kind: z.literal("suspended") }),
]);
export type PauseCause = Readonly<z.infer<typeof pauseCauseSchema>>;

/** What somebody did on GitHub after the approval, so that it no longer counts. */
export const voidCauseSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("plan-moved"), from: z.string(), to: z.string() }),
  z.object({ kind: z.literal("label-removed"), label: z.string() }),
]);

/** Why an approval no longer counts; a plan that was changed, or that was changed for the worse, has events of its own. */
export type VoidCause =
  | Readonly<z.infer<typeof voidCauseSchema>>
  | { readonly kind: "amended" | "edit-refused"; readonly by: string };
