import type { ApplicationFunction, Probot } from "probot";
import type { Audit } from "../ports/audit.ts";
import { acceptDelivery, type IntakeOptions } from "./accept-delivery.ts";
import { createLater } from "./create-later.ts";
import type { Webhook } from "./webhooks/webhook.ts";
import { WEBHOOKS } from "./webhooks/webhooks.ts";

/**
 * Loom as a Probot app: the intake of webhooks, and nothing more. What arrives is read, kept in the inbox
 * and announced to the queue; then GitHub has its answer. Nothing here asks GitHub anything, so that the answer never
 * waits for it, and whoever acts on the delivery asks again anyway.
 */
export function loomApp(intake: IntakeOptions, audit: Audit): ApplicationFunction {
  return (probot) => {
    const later = createLater();
    for (const webhook of WEBHOOKS) listen({ probot, intake, audit, later }, webhook);
  };
}

type EventNames = Parameters<Probot["on"]>[0];

type Parts = {
  readonly probot: Probot;
  readonly intake: IntakeOptions;
  readonly audit: Audit;
  readonly later: (work: () => void) => void;
};

function listen({ probot, intake, audit, later }: Parts, webhook: Webhook): void {
  const names = webhook.actions?.map((action) => `${webhook.event}.${action}`) ?? [webhook.event];
  probot.on(names as EventNames, async ({ id, payload, log }) => {
    const reading = webhook.read(payload, intake);
    if (reading.kind === "dropped") {
      log.debug(`Left ${webhook.event} aside: ${reading.why}.`);
      if (reading.refusal) audit.refused(reading.refusal);
      return;
    }
    const outcome = await acceptDelivery(intake, id, reading.delivery);
    later(() => log[outcome === "new" ? "info" : "debug"](`Took in ${webhook.event}: ${outcome}.`));
  });
}
