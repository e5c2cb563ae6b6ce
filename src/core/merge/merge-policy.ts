import * as z from "zod";

/** How finished stages get into the target; see `merge` in `.github/loom.yml`. */
export const mergePolicySchema = z.object({
  /** `review`: people merge, and stages stack on what is proved. `auto`: Loom merges, and stages start from what is merged. */
  mode: z.enum(["review", "auto"]),
  method: z.enum(["squash", "merge", "rebase"]).nullable(),
  stack: z.enum(["auto", "chained", "native"]),
  deleteBranches: z.boolean(),
});
export type MergePolicy = z.infer<typeof mergePolicySchema>;

/** Of a run without GitHub. */
export const LOCAL_MERGE: MergePolicy = {
  mode: "auto",
  method: null,
  stack: "chained",
  deleteBranches: true,
};
