import type {
  CheckRun,
  CheckSuite,
  Comment,
  Installation,
  Issue,
  LineComment,
  Login,
  QueueEntry,
  Repository,
  Review,
  ReviewThread,
  Role,
} from "../types.ts";
import type { World } from "../world.ts";

/** A value before the change, as GitHub's `changes` object has it. */
export type Before = { readonly from: string };

/**
 * What `Change.subject` holds, by event. Where a pull request is meant, `issue` is the Issue whose `pull` is set: it
 * carries both.
 */
export type Subjects = {
  /** opened, edited, closed, reopened, labeled, unlabeled, locked, unlocked */
  issues: {
    readonly issue: Issue;
    readonly label?: string;
    readonly changes?: { readonly title?: Before; readonly body?: Before };
  };
  /** created, edited, deleted; on issues and pull requests alike */
  issue_comment: {
    readonly issue: Issue;
    readonly comment: Comment;
    readonly changes?: { readonly body: Before };
  };
  /**
   * opened, edited, closed (`issue.pull.merged` says how), reopened, synchronize (before, after), labeled, unlabeled,
   * ready_for_review, converted_to_draft, review_requested, enqueued, dequeued (reason), auto_merge_enabled/disabled
   */
  pull_request: {
    readonly issue: Issue;
    readonly label?: string;
    readonly before?: string;
    readonly after?: string;
    readonly changes?: {
      readonly title?: Before;
      readonly body?: Before;
      readonly base?: { readonly ref: Before; readonly sha: Before };
    };
    readonly requestedReviewer?: Login;
    readonly reason?: string;
  };
  /** submitted, dismissed, edited */
  pull_request_review: {
    readonly issue: Issue;
    readonly review: Review;
    readonly changes?: { readonly body: Before };
  };
  /** created, edited, deleted */
  pull_request_review_comment: {
    readonly issue: Issue;
    readonly thread: ReviewThread;
    readonly comment: LineComment;
    readonly changes?: { readonly body: Before };
  };
  /** created, completed, rerequested, requested_action: the latter two go to the owning App only */
  check_run: { readonly checkRun: CheckRun; readonly requestedAction?: { readonly identifier: string } };
  /** requested (after a push; to each App that can write checks), rerequested: `checkSuite.app` is the one */
  check_suite: { readonly checkSuite: CheckSuite };
  /** action null; null shas: the ref was created or deleted */
  push: {
    readonly ref: string;
    readonly before: string | null;
    readonly after: string | null;
    readonly forced: boolean;
  };
  /** action null; the name without refs/heads/ or refs/tags/ */
  create: { readonly ref: string; readonly refType: "branch" | "tag" };
  delete: { readonly ref: string; readonly refType: "branch" | "tag" };
  /** checks_requested, destroyed (reason) */
  merge_group: {
    readonly entry: QueueEntry;
    readonly baseRef: string;
    readonly reason?: "merged" | "invalidated" | "dequeued";
  };
  /** created, deleted, suspend, unsuspend; `Change.repository` is null */
  installation: { readonly installation: Installation };
  /** added, removed; `Change.repository` is null */
  installation_repositories: {
    readonly installation: Installation;
    readonly added: readonly number[];
    readonly removed: readonly number[];
  };
  /** created, edited, deleted */
  label: { readonly label: string };
  /** added, edited, removed */
  member: { readonly member: Login; readonly role: Role };
  /** created */
  repository: { readonly repository: Repository };
};

/** Announces with the subject's type checked against the event. */
export function tell<E extends keyof Subjects>(
  world: World,
  event: E,
  action: string | null,
  at: { readonly repository: Repository | null; readonly sender: Login },
  subject: Subjects[E],
): void {
  const repository = at.repository?.id ?? null;
  world.announce({ event, action, repository, sender: at.sender, subject });
}
