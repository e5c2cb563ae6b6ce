import type { Person, SaidOn } from "../core/command/delivery.ts";
import type { Role } from "../core/command/role.ts";
import type { LineRemark } from "../core/findings/line-remark.ts";
import type { RunId, Sha, StageId } from "../core/ids.ts";
import type { FileReading } from "./workspace.ts";

/**
 * One repository on GitHub, beyond merging: who people are, what they said, what they are shown. Every write can be
 * repeated: it looks for what an earlier try may have left before it makes anything (F14).
 */
export interface Hub {
  /**
   * What this person may do here now: nothing, when the login is somebody else's by now (T46). Throws when GitHub can't
   * say: nobody is let in on a guess (T1).
   */
  roleOf(person: Person): Promise<Role>;
  issue(number: number): Promise<IssueFacts | null>;
  pull(number: number): Promise<PullFacts | null>;
  /** The setting of a label that is there now: who did it, and by which event. null: GitHub tells of none. */
  labelled(number: number, label: string): Promise<{ readonly by: number; readonly event: number } | null>;
  /** The pull request with this head branch, whatever its state; the newest. */
  pullByBranch(branch: string): Promise<PullFacts | null>;
  defaultBranch(): Promise<{ readonly name: string; readonly tip: Sha }>;
  /** As of a workspace. */
  examineFile(at: Sha, path: string, maxBytes: number): Promise<FileReading>;
  /** null when there is no such regular file there, or it is larger than `maxBytes`. */
  readFile(at: Sha, path: string, maxBytes: number): Promise<string | null>;
  /** Rules of the target that make merging slow or that Loom has to fit: required reviews, checks, queue, methods. */
  rules(branch: string): Promise<MergeRules>;

  /** All that was said in a thread, oldest first. */
  thread(number: number): Promise<readonly ThreadComment[]>;
  /** What was said in reviews of a pull request and on its lines, each review's together. */
  reviews(number: number): Promise<readonly ThreadComment[]>;
  /** The change that a pull request proposes, readable here afterwards; null when it is no pull request. */
  fetchChange(number: number): Promise<ChangeFacts | null>;
  /** Makes commits of the repository readable here; throws when one can't be had. */
  fetch(commits: readonly Sha[]): Promise<void>;
  /** Loom's own remarks on lines of a pull request. Only what Loom itself wrote counts, whatever others put into theirs. */
  lineRemarks(number: number): Promise<readonly LineRemark[]>;
  /** The texts of Loom's own reviews of a pull request, oldest first, with the keys that they were made with. */
  reviewTexts(number: number): Promise<readonly { readonly key: string; readonly body: string }[]>;
  /** One review per `key`, with its remarks on lines; found again when an earlier try made it. */
  review(number: number, review: ReviewSpec): Promise<ReviewOutcome>;
  /** Another text for the review that was made with this `key`. */
  editReview(number: number, key: string, write: (before: string) => string): Promise<"edited" | "gone">;
  /** What GitHub itself shows of the change, and so takes remarks on; `patch` is null where a file is too large for it. */
  shownPatches(number: number): Promise<readonly { readonly path: string; readonly patch: string | null }[]>;
  editRemark(remark: number, body: string): Promise<"edited" | "gone">;
  /** Marks the conversation on a line as settled. One that is gone, or settled already, is fine. */
  resolveRemark(thread: string): Promise<"resolved" | "refused">;

  react(
    to: { comment: number } | { remark: number } | { issue: number },
    reaction: "eyes" | "confused" | "rocket",
  ): Promise<void>;
  /**
   * One comment per `key`: found again by a hidden marker that only counts in Loom's own comments. `below`: in the
   * conversation that this remark on a line began, or in the thread once that is gone.
   */
  comment(
    number: number,
    key: string,
    body: string,
    below?: number | undefined,
  ): Promise<{ readonly comment: number }>;
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
  /** Puts another plan on the plan's branch, unless it stands there already; a plan that it does not replace is left alone. */
  amendOffer(spec: PlanAmendment): Promise<PlanAmended>;
  /** The git object of a file at a commit; null when there is none. */
  blobOf(at: Sha, path: string): Promise<Sha | null>;

