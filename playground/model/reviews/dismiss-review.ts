import type { PullIssue } from "../find.ts";
import { tell } from "../people/subjects.ts";
import { notFound, Refusal } from "../refusal.ts";
import type { Login, Repository, Review } from "../types.ts";
import type { World } from "../world.ts";

export function dismissReview(
  world: World,
  repository: Repository,
  issue: PullIssue,
  options: { readonly by: Login; readonly review: number },
): Review {
  const review = issue.pull.reviews.find((one) => one.id === options.review);
  if (!review) throw notFound();
  if (review.state !== "APPROVED" && review.state !== "CHANGES_REQUESTED") {
    throw new Refusal(422, `Can not dismiss a ${review.state.toLowerCase()} pull request review`);
  }
  review.state = "DISMISSED";
  tell(world, "pull_request_review", "dismissed", { repository, sender: options.by }, { issue, review });
  return review;
}
