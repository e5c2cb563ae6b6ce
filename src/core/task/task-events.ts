import * as z from "zod";
import { usageSchema } from "../budget/usage.ts";
import { lineSchema } from "../command/delivery.ts";
import { DEGRADED, DEPTHS, PLANNING_MODES } from "../command/planning-choices.ts";
import { TASK_KINDS } from "../command/task-kinds.ts";
import { runSettingsSchema } from "../config/run-settings.ts";
import { failureSchema } from "../failure/failure.ts";
import { originSchema } from "../run/origin.ts";
import { degradeCauseSchema } from "./task-cause.ts";

/**
 * The ledger of a task: work of one agent that reads and answers, on an issue, a pull request or in a terminal. Like a
 * run's it is the only truth: whoever dies in the middle is followed by somebody who reads it and goes on.
 */

const at = z.iso.datetime();
/** Who writes: of two workers that hold the same task, only the last one that claimed it may. */
const claim = z.string();
const sha = z.string();

const questionSchema = z.object({
  text: z.string(),
  /** In their order they are called a, b, c …; empty: any words will do. */
  options: z.array(z.string()),
  /** The words of the option, or of the answer, that is taken when nobody says anything. */
  usual: z.string(),
  why: z.string(),
});
export type Question = z.infer<typeof questionSchema>;

const answerSchema = z.object({ text: z.string(), by: z.string().nullable() });
/** `by: null`: nobody answered, and the usual answer was taken. */
export type Answer = z.infer<typeof answerSchema>;

/** What somebody wrote in a thread, oldest first. Words of others are data, whatever they say (T7). */
const remarkSchema = z.object({
  author: z.string(),
  at: z.string(),
  text: z.string(),
  /** Loom's own. */
  own: z.boolean(),
  /** The file and line of a pull request that it is about; absent: the whole. */
  place: z.string().optional(),
});
export type Remark = z.infer<typeof remarkSchema>;

const findingSchema = z.object({
  /** Such as `F3`; the same as long as the finding is the same. */
  id: z.string(),
  severity: z.enum(["critical", "high", "medium", "low", "info"]),
  title: z.string(),
  body: z.string(),
  /** From the repository's root; null: it belongs to no file. */
  file: z.string().nullable(),
  /** In the file as it is at the head, counted from 1. */
  line: z.int().positive().nullable(),
  endLine: z.int().positive().nullable(),
  /** What to write instead of these lines; null: words only. */
  suggestion: z.string().nullable(),
});
export type Finding = z.infer<typeof findingSchema>;

/** Of a change: how many files it has, of how many the agent was shown the diff, and of how many it could read it. */
const seenChangeSchema = z.object({
  files: z.int().nonnegative(),
  shown: z.int().nonnegative(),
  readable: z.int().nonnegative(),
});
export type SeenChange = z.infer<typeof seenChangeSchema>;

/** What an audit found. `earlier`: what became of findings of an audit before this one. */
export const auditResultSchema = z.object({
  summary: z.string(),
  findings: z.array(findingSchema),
  earlier: z.array(z.object({ id: z.string(), state: z.enum(["stands", "fixed"]) })),
  /** What was passed over in the agent's answer, in words for people. */
  notes: z.array(z.string()),
  /** What it was found in; absent: in all that is there, or nobody counted. */
  seen: seenChangeSchema.optional(),
});
export type AuditResult = z.infer<typeof auditResultSchema>;

/** By their ids, what becomes of this audit's findings and of those before it on a pull request. */
const findingFatesSchema = z.object({
  fresh: z.array(z.string()),
  updated: z.array(z.string()),
  standing: z.array(z.string()),
  /** Found again, though people have settled it. */
  settled: z.array(z.string()),
  /** Fixed, with a conversation to settle. */
  resolved: z.array(z.string()),
  /** Fixed, and told in the text of a review only. */
  struck: z.array(z.string()),
  /** Open still, and the agent said nothing of it. */
  unsaid: z.array(z.string()),
});
export type FindingFates = z.infer<typeof findingFatesSchema>;

