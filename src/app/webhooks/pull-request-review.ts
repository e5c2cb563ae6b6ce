import { z } from "zod";
import { common, deliver, readWith, type Webhook, whereAndWho } from "./webhook.ts";

const shape = z.object({
  ...common,
  review: z.object({ state: z.string() }),
  pull_request: z.object({ number: z.int().positive() }),
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
      }),
    ),
};
