import type { MergeSpec, Readiness } from "../../../ports/forge.ts";
import { mergeRules } from "../contents/merge-rules.ts";
import { getPull } from "../pulls/pull.ts";
import { refusals } from "../refusals.ts";
import { SOON_MS } from "./merge.ts";
import { inWords, openChecks } from "./merge-refusal.ts";
import type { GitHubForgeParts } from "./parts.ts";

/** What GitHub says of a pull request that none of its rules holds back. */
const FREE: readonly string[] = ["clean", "unstable", "has_hooks"];

/**
 * What is proved together is to be merged together, so whatever can be known of a refusal is asked for first: a proof costs
 * more than a question, and one that stays behind takes the proof of the others with it.
 */
export async function readiness(
  forge: GitHubForgeParts,
  { commit, pr }: Pick<MergeSpec, "commit" | "pr">,
): Promise<Readiness> {
  const { repository, target } = forge;
  const rules = await mergeRules(repository, target);
  const pull = pr === null || rules.mergeQueue ? null : await getPull(repository, pr);
  // Whoever merges one alone finds out what is the matter with it, and says so.
  if (!pull?.open || pull.draft || pull.stack || pull.head.sha !== commit || pull.base !== target)
    return { kind: "by-itself" };
  if (rules.upToDate || pull.standing === "behind" || pull.mergeable === false) return { kind: "by-itself" };
  const open = await openChecks(forge, pull, rules);
  // What is no check run may be a commit status, which the App has no right to read. GitHub knows, once it was asked.
  const onlyUnseen = open.every(({ state }) => state === "unseen");
  if (open.length > 0 && !(onlyUnseen && FREE.includes(pull.standing))) {
    const wait = refusals.checks(pull.number, inWords(open));
    return onlyUnseen && pull.standing === "unknown" ? { ...wait, retryMs: SOON_MS } : wait;
  }
  const mayBeRefused = rules.requiredApprovals > 0 || rules.codeOwners || pull.standing === "blocked";
  return { kind: mayBeRefused ? "unsure" : "ready" };
}
