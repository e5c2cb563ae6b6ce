import { addComment } from "../../model/issues/add-comment.ts";
import { deleteComment } from "../../model/issues/delete-comment.ts";
import { editComment } from "../../model/issues/edit-comment.ts";
import { findComment } from "../../model/issues/find-comment.ts";
import { atLeast, roleOf } from "../../model/people/role.ts";
import { Refusal } from "../../model/refusal.ts";
import { created, noContent, ok, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { numberParam, textField } from "../read-fields.ts";
import { commentShape } from "../shape/comment.ts";
import { issueOf, issueOrPull } from "./issue-of.ts";

const ONE = "/repos/{owner}/{repo}/issues/comments/{comment_id}";

export const COMMENT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/issues/comments",
    scope: "repository",
    needs: { permission: ["issues", "pull_requests"], level: "read" },
    handle: (call) => {
      const since = call.query.since === undefined ? 0 : Date.parse(call.query.since);
      const all = [...call.repository.issues.values()].flatMap((issue) =>
        issue.comments.map((comment) => ({ issue, comment })),
      );
      const found = all.filter(({ comment }) => comment.updatedAt >= since);
      found.sort((one, other) => one.comment.id - other.comment.id);
      if (call.query.direction === "desc") found.reverse();
      return paginate(call, found, ({ issue, comment }) =>
        commentShape(call.world, call.repository, issue, comment),
      );
    },
  },
  {
    method: "GET",
    path: "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    scope: "repository",
    needs: { permission: issueOrPull, level: "read" },
    handle: (call) => {
      const issue = issueOf(call);
      const since = call.query.since === undefined ? 0 : Date.parse(call.query.since);
      const found = issue.comments.filter((comment) => comment.updatedAt >= since);
      return paginate(call, found, (comment) => commentShape(call.world, call.repository, issue, comment));
    },
  },
  {
    method: "POST",
    path: "/repos/{owner}/{repo}/issues/{issue_number}/comments",
    scope: "repository",
    needs: { permission: issueOrPull, level: "write" },
    createsContent: true,
    handle: (call) => {
      const { world, repository, by, viaApp } = call;
      const issue = issueOf(call);
      if (issue.locked && !mayWrite(call))
        throw new Refusal(403, "Unable to create comment because issue is locked.");
      const comment = addComment(world, repository, issue, {
        by,
        viaApp,
        body: textField(call.body, "body"),
      });
      return created(commentShape(world, repository, issue, comment));
    },
  },
  {
    method: "GET",
    path: ONE,
    scope: "repository",
    needs: { permission: commentPlace, level: "read" },
    handle: (call) => ok(shown(call)),
  },
  {
    method: "PATCH",
    path: ONE,
    scope: "repository",
    needs: { permission: commentPlace, level: "write" },
    handle: (call) => {
      const { world, repository, by } = call;
      ownOrWriter(call);
      editComment(world, repository, numberParam(call, "comment_id"), {
        by,
        body: textField(call.body, "body"),
      });
      return ok(shown(call));
    },
  },
  {
    method: "DELETE",
    path: ONE,
    scope: "repository",
    needs: { permission: commentPlace, level: "write" },
    handle: (call) => {
      ownOrWriter(call);
      deleteComment(call.world, call.repository, numberParam(call, "comment_id"), { by: call.by });
      return noContent();
    },
  },
];

/** Permissions that reach a comment: it stands on an issue or on a pull request. */
export function commentPlace(call: RepoCall): readonly string[] {
  const { issue } = findComment(call.repository, numberParam(call, "comment_id"));
  return issue.pull ? ["issues", "pull_requests"] : ["issues"];
}

function shown(call: RepoCall) {
  const { issue, comment } = findComment(call.repository, numberParam(call, "comment_id"));
  return commentShape(call.world, call.repository, issue, comment);
}

/** An App edits its own comments and, with write on issues, those of others; a person needs the role for that. */
function ownOrWriter(call: RepoCall): void {
  const { comment } = findComment(call.repository, numberParam(call, "comment_id"));
  if (comment.author !== call.by && !mayWrite(call))
    throw new Refusal(403, "Must have write rights to Repository.");
}

function mayWrite(call: RepoCall): boolean {
  return call.caller.kind !== "user" || atLeast(roleOf(call.world, call.repository, call.by), "write");
}
