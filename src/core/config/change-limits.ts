/**
 * How much one stage may change at most (T45). A change that nobody can read is no change that people may be asked to
 * merge, and every part of it is kept, compared and shown many times over.
 */
export type ChangeLimits = {
  /** Added, changed and removed together. */
  readonly files: number;
  /** Of all files that the change adds or writes anew, in full. */
  readonly megabytes: number;
};

/** LOOM_LIMIT_CHANGE_FILES and LOOM_LIMIT_CHANGE_MB, unless an operator says otherwise. */
export const CHANGE_LIMITS: ChangeLimits = { files: 5_000, megabytes: 100 };

/** How many names of changed files the ledger keeps; the rest are counted. */
export const MOST_FILES_NAMED = 500;

/** How many findings an agent is told of: whoever made thousands made them in one way. */
export const MOST_FINDINGS = 50;
