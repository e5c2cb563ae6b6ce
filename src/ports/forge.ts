import type { RunId, Sha, StageId } from "../core/ids.ts";

/** Where finished work is offered and merged: the local repository, or GitHub. */
export interface Forge {
  /** The tip of the branch the run merges into. Throws a UserError when the branch is gone. */
  targetTip(): Promise<Sha>;
  /** Find-or-create: the stage's branch points at `commit`. A branch that a person moved is left alone. */
  publish(spec: { run: RunId; stage: StageId; commit: Sha; previous: Sha | null }): Promise<PublishOutcome>;
  /** Moves the target from `onto` to `commit`, or says why not. Nothing happens in between. */
  merge(spec: { run: RunId; stage: StageId; commit: Sha; onto: Sha }): Promise<MergeOutcome>;
  /** The commit by which the stage is in the target's history after `since`, read from git and its trailers. */
  findMerged(run: RunId, stage: StageId, since: Sha): Promise<Sha | null>;
  /** Find-or-create: one commit on the target that holds these files (paths from the repository's root). */
  record(spec: {
    run: RunId;
    files: Readonly<Record<string, string>>;
    message: string;
  }): Promise<RecordOutcome>;
  /** Deletes the branches this run made, but those of the stages in `keep`; a branch that a person moved stays. */
  cleanUp(run: RunId, keep: readonly StageId[]): Promise<void>;
}

export type PublishOutcome =
  | { readonly kind: "published"; readonly branch: string }
  | { readonly kind: "taken"; readonly branch: string; readonly tip: Sha };

export type MergeOutcome =
  | { readonly kind: "merged" }
  /** The target is elsewhere by now; build the merge anew. */
  | { readonly kind: "moved"; readonly tip: Sha }
  /** A person has to act; `next` says how. */
  | { readonly kind: "held"; readonly reason: string; readonly next: string };

export type RecordOutcome =
  | { readonly kind: "recorded"; readonly commit: Sha }
  | { readonly kind: "held"; readonly reason: string; readonly next: string };
