import type { Repository } from "../repository.ts";
import { editUnlessGone } from "../threads/edit-unless-gone.ts";
import { unmarked } from "../threads/marker.ts";
import { findReview } from "./review.ts";

const ROUTES = {
  read: "GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
  edit: "PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
};

/** The text of a review that an earlier audit made; its remarks stay as they are. */
export async function editReview(
  repository: Repository,
  number: number,
  key: string,
  write: (before: string) => string,
): Promise<"edited" | "gone"> {
  const found = await findReview(repository, number, key);
  if (found === null) return "gone";
  const which = { pull_number: number, review_id: found.id };
  return editUnlessGone(repository, ROUTES, which, (before) => write(unmarked(before)));
}
