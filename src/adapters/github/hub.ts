import type { Hub } from "../../ports/hub.ts";
import { amendOffer } from "./hub/amend-offer.ts";
import { comment, editComment } from "./hub/comments/comment.ts";
import { editRemark } from "./hub/comments/edit-remark.ts";
import { lineRemarks } from "./hub/comments/line-remarks.ts";
import { react } from "./hub/comments/react.ts";
import { readThread } from "./hub/comments/read-thread.ts";
import { replyOnLine } from "./hub/comments/reply-on-line.ts";
import { resolveRemark } from "./hub/comments/resolve-remark.ts";
import { defaultBranch } from "./hub/default-branch.ts";
import { editPull } from "./hub/edit-pull.ts";
import { fetchCommits } from "./hub/fetch-commits.ts";
import { labelled } from "./hub/labelled.ts";
import { mergeRules } from "./hub/merge-rules.ts";
import { forgetLedger, mirroredLedgers, mirrorLedger, type SigningKeys } from "./hub/mirror-ledger.ts";
import { observe } from "./hub/observe.ts";
import { offerPlan } from "./hub/offer-plan.ts";
import { putCheck } from "./hub/put-check.ts";
import { blobOf, examineFile, readFile } from "./hub/read-file.ts";
import { readIssue } from "./hub/read-issue.ts";
import { editReview } from "./hub/reviews/edit-review.ts";
import { fetchChange } from "./hub/reviews/fetch-change.ts";
import { readReviews } from "./hub/reviews/read-reviews.ts";
import { review, reviewTexts } from "./hub/reviews/review.ts";
import { shownPatches } from "./hub/reviews/shown-patches.ts";
import { roleOf } from "./hub/role-of.ts";
import { setLabels } from "./hub/set-labels.ts";
import { getPull, pullsFromBranch } from "./pull.ts";
import { openRepository, type RepositoryParts } from "./repository.ts";

export type HubOptions = RepositoryParts & {
  /** For the ledger's copies; see `signingKeyOf`. */
  readonly signingKeys: SigningKeys;
};

/** One repository on GitHub. Cheap to make: one per job will do, what is worth keeping is kept by the client. */
export function createHub({ signingKeys, ...parts }: HubOptions): Hub {
  const repository = openRepository(parts);
  const mirror = { repository, signingKeys, tips: new Map() };
  return {
    roleOf: (person) => roleOf(repository, person),
    issue: (number) => readIssue(repository, number),
    labelled: (number, label) => labelled(repository, number, label),
    pull: (number) => getPull(repository, number),
    async pullByBranch(branch) {
      const [latest] = await pullsFromBranch(repository, branch);
      return latest ? getPull(repository, latest.number) : null;
    },
    defaultBranch: () => defaultBranch(repository),
    examineFile: (at, path, maxBytes) => examineFile(repository, at, path, maxBytes),
    readFile: (at, path, maxBytes) => readFile(repository, at, path, maxBytes),
    rules: (branch) => mergeRules(repository, branch),
    thread: (number) => readThread(repository, number),
    reviews: (number) => readReviews(repository, number),
    fetchChange: (number) => fetchChange(repository, number),
    fetch: (commits) => fetchCommits(repository, commits),
    lineRemarks: (number) => lineRemarks(repository, number),
    reviewTexts: (number) => reviewTexts(repository, number),
    review: (number, spec) => review(repository, number, spec),
    editReview: (number, key, write) => editReview(repository, number, key, write),
    shownPatches: (number) => shownPatches(repository, number),
    editRemark: (id, body) => editRemark(repository, id, body),
    resolveRemark: (thread) => resolveRemark(repository, thread),
    react: (to, reaction) => react(repository, to, reaction),
    comment: async (number, key, body, below) =>
      (below === undefined ? null : await replyOnLine(repository, { number, key, body, below })) ??
      comment(repository, number, key, body),
    editComment: (id, body) => editComment(repository, id, body),
    setLabels: (number, labels) => setLabels(repository, number, labels),
    putCheck: (check, known) => putCheck(repository, check, known),
    editPull: (number, change) => editPull(repository, number, change),
    amendOffer: (amendment) => amendOffer(repository, amendment),
    offerPlan: (offer) => offerPlan(repository, offer),
    blobOf: (at, path) => blobOf(repository, at, path),
    observe: (spec) => observe(repository, spec),
    mirrorLedger: (run, text) => mirrorLedger(mirror, run, text),
    mirroredLedgers: () => mirroredLedgers(mirror),
    forgetLedger: (run) => forgetLedger(mirror, run),
  };
}
