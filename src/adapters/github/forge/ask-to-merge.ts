import * as z from "zod";
import type { Sha } from "../../../core/ids.ts";
import type { MergeRules } from "../../../core/merge/merge-rules.ts";
import type { MergeOutcome } from "../../../ports/forge.ts";
import { detailOf, GitHubFailure } from "../api/failure.ts";
import { type MergeDetour, readMergeWords } from "../api/merge-words.ts";
import { readAnswer } from "../api/read-answer.ts";
import { readBranchTip, readTree } from "../git-facts.ts";
import { getPull, type Pull } from "../pulls/pull.ts";
import { refusals } from "../refusals.ts";
import { mergeAsync } from "./merge-async.ts";
import { readMergeRefusal } from "./merge-refusal.ts";
import type { GitHubForgeParts } from "./parts.ts";

const ROUTE = "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge";

export type MergeWish = {
  readonly pull: Pull;
  readonly rules: MergeRules;
  readonly commit: Sha;
  readonly onto: Sha | null;
  readonly tree?: Sha | undefined;
  readonly message: string;
};

/** Bound to the commit that was proved: GitHub refuses when the head is another by then. */
export async function askToMerge(forge: GitHubForgeParts, wish: MergeWish): Promise<MergeOutcome> {
  const { pull, rules, commit, onto, message } = wish;
  const method = forge.config.method ?? rules.methods[0];
  if (method === undefined) return refusals.noMethod();
  const [title = "", ...rest] = message.split("\n");
  const request = {
    pull_number: pull.number,
    sha: commit,
    merge_method: method,
    commit_title: title,
    // The trailers have to be the message's last paragraph, by which git knows them.
    commit_message: rest.join("\n").trim(),
  };
  const later = async (merge_action: MergeDetour): Promise<MergeOutcome> => {
    const outcome = await mergeAsync(forge, { ...request, merge_action });
    return outcome.kind === "merged" ? confirm(forge, wish, outcome.as) : outcome;
  };
  if (rules.mergeQueue) return later("merge_queue");
  if (pull.stack) return later("direct_merge");
  try {
    const reply = await forge.repository.ask(ROUTE, request, { use: "merge", answers: [405, 409] });
    if (reply.status === 200) {
      return confirm(forge, wish, readAnswer(z.object({ sha: z.string() }), reply, ROUTE).sha);
    }
    // Rules that the App may not read can ask for a queue, and a person may have stacked it a moment ago.
    const { detour } = readMergeWords(detailOf(reply.data), "at-once");
    if (detour !== null) return await later(detour);
    return await readMergeRefusal(forge, { pull, method, reply, rules, onto });
  } catch (error) {
    if (!(error instanceof GitHubFailure)) throw error;
    // It may be done all the same: what happened is read before anything is asked again (F14).
    return error.unsure ? confirm(forge, wish, null) : refusals.policy(pull.number, error.detail);
  }
}

const LOOKS = 3;

/** Merged is what git says is merged; GitHub's answer may be ahead of what can be fetched. */
async function confirm(
  forge: GitHubForgeParts,
  { pull: { number }, tree }: MergeWish,
  named: Sha | null,
): Promise<MergeOutcome> {
  const { repository } = forge;
  for (let look = 0; look < LOOKS; look += 1) {
    if (look > 0) await repository.pause(500 * look);
    const as = named ?? (await getPull(repository, number))?.mergeCommit ?? null;
    if (as === null || !(await isIn(forge, as))) continue;
    return tree === undefined
      ? { kind: "merged", as }
      : { kind: "merged", as, unlike: (await readTree(repository, as)) !== tree };
  }
  return refusals.notYetSeen(number);
}

/** Mostly it is what the target now is, and then nothing has to be fetched to know. */
async function isIn(forge: GitHubForgeParts, commit: Sha): Promise<boolean> {
  const { repository, target } = forge;
  if ((await readBranchTip(repository, target)) === commit) return true;
  return repository.git.history.isAncestor(commit, await forge.targetTip());
}
