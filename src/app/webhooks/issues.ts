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
  viaAppShape,
  type Webhook,
  whereAndWho,
} from "./webhook.ts";

const action = z.enum(["opened", "closed"]);

const shape = z.object({
  ...common,
  action,
  issue: z.object({
    number: z.int().positive(),
    title: z.string(),
    created_at: timeShape,
    body: bodyShape,
    user: authorShape,
    performed_via_github_app: viaAppShape,
  }),
  /** On a new issue: where it was moved from. */
  changes: z.object({ old_issue: z.unknown().optional(), old_repository: z.unknown().optional() }).nullish(),
});

export const issues: Webhook = {
  event: "issues",
  actions: action.options,
  read: (payload) =>
    readWith(shape, payload, (event) => {
      // Whoever closed it, a bot that tidies up as well: what was wished for it is no more.
      if (event.action === "closed")
        return deliver({ kind: "issue-closed", ...whereAndWho(event), number: event.issue.number });
      if (event.sender.bot) return drop("a bot opened the issue");
      if (event.issue.performed_via_github_app) return drop("a program opened the issue");
      if (!mayCommand(event.issue.body)) return drop("the issue has no command");
      // Its author may have edited it in a repository of their own until it was moved.
      if (event.changes?.old_issue || event.changes?.old_repository) return dropForeign(event);
      if (!isAuthor(event.issue.user, event.sender)) return dropForeign(event);
      return deliver({
        kind: "issue-opened",
        ...whereAndWho(event),
        number: event.issue.number,
        at: event.issue.created_at,
        title: event.issue.title,
        body: event.issue.body,
      });
    }),
};
