/**
 * GitHub as plain data. Everything the playground shows, answers or announces is read from here; only the functions in
 * this folder change it. What git knows (commits, trees, branches) is not repeated: it is asked from the bare
 * repositories when needed.
 */

export type Login = string;
export type Role = "admin" | "maintain" | "write" | "triage" | "read" | "none";

export type User = {
  readonly id: number;
  readonly login: Login;
  readonly type: "User" | "Bot" | "Organization";
  readonly name: string;
};

export type GitHub = {
  /** Base address of the server, such as http://127.0.0.1:4000; set when it listens. */
  url: string;
  readonly users: Map<Login, User>;
  /** By organization. */
  readonly members: Map<Login, Set<Login>>;
  readonly apps: App[];
  readonly installations: Installation[];
  readonly tokens: Token[];
  readonly repositories: Repository[];
  readonly deliveries: Delivery[];
  /** Apps that wait for their conversion, by code. */
  readonly manifests: Map<
    string,
    { readonly by: Login; readonly manifest: AppManifest; readonly expiresAt: number }
  >;
  readonly limits: RateLimits;
  /** Every request that was served, newest last; the counters of tests and benchmarks read it. */
  readonly requests: RequestRecord[];
  nextId: number;
};

export type App = {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  /** Its own account, `<slug>[bot]`. */
  readonly bot: Login;
  readonly publicKey: string;
  webhookUrl: string | null;
  readonly webhookSecret: string;
  readonly permissions: Readonly<Record<string, "read" | "write">>;
  readonly events: readonly string[];
  readonly owner: Login;
  readonly createdAt: number;
};

/** What an App asks for when it is made from a manifest; only what the model uses. */
export type AppManifest = {
  readonly name?: string;
  readonly hook_attributes?: { readonly url?: string };
  readonly default_permissions?: Readonly<Record<string, "read" | "write">>;
  readonly default_events?: readonly string[];
};

export type Installation = {
  readonly id: number;
  readonly app: number;
  readonly account: Login;
  /** What the account granted; a token can't have more. */
  readonly permissions: Readonly<Record<string, "read" | "write">>;
  /** The account chose "all repositories": later ones are added by themselves. */
  readonly selection: "all" | "selected";
  repositories: number[];
  suspended: boolean;
  suspendedAt: number | null;
  removed: boolean;
  readonly createdAt: number;
};

export type Token = {
  readonly value: string;
  readonly owner:
    | { readonly kind: "installation"; readonly installation: number }
    | { readonly kind: "user"; readonly login: Login };
  /** null: all of the installation's repositories. */
  readonly repositories: readonly number[] | null;
  readonly permissions: Readonly<Record<string, "read" | "write">>;
  /** Milliseconds since the epoch. */
  expiresAt: number;
};

export type MergeMethod = "merge" | "squash" | "rebase";

export type Repository = {
  readonly id: number;
  readonly owner: Login;
  name: string;
  private: boolean;
  description: string | null;
  defaultBranch: string;
  /** The repository this one was forked from. */
  readonly parent: number | null;
  readonly createdAt: number;
  pushedAt: number;
  /** Absolute path of the bare repository. */
  readonly gitDir: string;
  /** Who may do what; everybody else has `read` in a public repository and `none` in a private one. */
  readonly roles: Map<Login, Role>;
  readonly labels: Map<string, { readonly id: number; color: string; description: string | null }>;
  /** Issues and pull requests share their numbers. */
  readonly issues: Map<number, Issue>;
  readonly checkRuns: CheckRun[];
  readonly checkSuites: CheckSuite[];
  readonly mergeMethods: Set<MergeMethod>;
  deleteBranchOnMerge: boolean;
  /** By branch name. */
  readonly protection: Map<string, Protection>;
  /** Native stacks are offered here. */
  stacksEnabled: boolean;
  readonly stacks: Stack[];
  readonly mergeQueues: Map<string, QueueEntry[]>;
  readonly asyncMerges: AsyncMerge[];
  nextNumber: number;
};

export type Issue = {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string;
  readonly author: Login;
  state: "open" | "closed";
  stateReason: "completed" | "not_planned" | "reopened" | null;
  labels: string[];
  /** What happened to its labels, oldest first. */
  readonly labelEvents: LabelEvent[];
  readonly comments: Comment[];
  readonly reactions: Reaction[];
  readonly createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  closedBy: Login | null;
  readonly viaApp: number | null;
  locked: boolean;
  /** null for an issue. */
  readonly pull: Pull | null;
};

export type LabelEvent = {
  readonly id: number;
  readonly event: "labeled" | "unlabeled";
  readonly label: string;
  readonly by: Login;
  readonly at: number;
};

export type Comment = {
  readonly id: number;
  readonly author: Login;
  /** The App that wrote it through a token of its installation. */
  readonly viaApp: number | null;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
  readonly reactions: Reaction[];
};

export type ReactionContent = "+1" | "-1" | "laugh" | "confused" | "heart" | "hooray" | "rocket" | "eyes";
export type Reaction = {
  readonly id: number;
  readonly user: Login;
  readonly content: ReactionContent;
  readonly createdAt: number;
};

