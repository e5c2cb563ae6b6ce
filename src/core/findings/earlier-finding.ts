/** What audits of the same kind said here before, as a later one has to know it. */
export type EarlierFindings = {
  /** Those that nobody has settled. */
  readonly open: readonly EarlierFinding[];
  /** Those that people settled while they stood: they have read them and decided. */
  readonly settled: readonly EarlierFinding[];
  /** All that people were shown, so that no new one takes the name of an old one. */
  readonly ids: readonly string[];
};

export type EarlierFinding = {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly file: string | null;
  /** Where it stands by now; null: nowhere, or nobody knows. */
  readonly line: number | null;
  /** What was answered to it, oldest first. */
  readonly replies: readonly { readonly author: string; readonly text: string }[];
};

export const NO_FINDINGS: EarlierFindings = { open: [], settled: [], ids: [] };

const MAX_SHOWN = 60;

/** As many as an agent is told of; it has never seen the ids of the others. */
export function shownOf(list: readonly EarlierFinding[]): readonly EarlierFinding[] {
  return list.slice(0, MAX_SHOWN);
}
