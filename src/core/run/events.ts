import * as z from "zod";
import { runSettingsSchema } from "../config/run-settings.ts";
import { mergePolicySchema } from "../merge/merge-policy.ts";
import { pauseCauseSchema, voidCauseSchema } from "./causes.ts";
import { hostedLabelsSchema, originSchema } from "./origin.ts";
import { stageEvents } from "./stage-events.ts";

/**
 * The ledger's vocabulary: the only truth about a run. Events say what happened, never what should happen; `decide`
 * reads them all and says what is due. An intent stands before every write to the outside, its outcome behind it.
 *
 * Unknown fields are passed over, so that a ledger written by a newer Loom still loads; a field added later is
 * optional, so that an older ledger does.
 */

const at = z.iso.datetime();
const sha = z.string();

const runCreated = z.object({
  type: z.literal("run-created"),
  at,
  run: z.string(),
  /** Counts how often this plan was started over with --clean. */
  generation: z.int().nonnegative(),
  planPath: z.string(),
  /** The approved bytes: what runs and what is checked comes from here, never from an agent's tree (T28). */
  planText: z.string(),
  target: z.string(),
  base: sha,
  /** The synthesised gate, fixed before any agent ran; null when the plan brings its own. */
  gate: z.array(z.string()).nullable(),
  settings: runSettingsSchema,
  /** Checks of the repository that every stage has to pass besides those of the plan. */
  alsoGate: z.array(z.string()).optional(),
  /** Paths that no agent may change, besides the built-in ones. */
  protect: z.array(z.string()).optional(),
  origin: originSchema.nullable().optional(),
  merge: mergePolicySchema.optional(),
  /** Nothing starts before somebody has approved the plan. */
  needsApproval: z.boolean().optional(),
  /** The least role that may approve. */
  approverRole: z.string().optional(),
  labels: hostedLabelsSchema.optional(),
  /** Whether the run is shown in a comment on its issue. */
  showsPanel: z.boolean().optional(),
  /** What else came of planning, when an agent wrote the plan. */
  planning: z
    .object({
      /** null: it was planned by somebody else than the one who runs it. */
      task: z.string().nullable(),
      design: z.string().nullable(),
      /** What Loom let pass in the design: it holds as long as the design does. */
      designNotes: z.array(z.string()).readonly().optional(),
      notes: z.array(z.string()).readonly(),
    })
    .nullable()
    .optional(),
});

const events = [
  runCreated,
  ...stageEvents,
  z.object({ type: z.literal("run-resumed"), at, by: z.string() }),
  z.object({ type: z.literal("run-stalled"), at, explanation: z.string() }),
  z.object({ type: z.literal("cancel-requested"), at, by: z.string() }),
  z.object({
    type: z.literal("run-finished"),
    at,
    status: z.enum(["completed", "failed", "blocked", "cancelled"]),
  }),
  z.object({ type: z.literal("run-recorded"), at, commit: sha }),
  /** A name for people; the plan brings none. */
  z.object({ type: z.literal("run-named"), at, name: z.string() }),
  /** The plan is open as a pull request; a later one replaces it. */
  z.object({
    type: z.literal("plan-offered"),
    at,
    pr: z.int(),
    head: sha,
    blob: sha,
    /** Since when people can see it, by GitHub's clock; absent: `at`. */
    since: at.optional(),
  }),
  /**
   * The run goes on with another plan. Whoever works on a stage that is gone, or says something else now, has lost it.
   * Written before the plan's branch is changed, unless a push to that branch is what changed it.
   */
  z.object({
    type: z.literal("plan-amended"),
    at,
    by: z.string(),
    via: z.enum(["command", "push"]),
    /** Names the request, so that a second try is known as such. */
    key: z.string().optional(),
    /** What Loom fixed in the planner's draft, or let pass; absent: no planner wrote this plan. */
    notes: z.array(z.string()).optional(),
    planText: z.string(),
    /** Where somebody pushed it. */
    head: sha.nullable(),
    blob: sha.nullable(),
    /** The synthesised gate, where the plan before brought its own. */
    gate: z.array(z.string()).optional(),
    /** What the plan's wishes come to in this repository, where they changed. */
    maxParallel: z.int().positive().optional(),
    budgetUsd: z.number().positive().nullable().optional(),
  }),
  /** Somebody pushed a plan that the run can't go on with; it can't be approved as it stands there. */
  z.object({
    type: z.literal("plan-edit-refused"),
    at,
    by: z.string(),
    head: sha,
    blob: sha.nullable(),
    problems: z.array(z.string()),
  }),
  /** Bound to the commit and the plan that were approved, and to what the approver was allowed at that moment (T4, T5). */
  z.object({
    type: z.literal("run-approved"),
    at,
    by: z.string(),
    byId: z.int().optional(),
    role: z.string(),
    head: sha,
    blob: sha,
    via: z.enum(["label", "command", "button", "express"]),
    /** What they did, as `gestureOf` names it: it counts once, however often it is told (T33). */
    gesture: z.string().optional(),
  }),
  z.object({ type: z.literal("approval-voided"), at, cause: voidCauseSchema }),
  z.object({ type: z.literal("run-paused"), at, cause: pauseCauseSchema }),
  z.object({ type: z.literal("run-unpaused"), at, by: z.string() }),
  /** A command was acted on, or refused; it does not count again, whoever brings it (T33). Written with what came of it. */
  z.object({ type: z.literal("command-heard"), at, gesture: z.string(), refused: z.boolean() }),
  z.object({ type: z.literal("panel-posted"), at, comment: z.int() }),
  z.object({ type: z.literal("run-archived"), at, by: z.string() }),
] as const;

export const runEventSchema = z.discriminatedUnion("type", events);
export type RunEvent = z.infer<typeof runEventSchema>;
export type RunCreated = z.infer<typeof runCreated>;
export type RunEventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
