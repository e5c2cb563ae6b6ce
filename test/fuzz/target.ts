import type fc from "fast-check";

/** One reader of words that others wrote. To have a reader fuzzed is to add one of these to `targets`. */
export type Target = {
  /** Also the folder below `corpus/` with inputs that were trouble once; they are read first. */
  readonly name: string;
  /** Gives data and throws nothing but a `UserError`; its own expectations may stand in here. */
  readonly read: (text: string) => unknown;
  readonly texts: fc.Arbitrary<string>;
  /** Pieces of which 8,000 and 16,000 characters are made, to see that the time only doubles. */
  readonly pieces: readonly string[];
  /** What it gives is read as the same again. */
  readonly isSettled?: boolean;
};
