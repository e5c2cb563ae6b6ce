import type { RunId, Sha, StageId } from "../core/ids.ts";

/** Where finished work is offered and merged: the local repository, or GitHub. One of them serves one run. */
export interface Forge {
  /** The tip of the branch the run merges into, fetched. Throws a UserError when the branch is gone. */
  targetTip(): Promise<Sha>;
  /**
   * Find-or-create: the stage's branch points at `commit`, and where there are pull requests, one offers it. A branch
   * that a person moved is left alone, and a pull request that a person closed is not opened again.
   */
  publish(spec: PublishSpec): Promise<PublishOutcome>;
  /** What would become of a merge of this published commit, as far as that can be told beforehand. */
  readiness(spec: Pick<MergeSpec, "commit" | "pr">): Promise<Readiness>;
  /** Brings `commit` into the target, which stood at `onto`, or says why not. */
  merge(spec: MergeSpec): Promise<MergeOutcome>;
  /** The commit by which the stage is in the target's history after `since`, read from git. */
  findMerged(run: RunId, stage: StageId, since: Sha): Promise<Sha | null>;
  /** Find-or-create: these files (paths from the repository's root) on the target, by a commit or a pull request. */
  record(spec: RecordSpec): Promise<RecordOutcome>;
  /** Deletes the branches this run made, but those of the stages in `keep`, those a person moved, and those that an open pull request needs. */
  cleanUp(run: RunId, keep: readonly StageId[]): Promise<void>;
  /** Makes these commits readable here, where another worker may have made them. Resolves with those that can't be had. */
  fetch(commits: readonly Sha[]): Promise<readonly Sha[]>;
}

/** What a stage's work stands on: the target, the branch of the one dependency that is not merged, or several joined. */
export type StackBase =
  | { readonly kind: "target" }
  | { readonly kind: "stage"; readonly stage: StageId }
  | { readonly kind: "joined"; readonly commit: Sha };

export type PublishSpec = {
  readonly run: RunId;
  readonly stage: StageId;
  readonly commit: Sha;
  /** Where Loom last left the branch. */
  readonly previous: Sha | null;
  readonly base: StackBase;
  /** The pull request of an earlier publication. */
  readonly pr: number | null;
  readonly title: string;
  readonly body: string;
};

export type PublishOutcome =
  | { readonly kind: "published"; readonly branch: string; readonly pr: number | null }
  | { readonly kind: "taken"; readonly branch: string; readonly tip: Sha }
  /** A person has to act; `next` says how. */
  | { readonly kind: "held"; readonly reason: string; readonly next: string };

export type Readiness =
  /** It can be merged on top of whatever the target is. */
  | { readonly kind: "ready" }
  /** The forge may refuse, and only tells when it is asked to merge. */
  | { readonly kind: "unsure" }
  /** The branch itself has to stand on the target first, or a queue does the merging. */
  | { readonly kind: "by-itself" }
  | Extract<MergeOutcome, { kind: "waiting" }>;

export type MergeSpec = {
  readonly run: RunId;
  readonly stage: StageId;
  readonly commit: Sha;
  readonly onto: Sha;
  /** The tree that was proved as what the merge makes, where `commit` does not stand on `onto`. */
  readonly tree?: Sha;
  readonly pr: number | null;
  /** For the commit that a squash or a merge makes; carries the trailers. */
  readonly message: string;
};

export type MergeOutcome =
  /**
   * `as` is the commit in the target, which a squash or a rebase makes anew. `unlike`: its tree is not the one that was proved,
   * since somebody else moved the target at the same moment.
   */
  | { readonly kind: "merged"; readonly as: Sha; readonly unlike?: boolean }
  /** The target is elsewhere by now; build the merge anew. */
  | { readonly kind: "moved"; readonly tip: Sha }
  /** Not yet: checks run, a review is due, a queue is at work. Ask again after `retryMs`, or when something happened. */
  | {
      readonly kind: "waiting";
      readonly reason: string;
      readonly next: string;
      readonly retryMs: number | null;
      /** It was put into a merge queue just now; absent when it was there already. */
      readonly entered?: boolean;
    }
  | {
      readonly kind: "held";
      readonly reason: string;
      readonly next: string;
      /** It does not go together with the target; absent: something else is in the way. */
      readonly conflict?: true;
    };

export type RecordSpec = {
  readonly run: RunId;
  /** Where all of them lie, from the repository's root; `.loom/<run>` when not given. */
  readonly folder?: string;
  readonly files: Readonly<Record<string, string>>;
  readonly message: string;
};

export type RecordOutcome =
  | { readonly kind: "recorded"; readonly commit: Sha }
  | { readonly kind: "held"; readonly reason: string; readonly next: string };
