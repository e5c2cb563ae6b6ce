import * as z from "zod";
import { mayAnswer } from "../../core/planning/answers/may-answer.ts";
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
  viaAppShape,
  type Webhook,
  whereAndWho,
} from "./webhook.ts";

const shape = z.object({
  ...common,
  issue: z.object({
    number: z.int().positive(),
    title: z.string().optional(),
    body: bodyShape,
    pull_request: z.looseObject({}).nullish(),
  }),
  comment: z.object({
    id: z.int().positive(),
    created_at: timeShape,
    body: bodyShape,
    user: authorShape,
    performed_via_github_app: viaAppShape,
  }),
});

/** Only `created`: an edit can't change what was asked for (T3). */
export const issueComment: Webhook = {
  event: "issue_comment",
  actions: ["created"],
  read: (payload) =>
    readWith(shape, payload, (event) => {
      // Loom's own texts quote commands, so bots go before anybody looks for one (T2).
      if (event.sender.bot) return drop("a bot wrote the comment");
      if (event.comment.performed_via_github_app) return drop("a program wrote the comment");
      const { body } = event.comment;
      if (!mayCommand(body) && !mayAnswer(body)) return drop("the comment has no command");
      if (!isAuthor(event.comment.user, event.sender)) return dropForeign(event);
      return deliver({
        kind: "comment",
        ...whereAndWho(event),
        number: event.issue.number,
        isPullRequest: event.issue.pull_request != null,
        comment: event.comment.id,
        at: event.comment.created_at,
        body: event.comment.body,
        ...(event.issue.title === undefined
          ? {}
          : { opening: { title: event.issue.title, body: event.issue.body } }),
      });
    }),
};
