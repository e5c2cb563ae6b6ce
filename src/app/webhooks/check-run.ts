import * as z from "zod";
import { common, deliver, drop, readWith, type Webhook, whereAndWho } from "./webhook.ts";

const action = z.enum(["rerequested", "requested_action", "completed"]);

const shape = z.object({
  ...common,
  action,
  check_run: z.object({
    head_sha: z.string(),
    external_id: z.string().nullish(),
    app: z.object({ id: z.int() }).nullish(),
  }),
  requested_action: z.object({ identifier: z.string().nullish() }).nullish(),
});

export const checkRun: Webhook = {
  event: "check_run",
  actions: action.options,
  read: (payload, own) =>
    readWith(shape, payload, (event) => {
      const app = event.check_run.app?.id ?? null;
      // Loom completed it itself: being told would wake it to show what it shows already.
      if (event.action === "completed" && app === own.appId) return drop("the check run is Loom's own");
      return deliver({
        kind: "check-run",
        ...whereAndWho(event),
        action: event.action,
        app,
        externalId: event.check_run.external_id ?? "",
        head: event.check_run.head_sha,
        button: event.requested_action?.identifier ?? null,
      });
    }),
};