export type Pull = {
  /** Its own number space: an issue and its pull request have different ids. */
  readonly id: number;
  readonly headRef: string;
  /** Another repository for a fork; null when that was deleted. */
  readonly headRepo: number | null;
  headSha: string;
  baseRef: string;
  baseSha: string;
  draft: boolean;
  merged: boolean;
  mergedAt: number | null;
  mergedBy: Login | null;
  mergeCommitSha: string | null;
  /** Unknown (null) after each push or change of base, until somebody has asked and time has passed. */
  mergeable: { value: boolean | null; knownAt: number | null };
  readonly reviews: Review[];
  /** Oldest first. */
  readonly threads: ReviewThread[];
  readonly requestedReviewers: Login[];
  autoMerge: { readonly method: MergeMethod; readonly by: Login } | null;
  stack: number | null;
};

export type Review = {
  readonly id: number;
  readonly author: Login;
  readonly viaApp: number | null;
  state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED" | "DISMISSED";
  body: string;
  readonly commit: string;
  readonly submittedAt: number;
  editedAt: number | null;
};

export type DiffSide = "LEFT" | "RIGHT";

/** Lines of a diff; `startLine` is null for a single one. RIGHT is the file after the change, LEFT the one before. */
export type DiffRange = {
  readonly side: DiffSide;
  readonly line: number;
  readonly startSide: DiffSide;
  readonly startLine: number | null;
};

/** A conversation on lines of a pull request. It is gone with its last comment. */
export type ReviewThread = {
  readonly id: number;
  readonly path: string;
  /** Where it was begun. */
  readonly original: DiffRange & { readonly commit: string; readonly position: number };
  /** Where those lines stand now; null: outdated, the diff does not hold them any more. */
  place: (DiffRange & { readonly position: number }) | null;
  /** The newest head that it had a place in. */
  commit: string;
  /** The hunk down to the line. */
  readonly hunk: string;
  readonly comments: LineComment[];
  resolvedBy: Login | null;
};

export type LineComment = Comment & { readonly review: number };

export type Conclusion =
  | "success"
  | "failure"
  | "neutral"
  | "cancelled"
  | "timed_out"
  | "action_required"
  | "skipped"
  | "stale";

export type CheckRun = {
  readonly id: number;
  readonly suite: number;
  readonly app: number;
  readonly name: string;
  readonly headSha: string;
  externalId: string;
  detailsUrl: string | null;
  status: "queued" | "in_progress" | "completed";
  conclusion: Conclusion | null;
  startedAt: number;
  completedAt: number | null;
  title: string | null;
  summary: string | null;
  text: string | null;
  readonly annotations: unknown[];
  actions: { readonly label: string; readonly description: string; readonly identifier: string }[];
};

export type CheckSuite = {
  readonly id: number;
  readonly app: number;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly createdAt: number;
};

export type Protection = {
  /** Names of check runs that must have succeeded. */
  requiredChecks: string[];
  /** The branch must contain the base's tip. */
  strict: boolean;
  requiredApprovals: number;
  dismissStaleReviews: boolean;
  codeOwnerReviews: boolean;
  mergeQueue: boolean;
  linearHistory: boolean;
};

/** Bottom first. A merged pull request stays listed; the next one is then based on what it was based on. */
export type Stack = {
  readonly id: number;
  readonly number: number;
  base: string;
  pulls: number[];
  readonly createdAt: number;
};

export type QueueEntry = {
  readonly pull: number;
  readonly headRef: string;
  headSha: string;
  /** The pull request's own head when it was queued. */
  readonly pullHead: string;
  baseSha: string;
  readonly method: MergeMethod;
  readonly by: Login;
  state: "QUEUED" | "AWAITING_CHECKS" | "MERGEABLE";
};

export type AsyncMerge = {
  readonly uuid: string;
  readonly pull: number;
  readonly method: MergeMethod;
  readonly sha: string;
  readonly action: "default" | "direct_merge" | "merge_queue";
  readonly by: Login;
  /** It is done when the clock reaches this and somebody looks. */
  readonly dueAt: number;
  mergeSha: string | null;
  status: "pending" | "merged" | "enqueued" | "failed";
  message: string | null;
};

/** One webhook for one App. A redelivery has the same `guid` and a new `id`. */
export type Delivery = {
  readonly id: number;
  readonly guid: string;
  readonly app: number;
  readonly event: string;
  readonly action: string | null;
  readonly installation: number | null;
  readonly repository: number | null;
  readonly redelivery: boolean;
  readonly payload: unknown;
  deliveredAt: number;
  durationSecs: number;
  status: string;
  statusCode: number;
};

export type RateLimits = {
  /** Requests per hour and installation. */
  primary: number;
  /** Points per minute: a GET costs 1, a write 5. */
  pointsPerMinute: number;
  contentPerMinute: number;
  contentPerHour: number;
  concurrent: number;
};

export type RequestRecord = {
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** Such as `POST /repos/{owner}/{repo}/pulls`; null for git and pages. */
  readonly route: string | null;
  readonly actor: string;
  status: number;
  /** It made content: what GitHub counts against 80 a minute and 500 an hour. */
  readonly createsContent: boolean;
};

/** What happened, for webhooks and pages. The name is GitHub's event, such as `issue_comment`. */
export type Change = {
  readonly event: string;
  readonly action: string | null;
  readonly repository: number | null;
  readonly sender: Login;
  /** What the payload is about; the webhook builder knows by the event what to expect. */
  readonly subject: Readonly<Record<string, unknown>>;
};

export type Clock = { now(): number };
