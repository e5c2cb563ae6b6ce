/** Why GitHub did not merge, as far as its sentence tells. */
export type MergeRefusal =
  | "base-moved"
  | "head-moved"
  | "method"
  | "draft"
  | "conflict"
  | "checks"
  | "review"
  | "not-mergeable"
  /** Nothing that is known here. */
  | "policy";

/** The way that a pull request has to take instead. */
export type MergeDetour = "merge_queue" | "direct_merge";

type Rows = readonly (readonly [MergeRefusal, RegExp])[];

/** The first that fits counts. */
const AT_ONCE: Rows = [
  ["base-moved", /base branch was modified/i],
  ["method", /(squash|rebase) merges are not allowed|merge commits are not allowed|merge method/i],
  ["draft", /draft/i],
  ["conflict", /conflict/i],
  ["checks", /status check|check run|checks? (?:is|are) (?:expected|pending|failing)|deployment/i],
  ["review", /review|approv|conversation/i],
  ["not-mergeable", /not mergeable/i],
];

const LATER: Rows = [
  ["conflict", /conflict|not mergeable/i],
  ["draft", /draft/i],
  ["head-moved", /head .*(modified|changed|moved)|expected head/i],
  ["base-moved", /base branch was modified/i],
  ["checks", /status check|checks? (?:is|are) /i],
  ["review", /review|approv|conversation/i],
];

/**
 * GitHub tells the reasons for which it does not merge apart by their wording only. This is the one place that looks at
 * it; all else goes by the code. `when`: whether it refused as it was asked, or told afterwards how an asynchronous merge
 * ended.
 */
export function readMergeWords(
  said: string,
  when: "at-once" | "later",
): { readonly why: MergeRefusal; readonly detour: MergeDetour | null } {
  const rows = when === "at-once" ? AT_ONCE : LATER;
  const why = rows.find(([, words]) => words.test(said))?.[0] ?? "policy";
  const detour = /merge queue/i.test(said) ? "merge_queue" : /stack/i.test(said) ? "direct_merge" : null;
  return { why, detour: when === "at-once" ? detour : null };
}
