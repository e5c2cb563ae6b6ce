import * as z from "zod";
import { deliver, drop, installationShape, readWith, senderShape, type Webhook } from "./webhook.ts";

const action = z.enum(["added", "removed"]);
// The list that the action is not about may hold entries without an id.
const repositories = z
  .array(z.object({ id: z.int().positive().nullish() }))
  .nullish()
  .transform((list) => (list ?? []).flatMap((repo) => repo.id ?? []));

const shape = z.object({
  action,
  installation: installationShape,
  sender: senderShape,
  repositories_added: repositories,
  repositories_removed: repositories,
});

export const installationRepositories: Webhook = {
  event: "installation_repositories",
  actions: action.options,
  read: (payload) =>
    readWith(shape, payload, (event) => {
      const repos = event.action === "added" ? event.repositories_added : event.repositories_removed;
      // In a delivery an empty list means every repository, and here it means none.
      if (repos.length === 0) return drop("the event names no repository");
      return deliver({
        kind: "installation",
        installation: event.installation.id,
        sender: event.sender,
        action: event.action === "added" ? "repositories-added" : "repositories-removed",
        repos,
      });
    }),
};
