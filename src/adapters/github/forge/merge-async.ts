import * as z from "zod";
import type { MergeOutcome } from "../../../ports/forge.ts";
import { readMergeWords } from "../api/merge-words.ts";
import { readAnswer } from "../api/read-answer.ts";
import { refusals } from "../refusals.ts";
import type { GitHubForgeParts } from "./parts.ts";

const START = "PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge-async";
const RESULT = "GET /repos/{owner}/{repo}/pulls/{pull_number}/merge-async/{uuid}";

const SHAPE = z.object({
  status: z.enum(["pending", "merged", "enqueued", "failed"]),
  details: z.object({ message: z.string(), uuid: z.string().optional(), sha: z.string().optional() }),
});
type Result = z.infer<typeof SHAPE>;

export type AsyncMerge = {
  readonly pull_number: number;
  readonly sha: string;
  readonly merge_method: string;
  readonly merge_action: "direct_merge" | "merge_queue";
  readonly commit_title: string;
  readonly commit_message: string;
};

const LOOKS = 10;

/**
 * The way into a merge queue, and the only one for a stacked pull request. Asking again while one is under way is
 * harmless: GitHub answers with that one (409), so that no look is needed before.
 */
export async function mergeAsync(forge: GitHubForgeParts, request: AsyncMerge): Promise<MergeOutcome> {
  const { repository } = forge;
  const { pull_number } = request;
  const reply = await repository.ask(START, request, { repeat: true, use: "merge", answers: [400, 409] });
  let result = readAnswer(SHAPE, reply, START);
  for (let look = 0; look < LOOKS && result.status === "pending"; look += 1) {
    const { uuid } = result.details;
    if (uuid === undefined) break;
    await repository.pause(Math.min(500 * (look + 1), 3_000));
    const answer = await repository.ask(RESULT, { pull_number, uuid }, { answers: [404] });
    if (answer.status === 404) break;
    result = readAnswer(SHAPE, answer, RESULT);
  }
  const outcome = outcomeOf(pull_number, result);
  // 200 tells of a queue that it is in already; what left a queue again and again is not put there for ever.
  return outcome.kind === "waiting" && result.status === "enqueued" && reply.status !== 200
    ? { ...outcome, entered: true }
    : outcome;
}

function outcomeOf(pr: number, { status, details }: Result): MergeOutcome {
  switch (status) {
    case "merged":
      return details.sha === undefined ? refusals.notYetSeen(pr) : { kind: "merged", as: details.sha };
    case "enqueued":
      return refusals.queued(pr);
    case "pending":
      return refusals.notYetSeen(pr);
    case "failed":
      return failed(pr, details.message);
  }
}

function failed(pr: number, said: string): MergeOutcome {
  switch (readMergeWords(said, "later").why) {
    case "conflict":
      return refusals.conflict(pr);
    case "draft":
      return refusals.draft(pr);
    case "head-moved":
      return refusals.headMoved(pr);
    case "base-moved":
      return refusals.notYetSeen(pr);
    case "checks":
      return refusals.checks(pr, said.replace(/\.$/, ""));
    case "review":
      return refusals.review(pr, said);
    default:
      return refusals.policy(pr, said);
  }
}
