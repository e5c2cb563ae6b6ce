/** What a ledger is about, as people are told when it can't be read or written. */
export type LedgerWords = {
  readonly one: string;
  readonly withArticle: string;
  readonly many: string;
  /** What to do with a name that is none. */
  readonly seeNames: string;
  /** What to do when it is lost; goes on after "Put it back from a copy, or ". */
  readonly forget: string;
  /** What to do when writing works again; goes on after "…, then ". */
  readonly goOn: (id: string) => string;
};

export const RUN_WORDS: LedgerWords = {
  one: "run",
  withArticle: "a run",
  many: "runs",
  seeNames: "`loom runs` lists the runs there are.",
  forget: "forget the run with `loom clean`.",
  goOn: (id) => `go on with \`loom resume ${id}\`.`,
};

export const TASK_WORDS: LedgerWords = {
  one: "task",
  withArticle: "a task",
  many: "tasks",
  seeNames: "Names are lower-case letters, digits and dashes, at most 63 of them.",
  forget: "ask for it again.",
  goOn: () => "ask for it again.",
};
