import * as z from "zod";

/** Where a run that was asked for on GitHub belongs. */
export const originSchema = z.object({
  installation: z.int(),
  repo: z.object({ id: z.int(), owner: z.string(), name: z.string() }),
  /** The issue, or the pull request, on which it was asked for. */
  issue: z.int(),
  title: z.string(),
  by: z.string(),
  /** Logins can be given up and taken by somebody else; ids can't. */
  byId: z.int(),
  /** When it was asked for, by GitHub's clock: what was said before that is about something else (T33). */
  at: z.iso.datetime().optional(),
  /** By what it was asked for, as `gestureOf` names it: the same words ask for no second run (T33). */
  gesture: z.string().optional(),
});
export type Origin = z.infer<typeof originSchema>;

/** Names of the labels that show the run's state, and of the one that approves; see `.github/loom.yml`. */
export const hostedLabelsSchema = z.object({
  approve: z.string(),
  planReview: z.string(),
  approved: z.string(),
  running: z.string(),
  needsHuman: z.string(),
  blocked: z.string(),
  done: z.string(),
});
export type HostedLabels = z.infer<typeof hostedLabelsSchema>;
