/** One thing wrong with a document a person wrote: where, what, and what to write instead. */
export type Problem = {
  readonly severity: "error" | "warning";
  /** Such as `stages[2].dependencies[0]`; empty for the document as a whole. */
  readonly path: string;
  /** Counted from 1 in the file as it was given; null when no line is to blame. */
  readonly line: number | null;
  readonly message: string;
  readonly fix: string;
};
