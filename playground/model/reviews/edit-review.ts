import { checkBody } from "../checks/check-body.ts";
import type { PullIssue } from "../find.ts";
import { tell } from "../people/subjects.ts";
import { missingField, notFound } from "../refusal.ts";
import type { Login, Repository, Review } from "../types.ts";
import type { World } from "../world.ts";

/** Only who wrote it changes its text, and GitHub says of anybody else that it is not there. */
export function editReview(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: { readonly by: Login; readonly review: number; readonly body: string },
): Review {
  const review = issue.pull.reviews.find((one) => one.id === options.review);
  if (!review || review.author !== options.by) throw notFound();
  if (options.body.trim() === "") throw missingField("PullRequestReview", "body");
  checkBody("PullRequestReview", options.body);
  if (review.body === options.body) return review;
  const changes = { body: { from: review.body } };
  review.body = options.body;
  const at = { repository, sender: options.by };
  tell(world, "pull_request_review", "edited", at, { issue, review, changes });
  return review;
}
