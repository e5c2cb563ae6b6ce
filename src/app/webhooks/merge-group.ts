import * as z from "zod";
import { common, deliver, readWith, type Webhook, whereAndWho } from "./webhook.ts";

const action = z.enum(["checks_requested", "destroyed"]);

const shape = z.object({
  ...common,
  action,
  merge_group: z.object({ head_ref: z.string(), head_sha: z.string() }),
});

export const mergeGroup: Webhook = {
  event: "merge_group",
  actions: action.options,
  read: (payload) =>
    readWith(shape, payload, (event) =>
      deliver({
        kind: "merge-group",
        ...whereAndWho(event),
        action: event.action,
        headRef: event.merge_group.head_ref,
        head: event.merge_group.head_sha,
      }),
    ),
};
