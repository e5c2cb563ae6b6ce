import * as z from "zod";

export const FAILURE_KINDS = [
  /** The agent's process ended with an error. */
  "agent-failed",
  /** The agent ended well and changed nothing. */
  "no-change",
  /** A check of the plan did not hold. */
  "checks-failed",
  /** A check did not hold, and the stage's agent can't change files: no session of it could make it hold. */
  "out-of-reach",
  /** The change touches what no agent may touch. */
  "refused",
  /** The absolute ceiling was reached. */
  "timeout",
  /** No sign of life for the stall window, and the work it left did not pass. */
  "stalled",
  /** The agent's process was killed. */
  "crashed",
  /** The provider was overloaded, rate-limited or away. */
  "transient",
  /** The provider does not accept the harness's key. */
  "credentials",
  /** The stage does not fit into the model's window, however often it is handed on. */
  "context-overflow",
  /** The agent did not say in the agreed form that it is done. */
  "contract-unmet",
  /** A set-up command failed. */
  "setup-failed",
  /** A `before` check did not hold on the base. */
  "precondition-failed",
  /** The conflict session left the conflict unresolved. */
  "conflict-unresolved",
  /** The merge is held up by the state of the user's repository. */
  "merge-blocked",
  /** A commit that was merged is no longer in the target's history. */
  "target-rewound",
  /** A person moved or deleted the stage's branch. */
  "branch-taken",
  /** A person closed the stage's pull request. */
  "pull-closed",
  /** Git, disk or process trouble that is not the agent's doing. */
  "infrastructure",
  /** The harness can't be started on this machine. */
  "harness-missing",
  /** The stage ended Loom itself too often. */
  "quarantined",
  /** A stage it depends on is blocked. */
  "dependency",
  /** The run was stopped for good. */
  "cancelled",
] as const;
export type FailureKind = (typeof FAILURE_KINDS)[number];

/**
 * Why an attempt, or a stage, did not get through. The kind alone decides what happens next (`retry-policy.ts`); the
 * texts are for people and for the agent's next attempt.
 */
export const failureSchema = z.object({
  kind: z.enum(FAILURE_KINDS),
  /** One sentence: what went wrong. */
  message: z.string(),
  /** The end of the output that shows it, already cut. */
  evidence: z.string().nullable(),
  /** The agent's own last words, of a session that was ended because it had used up what it may; absent: none. */
  said: z.string().optional(),
  /** Before this moment it would only fail again. */
  retryAt: z.number().optional(),
});
export type Failure = Readonly<z.infer<typeof failureSchema>>;
