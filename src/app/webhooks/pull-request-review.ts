import * as z from "zod";
import {
  authorShape,
  bodyShape,
  common,
  deliver,
  isAuthor,
  mayCommand,
  readWith,
  timeShape,
  type Webhook,
  whereAndWho,
} from "./webhook.ts";

const shape = z.object({
  ...common,
  action: z.string().optional(),
  review: z.object({
    id: z.int().positive().optional(),
    state: z.string(),
    body: bodyShape,
    user: authorShape,
    submitted_at: timeShape.nullish(),
  }),
  pull_request: z.object({ number: z.int().positive(), title: z.string().optional(), body: bodyShape }),
});

export const pullRequestReview: Webhook = {
  event: "pull_request_review",
  actions: ["submitted", "dismissed"],
  read: (payload) =>
    readWith(shape, payload, (event) =>
      deliver({
        kind: "review",
        ...whereAndWho(event),
        number: event.pull_request.number,
        // Webhooks write it small, the REST API in capitals.
        state: event.review.state.toLowerCase(),
        ...wordsOf(event),
      }),
    ),
};

/** Dismissing a review says again what it said. */
function wordsOf({ action, sender, review, pull_request: pull }: z.infer<typeof shape>) {
  const { id, body, submitted_at: at } = review;
  const mayBe = action === "submitted" && !sender.bot && isAuthor(review.user, sender) && mayCommand(body);
  if (!mayBe || id === undefined || at == null) return {};
  return { said: { comment: id, at, body, opening: { title: pull.title ?? "", body: pull.body } } };
}
