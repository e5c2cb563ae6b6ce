import { z } from "zod";
import { routeSchema } from "../config/routing.ts";
import { downstreamContextSchema } from "../session/downstream-context.ts";
import type { Verdict } from "../verify/verdict.ts";

/**
 * The ledger's vocabulary: the only truth about a run. Events say what happened, never what should happen; `decide`
 * reads them all and says what is due. An intent stands before every write to the outside, its outcome behind it.
 *
 * Unknown fields are passed over, so that a ledger written by a newer Loom still loads; a field added later is
 * optional, so that an older ledger does.
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
    "credentials",
    "context-overflow",
    "contract-unmet",
    "setup-failed",
    "precondition-failed",
    "conflict-unresolved",
    "merge-blocked",
    "target-rewound",
    "branch-taken",
    "pull-closed",
    "infrastructure",
    "harness-missing",
    "quarantined",
    "dependency",
    "cancelled",
  ]),
  message: z.string(),
  evidence: z.string().nullable(),
  retryAt: z.number().optional(),
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

const effortSchema = z.enum(["low", "medium", "high"]);

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
  /** What the agents may cost before the run stops and asks. */
  budgetUsd: z.number().positive().nullable().optional(),
  /** The runner label of stages that name none. */
  runsOn: z.string().nullable().optional(),
  /** Harnesses to go on with, in this order, while one is out of quota. */
  fallback: z.array(z.string()).optional(),
  effort: effortSchema.optional(),
  planEffort: effortSchema.optional(),
  planTimeoutSecs: z.number().positive().optional(),
  /** Whether an agent has to say in a fixed form that it is done. */
  contract: z.enum(["off", "warn", "enforce"]).optional(),
  routes: z.array(routeSchema).optional(),
  maxTurns: z.int().positive().nullable().optional(),
  /** Hosts that may be reached besides the model, by what reaches for them. */
  network: z
    .object({ agent: z.array(z.string()), setup: z.array(z.string()), checks: z.array(z.string()) })
    .optional(),
  limits: z
    .object({
      processes: z.int().positive(),
      memoryMb: z.int().positive(),
      fileMb: z.int().positive(),
      diskMb: z.int().positive(),
    })
    .optional(),
});
export type RunSettings = z.infer<typeof runSettingsSchema>;

/** Where a run that was asked for on GitHub belongs. */
export const originSchema = z.object({
  installation: z.int(),
  repo: z.object({ id: z.int(), owner: z.string(), name: z.string() }),
  /** The issue, or the pull request, on which it was asked for. */
  issue: z.int(),
  title: z.string(),
  by: z.string(),
});
export type Origin = z.infer<typeof originSchema>;

/** How finished stages get into the target; see `merge` in `.github/loom.yml`. */
export const mergePolicySchema = z.object({
  /** `review`: people merge, and stages stack on what is proved. `auto`: Loom merges, and stages start from what is merged. */
  mode: z.enum(["review", "auto"]),
  method: z.enum(["squash", "merge", "rebase"]).nullable(),
  stack: z.enum(["auto", "chained", "native"]),
  deleteBranches: z.boolean(),
});
export type MergePolicy = z.infer<typeof mergePolicySchema>;
export const LOCAL_MERGE: MergePolicy = {
  mode: "auto",
  method: null,
  stack: "chained",
  deleteBranches: true,
};

/** Names of the labels that show the run's state, and of the one that approves; see `.github/loom.yml`. */
const hostedLabelsSchema = z.object({
  approve: z.string(),
  planReview: z.string(),
  approved: z.string(),
  running: z.string(),
  needsHuman: z.string(),
  blocked: z.string(),
  done: z.string(),
});
export type HostedLabels = z.infer<typeof hostedLabelsSchema>;

/** Dependencies that were not merged when the work was based on them, and where their branches stood. */
const stack = z.array(z.object({ stage: z.string(), tip: z.string() }));

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
});

