import type { RunId, Sha, StageId } from "../../core/ids.ts";

/** Pull requests of one repository on GitHub. */
export interface Pulls {
  pull(number: number): Promise<PullFacts | null>;
  /** The pull request with this head branch, whatever its state; the newest. */
  pullByBranch(branch: string): Promise<PullFacts | null>;
  editPull(
    number: number,
    change: { title?: string; body?: string; state?: "open" | "closed" },
  ): Promise<void>;
  /** The change that a pull request proposes, readable here afterwards; null when it is no pull request. */
  fetchChange(number: number): Promise<ChangeFacts | null>;
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
}

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

export type StageAsked = {
  readonly stage: StageId;
  readonly pr: number | null;
  /** Whatever becomes of its pull request changes nothing about the stage. */
  readonly settled?: boolean;
  /** Whether it could be merged is asked for as well, which takes a request of its own. */
  readonly mergeable?: boolean;
};

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
