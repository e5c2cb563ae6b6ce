import { atLeast, roleOf } from "../../model/people/role.ts";
import { notFound, Refusal } from "../../model/refusal.ts";
import { deleteLineComment } from "../../model/reviews/delete-line-comment.ts";
import { editLineComment } from "../../model/reviews/edit-line-comment.ts";
import { type FoundLineComment, findLineComment } from "../../model/reviews/find-line-comment.ts";
import { replyOnLine } from "../../model/reviews/reply-on-line.ts";
import { created, noContent, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { numberParam, textField } from "../read-fields.ts";
import { lineCommentShape } from "../shape/pulls/line-comment.ts";
import { pullOf } from "./pulls.ts";

const READ = { permission: ["pull_requests"], level: "read" } as const;
const WRITE = { permission: ["pull_requests"], level: "write" } as const;
const ALL = "/repos/{owner}/{repo}/pulls/{pull_number}/comments";
const ONE = "/repos/{owner}/{repo}/pulls/comments/{comment_id}";

export const LINE_COMMENT_ROUTES: readonly Route[] = [
  { method: "GET", path: ALL, scope: "repository", needs: READ, handle: listComments },
  {
    method: "POST",
    path: `${ALL}/{comment_id}/replies`,
    scope: "repository",
    needs: WRITE,
    createsContent: true,
    handle: (call) => {
      const { world, repository, by, viaApp } = call;
      const to = found(call);
      if (to.issue.number !== pullOf(call).number) throw notFound();
      // Replies to replies are not supported, says GitHub's documentation.
      if (to.thread.comments[0] !== to.comment) throw notFound();
      const body = textField(call.body, "body");
      const { id } = replyOnLine(world, repository, to.comment.id, { by, viaApp, body });
      return created(shape(call, findLineComment(repository, id)));
    },
  },
  {
    method: "GET",
    path: ONE,
    scope: "repository",
    needs: READ,
    handle: (call) => ok(shape(call, found(call))),
  },
  {
    method: "PATCH",
    path: ONE,
    scope: "repository",
    needs: WRITE,
    handle: (call) => {
      const { world, repository, by } = call;
      const { id } = ownOrWriter(call).comment;
      editLineComment(world, repository, id, { by, body: textField(call.body, "body") });
      return ok(shape(call, found(call)));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    scope: "repository",
    needs: WRITE,
    handle: (call) => {
      deleteLineComment(call.world, call.repository, ownOrWriter(call).comment.id, { by: call.by });
      return noContent();
    },
  },
];

function listComments(call: RepoCall) {
  const issue = pullOf(call);
  const since = call.query.since === undefined ? 0 : Date.parse(call.query.since);
  const all = issue.pull.threads
    .flatMap((thread) => thread.comments.map((comment) => ({ issue, thread, comment })))
    .filter(({ comment }) => comment.updatedAt >= since)
    .sort((one, other) => one.comment.id - other.comment.id);
  return paginate(call, call.query.direction === "desc" ? all.reverse() : all, (one) => shape(call, one));
}

function found(call: RepoCall): FoundLineComment {
  return findLineComment(call.repository, numberParam(call, "comment_id"));
}

function shape({ world, repository }: RepoCall, { issue, thread, comment }: FoundLineComment) {
  return lineCommentShape(world, repository, issue, thread, comment);
}

/** An App with the permission changes everybody's comments; a person needs the role for that. */
function ownOrWriter(call: RepoCall): FoundLineComment {
  const one = found(call);
  const isWriter =
    call.caller.kind !== "user" || atLeast(roleOf(call.world, call.repository, call.by), "write");
  if (one.comment.author === call.by || isWriter) return one;
  throw new Refusal(403, "Must have write rights to Repository.");
}
