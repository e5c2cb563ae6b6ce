import { counted } from "../text/durations.ts";

/** How many findings of one audit are told. */
export const MAX_FINDINGS = 50;

/** What of an agent's findings did not come through as it was written, counted for people. */
export type PassedOver = {
  count(what: Lost, times?: number): void;
  notes(): string[];
};

export type Lost =
  | "form"
  | "most"
  | "entry"
  | "severity"
  | "text"
  | "suggestion"
  | "path"
  | "missing"
  | "earlier"
  | "secret-suggestion"
  | "secret-path";

const SENTENCES: Readonly<Record<Lost, (n: number) => string>> = {
  form: () => "The agent's answer was not in the form it was asked for; what could be read of it is here.",
  most: (n) =>
    `${counted(n, "more finding")} ${were(n)} left out: only the most severe ${MAX_FINDINGS} are kept.`,
  entry: (n) =>
    `${counted(n, "entry", "entries")} of the agent's list could not be read and ${were(n)} passed over.`,
  severity: (n) =>
    `${counted(n, "finding")} had no severity that is known; ${n === 1 ? "it is" : "they are"} taken as medium.`,
  text: (n) => `The text of ${counted(n, "finding")} was too long and is cut.`,
  suggestion: (n) => `${counted(n, "suggestion")} could not be used and ${were(n)} left out.`,
  path: (n) => `${counted(n, "finding")} named a file that can't be one of the repository.`,
  missing: (n) =>
    `${counted(n, "finding")} ${n === 1 ? "names" : "name"} a file that is not in this commit: look twice.`,
  "secret-suggestion": (n) =>
    `${counted(n, "suggestion")} held what looks like a secret and ${were(n)} left out.`,
  "secret-path": (n) =>
    `${counted(n, "finding")} named a file by what looks like a secret, and ${n === 1 ? "stands" : "stand"} without it.`,
  earlier: (n) =>
    `${counted(n, "word")} about earlier findings named none that is known and ${were(n)} passed over.`,
};

export function createPassedOver(): PassedOver {
  const counts = new Map<Lost, number>();
  return {
    count: (what, times = 1) => void counts.set(what, (counts.get(what) ?? 0) + times),
    notes: () => [...counts].flatMap(([what, n]) => (n > 0 ? [SENTENCES[what](n)] : [])),
  };
}

function were(n: number): string {
  return n === 1 ? "was" : "were";
}
