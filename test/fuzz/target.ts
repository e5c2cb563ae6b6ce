import type fc from "fast-check";

/** One reader of words that others wrote. To have a reader fuzzed is to add one of these to `targets`. */
export type Target = {
  /** Also the folder below `corpus/` with inputs that were trouble once; they are read first. */
  readonly name: string;
  /** Gives data and throws nothing but a `UserError`; its own expectations may stand in here. */
  readonly read: (text: string) => unknown;
  readonly texts: fc.Arbitrary<string>;
  /** Pieces of which ever longer texts are made, to see that the time only doubles when the text does. */
  readonly pieces: readonly string[];
  /** So many characters are read at most; 2,000,000 unless told. */
  readonly most?: number;
  /** What it gives is read as the same again. */
  readonly isSettled?: boolean;
};
