import * as z from "zod";
import { deliver, installationShape, readWith, senderShape, type Webhook } from "./webhook.ts";

const action = z.enum(["created", "deleted", "suspend", "unsuspend"]);
const WORDS = {
  created: "created",
  deleted: "deleted",
  suspend: "suspended",
  unsuspend: "unsuspended",
} as const;

const shape = z.object({
  action,
  installation: installationShape,
  sender: senderShape,
  repositories: z.array(z.object({ id: z.int().positive() })).nullish(),
});

export const installation: Webhook = {
  event: "installation",
  actions: action.options,
  read: (payload) =>
    readWith(shape, payload, (event) =>
      deliver({
        kind: "installation",
        installation: event.installation.id,
        sender: event.sender,
        action: WORDS[event.action],
        // The list can be shorter than what is installed; only when it was just created does it name them all.
        repos: event.action === "created" ? (event.repositories ?? []).map((repo) => repo.id) : [],
      }),
    ),
};