/** How a plan is to be made. */
const planWishSchema = z.object({
  /** `express`: no questions, no design document. */
  workflow: z.enum(["standard", "express"]),
  depth: z.enum(DEPTHS),
  mode: z.enum(PLANNING_MODES),
  /** What to do when no sound plan comes out. */
  degraded: z.enum(DEGRADED),
  maxStages: z.int().positive(),
  remindAfterSecs: z.number().positive(),
  defaultAfterSecs: z.number().positive(),
  /** What the person asked of the run that the plan is for. */
  harness: z.string().nullable(),
  budgetUsd: z.number().positive().nullable(),
  /** The file that it is to be written to, from the repository's root; null: a pull request. */
  path: z.string().nullable(),
  /** What the repository asks of every plan. */
  protectedPaths: z.array(z.string()),
  /** Besides the checks that Loom finds in the project itself. */
  gate: z.array(z.string()),
  disabledAgents: z.array(z.string()),
});
export type PlanWish = z.infer<typeof planWishSchema>;

/** What people can set to hold an agent to a budget: in `.github/loom.yml`, or with the command. */
export const BUDGET_LIMITS = [
  "commands.budget_usd",
  "planner.budget_usd",
  "limits.budget_usd",
  "--budget",
] as const;
export type BudgetLimit = (typeof BUDGET_LIMITS)[number];

const taskCreated = z.object({
  type: z.literal("task-created"),
  at,
  task: z.string(),
  kind: z.enum(TASK_KINDS),
  /** Where it was asked for; null: in a terminal. `issue` is the thread that it is answered in. */
  origin: originSchema.nullable(),
  isPull: z.boolean(),
  /** The thread was closed when it was asked for: then closing it is no reason to stop. */
  wasClosed: z.literal(true).optional(),
  /** The comment that asked; null: a new issue's body, or a terminal. */
  comment: z.int().nullable(),
  role: z.string(),
  /** What the person wrote behind the command: a goal, a question, a wish. */
  text: z.string(),
  /** The thread's title and first text, and what was said in it up to the command. */
  title: z.string(),
  body: z.string(),
  thread: z.array(remarkSchema),
  /** The conversation on a line that the command stands in, and that is answered in; absent: none. */
  line: lineSchema.optional(),
  target: z.string(),
  /** What is read: the default branch, or the head of the pull request. */
  commit: sha,
  /** The change that an audit is about; null: all that is there. */
  scope: z.object({ from: sha, pr: z.int().nullable() }).nullable(),
  /** The run that a revision is about. */
  run: z.string().nullable(),
  plan: planWishSchema.nullable(),
  settings: runSettingsSchema,
  /** Of the whole task. */
  budgetUsd: z.number().positive().nullable(),
  /** All that say just this budget: who wants more has to raise each. Absent: nothing that people can change. */
  budgetBy: z.array(z.enum(BUDGET_LIMITS)).optional(),
  timeoutSecs: z.number().positive(),
});
export type TaskCreated = z.infer<typeof taskCreated>;

/**
 * What a session of a task is for: a first look that ends in a plan or in questions; a design document; a plan; a plan
 * once more, with what was wrong with it; an answer; an audit.
 */
export const PURPOSES = ["begin", "design", "draft", "redraft", "answer", "audit"] as const;
export type Purpose = (typeof PURPOSES)[number];

const taskOutcomeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("planned"), run: z.string(), pr: z.int().nullable() }),
  /** `path`: where the plan was written, in a terminal. */
  z.object({ kind: z.literal("written"), path: z.string() }),
  z.object({ kind: z.literal("amended"), run: z.string(), changed: z.boolean() }),
  z.object({ kind: z.literal("answered") }),
  /** `stale`: the pull request had moved on, so that nothing was put on lines. */
  z.object({
    kind: z.literal("audited"),
    findings: z.int().nonnegative(),
    stale: z.literal(true).optional(),
  }),
  /** `failure`: what the last session failed at, where that is why. */
  z.object({
    kind: z.literal("refused"),
    reason: z.string(),
    next: z.string(),
    failure: failureSchema.shape.kind.optional(),
  }),
  z.object({ kind: z.literal("cancelled"), by: z.string() }),
]);
export type TaskOutcome = z.infer<typeof taskOutcomeSchema>;

