import * as z from "zod";
import {
  authorShape,
  bodyShape,
  common,
  deliver,
  drop,
  dropForeign,
  isAuthor,
  mayCommand,
  readWith,
  timeShape,
  type Webhook,
  whereAndWho,
} from "./webhook.ts";

const shape = z.object({
  ...common,
  pull_request: z.object({ number: z.int().positive(), title: z.string(), body: bodyShape }),
  comment: z.object({
    id: z.int().positive(),
    created_at: timeShape,
    body: bodyShape,
    user: authorShape,
    in_reply_to_id: z.int().positive().nullish(),
    path: z.string(),
    line: z.int().nullish(),
    original_line: z.int().nullish(),
  }),
});

/** People write commands where they read, so also below a remark on a line. Only `created`, as for other comments (T3). */
export const pullRequestReviewComment: Webhook = {
  event: "pull_request_review_comment",
  actions: ["created"],
  read: (payload) =>
    readWith(shape, payload, (event) => {
      if (event.sender.bot) return drop("a bot wrote the comment");
      const { comment, pull_request: pull } = event;
      if (!mayCommand(comment.body)) return drop("the comment has no command");
      if (!isAuthor(comment.user, event.sender)) return dropForeign(event);
      const line = comment.line ?? comment.original_line ?? null;
      return deliver({
        kind: "comment",
        ...whereAndWho(event),
        number: pull.number,
        isPullRequest: true,
        comment: comment.id,
        at: comment.created_at,
        body: comment.body,
        on: "line",
        line: {
          // GitHub takes replies to the remark that began a conversation alone.
          remark: comment.in_reply_to_id ?? comment.id,
          place: line === null ? comment.path : `${comment.path}:${line}`,
        },
        opening: { title: pull.title, body: pull.body },
      });
    }),
};
