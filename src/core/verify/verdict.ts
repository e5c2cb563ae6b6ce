import * as z from "zod";

/**
 * What Loom found out by itself about one commit: a tree whose leaves carry the evidence, so that a person can follow
 * any verdict down to the command, its exit code and the end of its output.
 */
export type Verdict = {
  readonly outcome: Outcome;
  /** Such as "acceptance", or the command itself at a leaf. */
  readonly title: string;
  /** One sentence, at leaves and where a branch needs one. */
  readonly detail: string | null;
  readonly evidence: Evidence | null;
  readonly children: readonly Verdict[];
};

/**
 * `warned` counts as passed and is shown. `ask` counts as proved, but a person has to look at it: Loom does not merge it by
 * itself (T37).
 */
const OUTCOMES = ["failed", "ask", "warned", "passed"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type Evidence = {
  readonly command: string | null;
  readonly exitCode: number | null;
  readonly durationMs: number | null;
  readonly timedOut: boolean;
  /** The last part of the output; `cutBytes` says how much came before it. */
  readonly output: string;
  readonly cutBytes: number;
};

const evidenceSchema = z.object({
  command: z.string().nullable(),
  exitCode: z.number().nullable(),
  durationMs: z.number().nullable(),
  timedOut: z.boolean(),
  output: z.string(),
  cutBytes: z.number(),
});

export const verdictSchema: z.ZodType<Verdict> = z.object({
  outcome: z.enum(OUTCOMES),
  title: z.string(),
  detail: z.string().nullable(),
  evidence: evidenceSchema.nullable(),
  get children(): z.ZodType<readonly Verdict[]> {
    return z.array(verdictSchema);
  },
});

export function branch(title: string, children: readonly Verdict[], detail: string | null = null): Verdict {
  return { outcome: worst(children), title, detail, evidence: null, children };
}

export function leaf(
  outcome: Outcome,
  title: string,
  detail: string | null = null,
  evidence: Evidence | null = null,
): Verdict {
  return { outcome, title, detail, evidence, children: [] };
}

function worst(verdicts: readonly Verdict[]): Outcome {
  return OUTCOMES.find((outcome) => verdicts.some((one) => one.outcome === outcome)) ?? "passed";
}

/** How bad it is, the worst first. */
export function rankOf({ outcome }: Verdict): number {
  return OUTCOMES.indexOf(outcome);
}

export function failedLeaves(verdict: Verdict): Verdict[] {
  return leavesWith(verdict, "failed");
}

export function leavesWith(verdict: Verdict, outcome: Outcome): Verdict[] {
  if (verdict.children.length === 0) return verdict.outcome === outcome ? [verdict] : [];
  return verdict.children.flatMap((child) => leavesWith(child, outcome));
}

export function countLeaves(verdict: Verdict): number {
  return verdict.children.length === 0
    ? verdict.evidence || verdict.detail
      ? 1
      : 0
    : verdict.children.reduce((sum, one) => sum + countLeaves(one), 0);
}