  /**
   * The run as GitHub and git see it now: one look at all branches, and one at each pull request that something can still come
   * of. That of a settled stage is looked at only where another was merged into its branch.
   */
  observe(spec: {
    readonly run: RunId;
    readonly since: Sha;
    readonly target: string;
    readonly planPr: number | null;
    readonly stages: readonly StageAsked[];
  }): Promise<Observation>;

  /** Keeps the ledger in git as well, signed, where losing the store does not lose it (F7). */
  mirrorLedger(run: RunId, text: string): Promise<void>;
  mirroredLedgers(): Promise<readonly { readonly run: RunId; readonly text: string }[]>;
  forgetLedger(run: RunId): Promise<void>;
}

export type StageAsked = {
  readonly stage: StageId;
  readonly pr: number | null;
  /** Whatever becomes of its pull request changes nothing about the stage. */
  readonly settled?: boolean;
  /** Whether it could be merged is asked for as well, which takes a request of its own. */
  readonly mergeable?: boolean;
};

export type IssueFacts = {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly open: boolean;
  readonly isPullRequest: boolean;
};

export type ThreadComment = {
  /** Among those of its kind; they have growing numbers. */
  readonly id: number;
  readonly kind: SaidOn;
  /** The file and line that it is about, such as `src/a.ts:12`; null: none. */
  readonly place: string | null;
  readonly author: string;
  readonly at: string;
  readonly body: string;
  /** Written by Loom. */
  readonly own: boolean;
  /** null: never. */
  readonly editedAt: string | null;
};

export type ChangeFacts = {
  readonly head: Sha;
  /** Where the change branched off: the diff is from here to the head. */
  readonly from: Sha;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly open: boolean;
};

export type ReviewOutcome =
  | { readonly kind: "made" | "found" | "stale" }
  /** GitHub does not take it, mostly for one of its remarks; it does not say for which. */
  | { readonly kind: "refused"; readonly reason: string };

export type ReviewSpec = {
  readonly key: string;
  /** `stale` is answered when the pull request has another head by now. */
  readonly head: Sha;
  readonly body: string;
  readonly remarks: readonly {
    readonly key: string;
    readonly path: string;
    /** In the file at the head; both in the same hunk of the diff. */
    readonly startLine: number | null;
    readonly line: number;
    readonly body: string;
  }[];
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
  /** A branch has to stand on its base before it can be merged. */
  readonly upToDate: boolean;
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

/** `since`: when people could see it at the latest, by GitHub's clock; null: GitHub does not say. */
export type OfferedPlan = {
  readonly kind: "offered";
  readonly pr: number;
  readonly head: Sha;
  readonly blob: Sha;
  readonly since: string | null;
};

export type PlanOffered =
  | OfferedPlan
  | { readonly kind: "taken"; readonly branch: string; readonly tip: Sha }
  | { readonly kind: "closed"; readonly pr: number };

export type PlanAmendment = {
  readonly run: RunId;
  readonly files: Readonly<Record<string, string>>;
  readonly remove: readonly string[];
  /** Among `files`. */
  readonly planPath: string;
  /** The plan that may be replaced, as a git object. */
  readonly replaces: Sha;
  /** The plan that somebody pushed, where that is the one to be offered: nothing has to be pushed then. */
  readonly adopts: Sha | null;
  readonly message: string;
};

export type PlanAmended =
  | OfferedPlan
  /** Somebody put another plan there meanwhile. */
  | { readonly kind: "edited"; readonly head: Sha }
  | { readonly kind: "merged"; readonly pr: number }
  | { readonly kind: "closed"; readonly pr: number | null };

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