const events = [
  runCreated,
  z.object({ type: z.literal("stage-queued"), at, stage, attempt, notBefore: z.number().nullable() }),
  z.object({
    type: z.literal("attempt-started"),
    at,
    stage,
    attempt,
    claim: z.string(),
    base: sha,
    stack: stack.optional(),
  }),
  /** The same attempt goes on after an interruption, an answer or a hand-off; it is not charged again. */
  z.object({ type: z.literal("attempt-resumed"), at, stage, attempt, claim: z.string() }),
  z.object({
    type: z.literal("session-started"),
    at,
    stage,
    attempt,
    session: z.string(),
    harness: z.string(),
    signal: z.enum(["stage", "knowledge", "retry", "recovery", "hand-off", "merge-conflict", "follow-up"]),
    /** null: the harness's own choice. */
    model: z.string().nullable().optional(),
    /** Of the part of the signal that never changes, so that a cache that is missed can be explained. */
    prefixHash: z.string().optional(),
    signalTokens: z.int().nonnegative().optional(),
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
    /** Paused: a person has to answer, or Loom was asked to stop; another session goes on from there. */
    state: z.enum(["completed", "paused", "crashed", "context-exhausted"]),
    /** As the CLI gave it. */
    model: z.string().nullable().optional(),
    exitCode: z.number().nullable(),
    signal: z.string().nullable(),
    durationMs: z.number(),
    usage: usageSchema.nullable(),
    /** How much of the model's window was in use at the end. */
    context: z.object({ used: z.number(), window: z.number() }).nullable().optional(),
  }),
  /** The session ran out of context; the next one starts from this document (W8). */
  z.object({
    type: z.literal("handed-off"),
    at,
    stage,
    attempt,
    session: z.string(),
    by: z.enum(["agent", "loom"]),
    document: z.string(),
  }),
  /** What the agent says about its work, for those who build on it; it proves nothing. */
  z.object({
    type: z.literal("report-received"),
    at,
    stage,
    attempt,
    text: z.string(),
    downstream: downstreamContextSchema.nullable(),
  }),
  /** Something was let through that people should know of. */
  z.object({ type: z.literal("attempt-warned"), at, stage, attempt, text: z.string() }),
  z.object({
    type: z.literal("hosts-denied"),
    at,
    stage,
    attempt,
    by: z.enum(["agent", "setup", "checks"]),
    hosts: z.array(z.string()),
  }),
  /** A short question to the cheap model; it belongs to no session. */
  z.object({
    type: z.literal("small-model-used"),
    at,
    stage,
    attempt,
    harness: z.string(),
    model: z.string(),
    usage: usageSchema,
  }),
  /** What was paid for is used up, as far as is known until then. */
  z.object({
    type: z.literal("harness-exhausted"),
    at,
    stage,
    attempt,
    harness: z.string(),
    until: z.number(),
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
    /** Absent: it stands on what it stood on before. */
    stack: stack.optional(),
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
  z.object({
    type: z.literal("stage-published"),
    at,
    stage,
    attempt,
    commit: sha,
    branch: z.string(),
    pr: z.int().nullable().optional(),
  }),
  /** Whoever brings a published stage in takes it over from whoever published it. */
  z.object({ type: z.literal("merge-claimed"), at, stage, attempt, claim: z.string() }),
  /** It can't be merged yet. Asked again at `until`, or when somebody did something about it. */
  z.object({
    type: z.literal("merge-waiting"),
    at,
    stage,
    attempt,
    reason: z.string(),
    next: z.string(),
    until: z.number().nullable(),
    /** It was put into a merge queue just now. */
    entered: z.boolean().optional(),
    /** Absent: what it stands on. */
    stack: stack.optional(),
  }),
  z.object({ type: z.literal("merge-woken"), at, stage, attempt }),
  /** Dependencies that are proved but not merged don't go together; it waits until one of them is merged. */
  z.object({ type: z.literal("stack-conflicted"), at, stage, files: z.array(z.string()) }),
  /** What an earlier worker made is on no machine that can be reached; the attempt starts from its base. */
  z.object({ type: z.literal("work-lost"), at, stage, attempt, base: sha, stack }),
  /** A person does this stage (C12). */
  z.object({
    type: z.literal("stage-taken"),
    at,
    stage,
    by: z.string(),
    branch: z.string(),
    reason: z.string().optional(),
  }),
  /** What a person pushed to the stage's branch becomes its next attempt, to be proved like any other. */
  z.object({
    type: z.literal("stage-handed-over"),
    at,
    stage,
    attempt,
    by: z.string(),
    commit: sha,
    base: sha,
    branch: z.string(),
    /** Absent: it stands on the target. */
    stack: stack.optional(),
  }),
  /** A person merged its pull request into the branch of the stage below: it comes in with that one. */
  z.object({
    type: z.literal("stage-folded"),
    at,
    stage,
    attempt,
    into: z.string(),
    reason: z.string(),
    next: z.string(),
  }),
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
  z.object({
    type: z.literal("stage-reopened"),
    at,
    stage,
    by: z.string(),
    /** What it was offered by is gone or closed: it is offered anew. */
    afresh: z.boolean().optional(),
  }),
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
  z.object({ type: z.literal("plan-offered"), at, pr: z.int(), head: sha, blob: sha }),
  /** Bound to the commit and the plan that were approved, and to what the approver was allowed at that moment (T4, T5). */
  z.object({
    type: z.literal("run-approved"),
    at,
    by: z.string(),
    role: z.string(),
    head: sha,
    blob: sha,
    via: z.enum(["label", "command", "button", "express"]),
  }),
  z.object({ type: z.literal("approval-voided"), at, by: z.string(), reason: z.string() }),
  z.object({ type: z.literal("run-paused"), at, by: z.string(), reason: z.string().optional() }),
  z.object({ type: z.literal("run-unpaused"), at, by: z.string() }),
  z.object({ type: z.literal("panel-posted"), at, comment: z.int() }),
  z.object({ type: z.literal("run-archived"), at, by: z.string() }),
] as const;

export const runEventSchema = z.discriminatedUnion("type", events);
export type RunEvent = z.infer<typeof runEventSchema>;
export type RunCreated = z.infer<typeof runCreated>;
export type RunEventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
