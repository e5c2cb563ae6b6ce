import { notFound } from "../refusal.ts";
import type { Comment, Issue, Repository } from "../types.ts";

/** A comment with the issue or pull request it stands on; refuses with 404. */
export function findComment(repository: Repository, id: number): { issue: Issue; comment: Comment } {
  for (const issue of repository.issues.values()) {
    const comment = issue.comments.find((one) => one.id === id);
    if (comment) return { issue, comment };
  }
  throw notFound();
}
