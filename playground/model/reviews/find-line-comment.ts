import { isPull, type PullIssue } from "../find.ts";
import { notFound } from "../refusal.ts";
import type { LineComment, Repository, ReviewThread } from "../types.ts";

export type FoundLineComment = {
  readonly issue: PullIssue;
  readonly thread: ReviewThread;
  readonly comment: LineComment;
};

/** A comment on a line, with its conversation and its pull request; refuses with 404. */
export function findLineComment(repository: Repository, id: number): FoundLineComment {
  for (const issue of [...repository.issues.values()].filter(isPull)) {
    for (const thread of issue.pull.threads) {
      const comment = thread.comments.find((one) => one.id === id);
      if (comment) return { issue, thread, comment };
    }
  }
  throw notFound();
}
