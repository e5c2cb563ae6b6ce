import { checkBody } from "../checks/check-body.ts";
import type { PullIssue } from "../find.ts";
import { nextId } from "../next-id.ts";
import type { Actor } from "../people/actor.ts";
import { tell } from "../people/subjects.ts";
import { Refusal } from "../refusal.ts";
import type { Repository, Review } from "../types.ts";
import type { World } from "../world.ts";

export type NewReview = Actor & {
  readonly state: "APPROVED" | "CHANGES_REQUESTED" | "COMMENTED";
  readonly body?: string;
  /** The commit that was looked at; the head when left out. */
  readonly commit?: string;
  /** It has something to say on lines, so that it needs no words of its own. */
  readonly onLines?: boolean;
};

export function submitReview(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: NewReview,
): Review {
  const own = issue.author === options.by;
  if (own && options.state === "APPROVED") throw unprocessable("Can not approve your own pull request");
  if (own && options.state === "CHANGES_REQUESTED") {
    throw unprocessable("Can not request changes on your own pull request");
  }
  const body = options.body ?? "";
  if (options.state !== "APPROVED" && body === "" && !options.onLines)
    throw unprocessable("Body can't be blank");
  checkBody("PullRequestReview", body);
  const review: Review = {
    id: nextId(world),
    author: options.by,
    viaApp: options.viaApp ?? null,
    state: options.state,
    body,
    commit: options.commit ?? issue.pull.headSha,
    submittedAt: world.clock.now(),
    editedAt: null,
  };
  issue.pull.reviews.push(review);
  const asked = issue.pull.requestedReviewers.indexOf(options.by);
  if (asked >= 0) issue.pull.requestedReviewers.splice(asked, 1);
  issue.updatedAt = review.submittedAt;
  tell(world, "pull_request_review", "submitted", { repository, sender: options.by }, { issue, review });
  return review;
}

function unprocessable(message: string): Refusal {
  return new Refusal(422, "Unprocessable Entity", [], [message]);
}
