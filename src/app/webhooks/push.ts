import * as z from "zod";
import { common, deliver, drop, readWith, type Webhook, whereAndWho } from "./webhook.ts";

const shape = z.object({ ...common, ref: z.string(), before: z.string(), after: z.string() });

/** A branch that was deleted arrives too: a person may have deleted a stage's (F19). */
export const push: Webhook = {
  event: "push",
  actions: null,
  read: (payload) =>
    readWith(shape, payload, (event) => {
      if (!event.ref.startsWith("refs/heads/")) return drop("the push is not to a branch");
      return deliver({
        kind: "push",
        ...whereAndWho(event),
        ref: event.ref,
        before: event.before,
        after: event.after,
      });
    }),
};
