import type { Repository } from "../repository.ts";
import { editUnlessGone } from "./edit-unless-gone.ts";

const ROUTES = {
  read: "GET /repos/{owner}/{repo}/pulls/comments/{comment_id}",
  edit: "PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}",
};

export function editRemark(repository: Repository, id: number, body: string): Promise<"edited" | "gone"> {
  return editUnlessGone(repository, ROUTES, { comment_id: id }, () => body);
}
