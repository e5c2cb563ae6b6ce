import { checkBody } from "../checks/check-body.ts";
import type { PullIssue } from "../find.ts";
import { inTurn } from "../in-turn.ts";
import { nextId } from "../next-id.ts";
import { tell } from "../people/subjects.ts";
import { pullFiles } from "../pulls/pull-files.ts";
import { Refusal } from "../refusal.ts";
import type { DiffRange, Repository, Review, ReviewThread } from "../types.ts";
import type { World } from "../world.ts";
import { type Placed, placeOnDiff } from "./place-on-diff.ts";
import { settleThreads } from "./settle-threads.ts";
import { type NewReview, submitReview } from "./submit-review.ts";

export type NewRemark = DiffRange & { readonly path: string; readonly body: string };

/** A review with comments on lines: all of it or, when one of the lines is not in the diff, nothing. */
export function reviewLines(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: NewReview & { readonly remarks: readonly NewRemark[] },
): Promise<Review> {
  return inTurn(repository, async () => {
    const commit = options.commit ?? issue.pull.headSha;
    await checkCommit(world, repository, issue, commit);
    const files = await pullFiles(world, repository, issue, commit);
    const places = options.remarks.map((remark) => {
      if (remark.body.trim() === "") throw unprocessable(["Pull request review comment body can't be blank"]);
      checkBody("PullRequestReviewComment", remark.body);
      const placed = placeOnDiff(files, remark.path, remark);
      if (placed.kind === "refused") throw unprocessable(placed.reasons);
      return placed;
    });
    const review = submitReview(world, repository, issue, {
      ...options,
      onLines: options.remarks.length > 0,
    });
    for (const [index, remark] of options.remarks.entries()) {
      const placed = places[index];
      if (placed) openThread(world, repository, issue, review, remark, placed);
    }
    if (commit !== issue.pull.headSha) await settleThreads(world, repository, issue);
    return review;
  });
}

function openThread(
  world: World,
  repository: Repository,
  issue: PullIssue,
  review: Review,
  { path, body, ...range }: NewRemark,
  { position, hunk }: Extract<Placed, { kind: "placed" }>,
): void {
  const { submittedAt: at, author, viaApp, commit } = review;
  const { side, line, startSide, startLine } = range;
  const place = { side, line, startSide, startLine, position };
  const comment = {
    id: nextId(world),
    review: review.id,
    author,
    viaApp,
    body,
    createdAt: at,
    updatedAt: at,
    reactions: [],
  };
  const thread: ReviewThread = {
    id: nextId(world),
    path,
    original: { ...place, commit },
    place,
    commit,
    hunk,
    comments: [comment],
    resolvedBy: null,
  };
  issue.pull.threads.push(thread);
  const where = { repository, sender: author };
  tell(world, "pull_request_review_comment", "created", where, { issue, thread, comment });
}

async function checkCommit(
  { git }: World,
  { gitDir }: Repository,
  { pull }: PullIssue,
  commit: string,
): Promise<void> {
  if (commit === pull.headSha) return;
  const own = await git.commits(gitDir, { from: pull.baseSha, to: pull.headSha });
  if (!own.some(({ sha }) => sha === commit))
    throw unprocessable(["commit_id is not part of the pull request"]);
}

/** GitHub joins what is wrong into one sentence, and does not tell which comment it is about. */
function unprocessable(reasons: readonly string[]): Refusal {
  const last = reasons.at(-1) ?? "";
  const rest = reasons.slice(0, -1);
  const joint = rest.length === 0 ? "" : rest.length === 1 ? " and " : ", and ";
  return new Refusal(422, "Unprocessable Entity", [], [`${rest.join(", ")}${joint}${last}`]);
}
