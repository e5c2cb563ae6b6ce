import { z } from "zod";
import type { Verdict } from "../verify/verdict.ts";

/**
 * The ledger's vocabulary: the only truth about a run. Events say what happened, never what should happen; `decide`
 * reads them all and says what is due. An intent stands before every write to the outside, its outcome behind it.
 *
 * Unknown fields are passed over, so that a ledger written by a newer Loom still loads; a field added later needs a
 * default, so that an older ledger does.
 */

const at = z.iso.datetime();
const stage = z.string();
const attempt = z.int().positive();
const sha = z.string();

export const failureSchema = z.object({
  kind: z.enum([
    "agent-failed",
    "no-change",
    "checks-failed",
    "refused",
    "timeout",
    "stalled",
    "crashed",
    "transient",
    "setup-failed",
    "precondition-failed",
    "conflict-unresolved",
    "merge-blocked",
    "target-rewound",
    "infrastructure",
    "harness-missing",
    "quarantined",
    "dependency",
    "cancelled",
  ]),
  message: z.string(),
  evidence: z.string().nullable(),
});

const evidenceSchema = z.object({
  command: z.string().nullable(),
  exitCode: z.number().nullable(),
  durationMs: z.number().nullable(),
  timedOut: z.boolean(),
  output: z.string(),
  cutBytes: z.number(),
});

export const verdictSchema: z.ZodType<Verdict> = z.object({
  outcome: z.enum(["passed", "warned", "failed"]),
  title: z.string(),
  detail: z.string().nullable(),
  evidence: evidenceSchema.nullable(),
  get children(): z.ZodType<readonly Verdict[]> {
    return z.array(verdictSchema);
  },
});

const usageSchema = z.object({
  inputTokens: z.number().nonnegative(),
  outputTokens: z.number().nonnegative(),
  costUsd: z.number().nonnegative().nullable(),
});
export type Usage = z.infer<typeof usageSchema>;

/** What the run was started with; later changes of the environment do not reach it. */
export const runSettingsSchema = z.object({
  harness: z.string(),
  /** The harness was chosen on the command line and overrules what stages name. */
  harnessWins: z.boolean(),
  maxParallel: z.int().positive(),
  retries: z.int().nonnegative(),
  timeoutSecs: z.number().positive(),
  noProgressSecs: z.number().nonnegative(),
  transientDelaysSecs: z.array(z.number().nonnegative()),
  backoffSecs: z.object({ base: z.number().nonnegative(), max: z.number().nonnegative() }),
});
export type RunSettings = z.infer<typeof runSettingsSchema>;

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
});

const events = [
  runCreated,
  z.object({ type: z.literal("stage-queued"), at, stage, attempt, notBefore: z.number().nullable() }),
  z.object({ type: z.literal("attempt-started"), at, stage, attempt, claim: z.string(), base: sha }),
  /** The same attempt goes on after an interruption, an answer or a hand-off; it is not charged again. */
  z.object({ type: z.literal("attempt-resumed"), at, stage, attempt, claim: z.string() }),
  z.object({
    type: z.literal("session-started"),
    at,
    stage,
    attempt,
    session: z.string(),
    harness: z.string(),
    signal: z.enum(["stage", "retry", "recovery", "merge-conflict"]),
    /** What every process of the session carries in its environment; see ports/sandbox. */
    marker: z.string(),
    tree: z.string(),
  }),
  z.object({
    type: z.literal("session-ended"),
    at,
    stage,
    attempt,
    session: z.string(),
    state: z.enum(["completed", "crashed", "context-exhausted"]),
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    durationMs: z.number(),
    usage: usageSchema.nullable(),
  }),
  z.object({ type: z.literal("input-requested"), at, stage, attempt, question: z.string() }),
  z.object({ type: z.literal("input-answered"), at, stage, attempt, by: z.string(), answer: z.string() }),
  /** Work in progress, kept as a commit that is in no branch; the next session starts from it. */
  z.object({ type: z.literal("work-kept"), at, stage, attempt, commit: sha, base: sha }),
  z.object({
    type: z.literal("attempt-interrupted"),
    at,
    stage,
    attempt,
    /** Loom died, was asked to stop, or the session handed over; only deaths count against the stage. */
    reason: z.enum(["died", "stopped", "handoff"]),
  }),
  z.object({
    type: z.literal("attempt-committed"),
    at,
    stage,
    attempt,
    commit: sha,
    base: sha,
    files: z.array(z.string()),
    /** The session was reaped by the stall guard: a green gate still advances, a red one is a stall (P8). */
    stalled: z.boolean(),
  }),
  z.object({ type: z.literal("attempt-verified"), at, stage, attempt, commit: sha, verdict: verdictSchema }),
  z.object({
    type: z.literal("attempt-failed"),
    at,
    stage,
    attempt,
    failure: failureSchema,
    verdict: verdictSchema.nullable(),
  }),
  z.object({ type: z.literal("stage-published"), at, stage, attempt, commit: sha, branch: z.string() }),
  z.object({ type: z.literal("merge-started"), at, stage, attempt, commit: sha, onto: sha }),
  z.object({
    type: z.literal("merge-conflicted"),
    at,
    stage,
    attempt,
    commit: sha,
    onto: sha,
    files: z.array(z.string()),
  }),
  z.object({ type: z.literal("merge-held"), at, stage, attempt, failure: failureSchema }),
  z.object({ type: z.literal("stage-merged"), at, stage, attempt, commit: sha, merged: sha }),
  z.object({ type: z.literal("stage-blocked"), at, stage, failure: failureSchema }),
  z.object({ type: z.literal("stage-skipped"), at, stage, reason: z.string() }),
  /** A person gives a blocked stage, and what waits for it, a fresh set of attempts. */
  z.object({ type: z.literal("stage-reopened"), at, stage, by: z.string() }),
  z.object({ type: z.literal("run-resumed"), at, by: z.string() }),
  z.object({ type: z.literal("run-stalled"), at, explanation: z.string() }),
  z.object({ type: z.literal("cancel-requested"), at, by: z.string() }),
  z.object({
    type: z.literal("run-finished"),
    at,
    status: z.enum(["completed", "failed", "blocked", "cancelled"]),
  }),
  z.object({ type: z.literal("run-recorded"), at, commit: sha }),
] as const;

export const runEventSchema = z.discriminatedUnion("type", events);
export type RunEvent = z.infer<typeof runEventSchema>;
export type RunCreated = z.infer<typeof runCreated>;
export type RunEventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
