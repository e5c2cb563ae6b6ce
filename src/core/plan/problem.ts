/** One thing wrong with a document a person wrote: where, what, and what to write instead. */
export type Problem = {
  readonly severity: "error" | "warning";
  /** Such as `stages[2].dependencies[0]`; empty for the document as a whole. */
  readonly path: string;
  /** Counted from 1 in the file as it was given; null when no line is to blame. */
  readonly line: number | null;
  readonly message: string;
  readonly fix: string;
  /** It asks for what only an operator may give (T30). */
  readonly refused?: PlanRefusal;
};

export type PlanRefusal = "private-host" | "whole-network" | "sandbox-off";

/** In one line: what a fix shows of the format, in lines of its own, is left out. */
export function problemInShort({ message, fix }: Problem): string {
  return `${message} ${(fix.split("\n", 1)[0] ?? "").replace(/:$/, ".")}`.trim();
}
