/** Rules of a target branch that make merging slow, or that Loom has to fit. */
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
