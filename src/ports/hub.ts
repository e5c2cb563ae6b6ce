import type { Role } from "../core/command/role.ts";
import type { RunId, Sha, StageId } from "../core/ids.ts";

/**
 * One repository on GitHub, beyond merging: who people are, what they said, what they are shown. Every write can be
 * repeated: it looks for what an earlier try may have left before it makes anything (G12, F14).
 */
export interface Hub {
  /** What this person may do here now. Throws when GitHub can't say: nobody is let in on a guess (T1). */
  roleOf(login: string): Promise<Role>;
  issue(number: number): Promise<IssueFacts | null>;
  pull(number: number): Promise<PullFacts | null>;
  /** The pull request with this head branch, whatever its state; the newest. */
  pullByBranch(branch: string): Promise<PullFacts | null>;
  defaultBranch(): Promise<{ readonly name: string; readonly tip: Sha }>;
  /** null when there is no such regular file there, or it is larger than `maxBytes`. */
  readFile(at: Sha, path: string, maxBytes: number): Promise<string | null>;
  /** Rules of the target that make merging slow or that Loom has to fit: required reviews, checks, queue, methods. */
  rules(branch: string): Promise<MergeRules>;

  react(to: { comment: number } | { issue: number }, reaction: "eyes" | "confused" | "rocket"): Promise<void>;
  /** One comment per `key`: found again by a hidden marker that only counts in Loom's own comments. */
  comment(number: number, key: string, body: string): Promise<{ readonly comment: number }>;
  editComment(comment: number, body: string): Promise<"edited" | "gone">;
  setLabels(
    number: number,
    labels: { readonly add: readonly string[]; readonly remove: readonly string[] },
  ): Promise<void>;
  /** Find-or-create by name, head and external id; a completed one is made anew when it has to go on. Resolves with its id. */
  putCheck(check: CheckSpec, known: number | null): Promise<number>;
  editPull(
    number: number,
    change: { title?: string; body?: string; state?: "open" | "closed" },
  ): Promise<void>;

  /** Find-or-create: branch, commit and pull request that offer the plan. A branch that a person moved is left alone. */
  offerPlan(spec: PlanOffer): Promise<PlanOffered>;
  /** The git object of a file at a commit; null when there is none. */
  blobOf(at: Sha, path: string): Promise<Sha | null>;

  /** The run as GitHub and git see it now: one look at all branches, and one at each pull request named. */
  observe(spec: {
    readonly run: RunId;
    readonly since: Sha;
    readonly target: string;
    readonly planPr: number | null;
    readonly stages: readonly { readonly stage: StageId; readonly pr: number | null }[];
  }): Promise<Observation>;

  /** Keeps the ledger in git as well, signed, where losing the store does not lose it (F7). */
  mirrorLedger(run: RunId, text: string): Promise<void>;
  mirroredLedgers(): Promise<readonly { readonly run: RunId; readonly text: string }[]>;
  forgetLedger(run: RunId): Promise<void>;
}

export type IssueFacts = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly open: boolean;
  readonly isPullRequest: boolean;
};

export type PullFacts = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly open: boolean;
  readonly merged: boolean;
  readonly mergeCommit: Sha | null;
  readonly head: { readonly sha: Sha; readonly ref: string; readonly sameRepository: boolean };
  readonly base: string;
  readonly labels: readonly string[];
  /** null: GitHub has not worked it out yet. */
  readonly mergeable: boolean | null;
};

export type MergeRules = {
  readonly methods: readonly ("squash" | "merge" | "rebase")[];
  readonly requiredApprovals: number;
  readonly codeOwners: boolean;
  readonly dismissesReviews: boolean;
  readonly requiredChecks: readonly string[];
  readonly mergeQueue: boolean;
};

export type CheckSpec = {
  readonly name: string;
  readonly head: Sha;
  /** `<run>/<stage>/<attempt>`, or `<run>` for the plan's. */
  readonly externalId: string;
  readonly status: "queued" | "in_progress" | "completed";
  readonly conclusion: "success" | "failure" | "neutral" | "cancelled" | "action_required" | "skipped" | null;
  readonly title: string;
  readonly summary: string;
  readonly text: string | null;
  readonly actions: readonly {
    readonly label: string;
    readonly description: string;
    readonly identifier: string;
  }[];
};

export type PlanOffer = {
  readonly run: RunId;
  readonly target: string;
  readonly base: Sha;
  readonly files: Readonly<Record<string, string>>;
  /** Among `files`: what an approval is bound to. */
  readonly planPath: string;
  readonly message: string;
  readonly title: string;
  readonly body: string;
};

export type PlanOffered =
  | { readonly kind: "offered"; readonly pr: number; readonly head: Sha; readonly blob: Sha }
  | { readonly kind: "taken"; readonly branch: string; readonly tip: Sha }
  | { readonly kind: "closed"; readonly pr: number };

export type Observation = {
  readonly targetTip: Sha;
  readonly plan: PullFacts | null;
  readonly stages: ReadonlyMap<StageId, StageFacts>;
};

export type StageFacts = {
  readonly pull: PullFacts | null;
  /** Where its branch stands; null when there is none. */
  readonly tip: Sha | null;
  /** The commit by which it is in the target. */
  readonly merged: Sha | null;
};

/** The App was removed or suspended, or the repository is gone: asking again is pointless (F21). */
export class AccessLost extends Error {
  readonly reason: "removed" | "suspended" | "repository-gone";
  constructor(reason: "removed" | "suspended" | "repository-gone", options: { cause?: unknown } = {}) {
    super(`Loom has no access any more: ${reason}`, options);
    this.name = "AccessLost";
    this.reason = reason;
  }
}