const events = [
  taskCreated,
  z.object({ type: z.literal("task-claimed"), at, claim }),
  z.object({
    type: z.literal("session-started"),
    at,
    claim,
    session: z.string(),
    purpose: z.enum(PURPOSES),
    harness: z.string(),
    model: z.string().nullable(),
    promptTokens: z.int().nonnegative(),
    prefixHash: z.string(),
    marker: z.string(),
    /** What the agent was walled off by; `off`: by nothing (T43). */
    sandbox: z.string().optional(),
  }),
  /** What it has used so far, told in steps: whoever is killed can't tell it in the end. */
  z.object({ type: z.literal("session-spent"), at, claim, session: z.string(), usage: usageSchema }),
  z.object({
    type: z.literal("session-ended"),
    at,
    claim,
    session: z.string(),
    state: z.enum(["completed", "paused", "crashed", "context-exhausted"]),
    harness: z.string(),
    model: z.string().nullable(),
    durationMs: z.number(),
    usage: usageSchema.nullable(),
  }),
  /** It did not come to its end; whether it is tried again is decided by what is known of all tries. */
  z.object({ type: z.literal("session-failed"), at, claim, failure: failureSchema }),
  z.object({ type: z.literal("harness-exhausted"), at, claim, harness: z.string(), until: z.number() }),
  /** The first look ended in this instead of a plan. */
  z.object({
    type: z.literal("task-assessed"),
    at,
    claim,
    complexity: z.enum(["simple", "medium", "complex"]),
    why: z.string(),
    questions: z.array(questionSchema),
  }),
  /** The questions stand in the thread, for people to answer. */
  z.object({ type: z.literal("questions-shown"), at, claim, comment: z.int().nullable() }),
  z.object({ type: z.literal("questions-reminded"), at, claim }),
  /** No claim: people answer whenever they like. One place for each question, in their order; null: nothing was said to it. */
  z.object({
    type: z.literal("questions-answered"),
    at,
    answers: z.array(answerSchema.nullable()),
    /** What it was said with, so that who reads the same again after a crash finds it; absent: with nothing of its own. */
    said: z.string().optional(),
  }),
  z.object({
    type: z.literal("design-written"),
    at,
    claim,
    document: z.string(),
    notes: z.array(z.string()),
  }),
  /** One answer of the planner. `problems` is empty exactly when `plan` is a plan that may be offered. */
  z.object({
    type: z.literal("plan-drafted"),
    at,
    claim,
    answer: z.string(),
    plan: z.string().nullable(),
    problems: z.array(z.string()),
    /** What Loom fixed or let pass, in words for people. */
    notes: z.array(z.string()),
    /** The version of the run's plan that it changes; absent: it changes none. */
    changes: z.int().optional(),
  }),
  /** No sound plan came; what the policy makes of that. */
  z.object({
    type: z.literal("plan-degraded"),
    at,
    claim,
    plan: z.string().nullable(),
    cause: degradeCauseSchema,
  }),
  z.object({ type: z.literal("answer-written"), at, claim, text: z.string() }),
  z.object({ type: z.literal("audit-written"), at, claim, result: auditResultSchema }),
  /** No claim: whoever hands it over first has seen the pull request as it was before, and all tell the same. */
  z.object({ type: z.literal("findings-sorted"), at, fates: findingFatesSchema }),
  z.object({ type: z.literal("task-cancelled"), at, by: z.string() }),
  z.object({ type: z.literal("task-finished"), at, outcome: taskOutcomeSchema }),
] as const;

export const taskEventSchema = z.discriminatedUnion("type", events);
export type TaskEvent = z.infer<typeof taskEventSchema>;
