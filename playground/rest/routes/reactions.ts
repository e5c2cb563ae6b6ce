import { addReaction } from "../../model/issues/add-reaction.ts";
import { findComment } from "../../model/issues/find-comment.ts";
import { removeReaction } from "../../model/issues/remove-reaction.ts";
import { findLineComment } from "../../model/reviews/find-line-comment.ts";
import type { Reaction } from "../../model/types.ts";
import { noContent, type RepoCall, type Route } from "../call.ts";
import { paginate } from "../paginate.ts";
import { invalidRequest, numberParam, oneOf } from "../read-fields.ts";
import { reactionShape } from "../shape/reaction.ts";
import { commentPlace } from "./comments.ts";
import { issueOf, issueOrPull } from "./issue-of.ts";

const CONTENTS = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"] as const;

type Place = { readonly reactions: Reaction[] };

function routesFor(
  base: string,
  permission: (call: RepoCall) => readonly string[],
  place: (call: RepoCall) => Place,
): Route[] {
  return [
    {
      method: "GET",
      path: `${base}/reactions`,
      scope: "repository",
      needs: { permission, level: "read" },
      handle: (call) => {
        const content = oneOf(call.query, "content", CONTENTS);
        const found = place(call).reactions.filter((one) => content === undefined || one.content === content);
        return paginate(call, found, (reaction) => reactionShape(call.world, reaction));
      },
    },
    {
      method: "POST",
      path: `${base}/reactions`,
      scope: "repository",
      needs: { permission, level: "write" },
      handle: (call) => {
        const content = oneOf(call.body, "content", CONTENTS);
        if (content === undefined) throw invalidRequest('"content" wasn\'t supplied.');
        const { reaction, created } = addReaction(call.world, place(call), { by: call.by, content });
        return { status: created ? 201 : 200, body: reactionShape(call.world, reaction) };
      },
    },
    {
      method: "DELETE",
      path: `${base}/reactions/{reaction_id}`,
      scope: "repository",
      needs: { permission, level: "write" },
      handle: (call) => {
        removeReaction(place(call), numberParam(call, "reaction_id"));
        return noContent();
      },
    },
  ];
}

export const REACTION_ROUTES: readonly Route[] = [
  ...routesFor("/repos/{owner}/{repo}/issues/{issue_number}", issueOrPull, issueOf),
  ...routesFor(
    "/repos/{owner}/{repo}/issues/comments/{comment_id}",
    commentPlace,
    (call) => findComment(call.repository, numberParam(call, "comment_id")).comment,
  ),
  ...routesFor(
    "/repos/{owner}/{repo}/pulls/comments/{comment_id}",
    () => ["pull_requests"],
    (call) => findLineComment(call.repository, numberParam(call, "comment_id")).comment,
  ),
];
