import * as z from "zod";
import { usageSchema } from "../budget/usage.ts";
import { failureSchema } from "../failure/failure.ts";
import { downstreamContextSchema } from "../session/downstream-context.ts";
import { verdictSchema } from "../verify/verdict.ts";

const at = z.iso.datetime();
const stage = z.string();
const attempt = z.int().positive();
const sha = z.string();

/** Dependencies that were not merged when the work was based on them, and where their branches stood. */
const stack = z.array(z.object({ stage: z.string(), tip: z.string() }));

/** What agent and checks are walled off by, where this process starts any; `off`: by nothing (T43). */
const sandbox = z.string().optional();

/** What can happen to one stage; part of the vocabulary in events.ts. */
export const stageEvents = [
  z.object({ type: z.literal("stage-queued"), at, stage, attempt, notBefore: z.number().nullable() }),
  z.object({
    type: z.literal("attempt-started"),
    at,
    stage,
    attempt,
    claim: z.string(),
    base: sha,
    stack: stack.optional(),
    sandbox,
  }),
  /** The same attempt goes on after an interruption, an answer or a hand-off; it is not charged again. */
  z.object({ type: z.literal("attempt-resumed"), at, stage, attempt, claim: z.string(), sandbox }),
  z.object({
    type: z.literal("session-started"),
    at,
    stage,
    attempt,
    session: z.string(),
    harness: z.string(),
    prompt: z.enum(["stage", "knowledge", "retry", "recovery", "hand-off", "merge-conflict", "follow-up"]),
    /** null: the harness's own choice. */
    model: z.string().nullable().optional(),
    /** Of the part of the signal that never changes, so that a cache that is missed can be explained. */
    prefixHash: z.string().optional(),
    promptTokens: z.int().nonnegative().optional(),
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
  /** The session ran out of context; the next one starts from this document. */
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
    /** How many files of a large change are not named. */
    moreFiles: z.int().positive().optional(),
    /** The session was reaped by the stall guard: a green gate still advances, a red one is a stall. */
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
  /**
   * What the target becomes with the published commit on top of `onto` was proved, together with what is merged right after it
   * (`with`: so many other stages). The branch stays as it is.
   */
  z.object({
    type: z.literal("merge-proved"),
    at,
    stage,
    attempt,
    commit: sha,
    onto: sha,
    with: z.int().nonnegative(),
    verdict: verdictSchema,
  }),
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
  /** A person does this stage. */
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
] as const;

export type StageEvent = z.infer<(typeof stageEvents)[number]>;
