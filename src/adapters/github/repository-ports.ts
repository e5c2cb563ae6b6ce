import type { RepositoryPorts } from "../../ports/github/repository-ports.ts";
import { defaultBranch } from "./contents/default-branch.ts";
import { fetchCommits } from "./contents/fetch-commits.ts";
import { mergeRules } from "./contents/merge-rules.ts";
import { blobOf, examineFile, readFile } from "./contents/read-file.ts";
import { forgetLedger, mirroredLedgers, mirrorLedger, type SigningKeys } from "./mirror-ledger.ts";
import { amendOffer } from "./plan-branch/amend-offer.ts";
import { offerPlan } from "./plan-branch/offer-plan.ts";
import { editPull } from "./pulls/edit-pull.ts";
import { observe } from "./pulls/observe.ts";
import { getPull, pullsFromBranch } from "./pulls/pull.ts";
import { putCheck } from "./put-check.ts";
import { openRepository, type RepositoryParts } from "./repository.ts";
import { editReview } from "./reviews/edit-review.ts";
import { fetchChange } from "./reviews/fetch-change.ts";
import { readReviews } from "./reviews/read-reviews.ts";
import { review, reviewTexts } from "./reviews/review.ts";
import { shownPatches } from "./reviews/shown-patches.ts";
import { roleOf } from "./role-of.ts";
import { comment, editComment } from "./threads/comment.ts";
import { editRemark } from "./threads/edit-remark.ts";
import { labelled } from "./threads/labelled.ts";
import { lineRemarks } from "./threads/line-remarks.ts";
import { react } from "./threads/react.ts";
import { readIssue } from "./threads/read-issue.ts";
import { readThread } from "./threads/read-thread.ts";
import { replyOnLine } from "./threads/reply-on-line.ts";
import { resolveRemark } from "./threads/resolve-remark.ts";
import { setLabels } from "./threads/set-labels.ts";

export type RepositoryPortsOptions = RepositoryParts & {
  /** For the ledger's copies; see `signingKeyOf`. */
  readonly signingKeys: SigningKeys;
};

/** One repository on GitHub. Cheap to make: one per job will do, what is worth keeping is kept by the client. */
export function createRepositoryPorts({ signingKeys, ...parts }: RepositoryPortsOptions): RepositoryPorts {
  const repository = openRepository(parts);
  const mirror = { repository, signingKeys, tips: new Map() };
  return {
    people: { roleOf: (person) => roleOf(repository, person) },
    threads: {
      issue: (number) => readIssue(repository, number),
      thread: (number) => readThread(repository, number),
      comment: async (number, key, body, below) =>
        (below === undefined ? null : await replyOnLine(repository, { number, key, body, below })) ??
        comment(repository, number, key, body),
      editComment: (id, body) => editComment(repository, id, body),
      react: (to, reaction) => react(repository, to, reaction),
      setLabels: (number, labels) => setLabels(repository, number, labels),
      labelled: (number, label) => labelled(repository, number, label),
    },
    pulls: {
      pull: (number) => getPull(repository, number),
      async pullByBranch(branch) {
        const [latest] = await pullsFromBranch(repository, branch);
        return latest ? getPull(repository, latest.number) : null;
      },
      editPull: (number, change) => editPull(repository, number, change),
      fetchChange: (number) => fetchChange(repository, number),
      observe: (spec) => observe(repository, spec),
    },
    reviews: {
      reviews: (number) => readReviews(repository, number),
      lineRemarks: (number) => lineRemarks(repository, number),
      reviewTexts: (number) => reviewTexts(repository, number),
      review: (number, spec) => review(repository, number, spec),
      editReview: (number, key, write) => editReview(repository, number, key, write),
      shownPatches: (number) => shownPatches(repository, number),
      editRemark: (id, body) => editRemark(repository, id, body),
      resolveRemark: (thread) => resolveRemark(repository, thread),
    },
    checks: { putCheck: (check, known) => putCheck(repository, check, known) },
    contents: {
      defaultBranch: () => defaultBranch(repository),
      examineFile: (at, path, maxBytes) => examineFile(repository, at, path, maxBytes),
      readFile: (at, path, maxBytes) => readFile(repository, at, path, maxBytes),
      blobOf: (at, path) => blobOf(repository, at, path),
      fetch: (commits) => fetchCommits(repository, commits),
      rules: (branch) => mergeRules(repository, branch),
    },
    planBranch: {
      offerPlan: (offer) => offerPlan(repository, offer),
      amendOffer: (amendment) => amendOffer(repository, amendment),
    },
    ledgerMirror: {
      mirrorLedger: (run, text) => mirrorLedger(mirror, run, text),
      mirroredLedgers: () => mirroredLedgers(mirror),
      forgetLedger: (run) => forgetLedger(mirror, run),
    },
  };
}
