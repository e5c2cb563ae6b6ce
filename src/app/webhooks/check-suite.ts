import * as z from "zod";
import { common, deliver, drop, readWith, type Webhook, whereAndWho } from "./webhook.ts";

const action = z.enum(["rerequested", "completed"]);

const shape = z.object({
  ...common,
  action,
  check_suite: z.object({ head_sha: z.string(), app: z.object({ id: z.int() }).nullish() }),
});

export const checkSuite: Webhook = {
  event: "check_suite",
  actions: action.options,
  read: (payload, own) =>
    readWith(shape, payload, (event) => {
      const app = event.check_suite.app?.id ?? null;
      // As with check runs: Loom knows what it completed.
      if (event.action === "completed" && app === own.appId) return drop("the check suite is Loom's own");
      return deliver({
        kind: "check-suite",
        ...whereAndWho(event),
        action: event.action,
        app,
        head: event.check_suite.head_sha,
      });
    }),
};
