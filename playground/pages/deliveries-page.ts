import { fullName } from "../model/find.ts";
import { roleOf } from "../model/people/role.ts";
import { notFound } from "../model/refusal.ts";
import type { Delivery } from "../model/types.ts";
import { type Html, html } from "./html.ts";
import { blank } from "./parts/form-parts.ts";
import { icon } from "./parts/icons.ts";
import { moment } from "./parts/moment.ts";
import { type Answer, page, type Visit } from "./visit.ts";

const SHOWN = 200;

/** What was sent to the Apps, newest first. */
export function deliveriesPage(visit: Visit): Answer {
  const { github } = visit.world;
  const deliveries = github.deliveries.filter((delivery) => maySee(visit, delivery)).toReversed();
  const failed = deliveries.filter((delivery) => !isFine(delivery)).length;
  const rows = deliveries.slice(0, SHOWN).map((delivery) => {
    const app = github.apps.find(({ id }) => id === delivery.app);
    const repository = github.repositories.find(({ id }) => id === delivery.repository);
    return html`<div class="row" id="delivery-${delivery.id}">${mark(delivery)}<div class="grow"><a class="row-title" href="/deliveries/${delivery.id}">${eventName(delivery)}</a>${delivery.redelivery && html` <span class="badge">redelivery</span>`}<p class="muted">to ${app?.name} · ${repository && html`${fullName(repository)} · `}<code>${delivery.guid}</code> · ${moment(delivery.deliveredAt)}</p></div><span class="muted">${answer(delivery)}</span>${again(visit, delivery)}</div>`;
  });
  const summary =
    deliveries.length === 0
      ? ""
      : failed === 0
        ? "All succeeded."
        : `${failed} of ${deliveries.length} went wrong.`;
  return page(
    "Deliveries",
    html`<h2>Webhook deliveries</h2><p class="muted">${summary} Failed deliveries are not retried automatically.</p><div class="box rows">${rows.length === 0 ? blank("No deliveries yet", "When something happens in a repository with an App, its webhook shows up here.") : rows}</div>`,
  );
}

export function deliveryPage(visit: Visit, id: number): Answer {
  const delivery = findDelivery(visit, id);
  const payload = JSON.stringify(delivery.payload, null, 2) ?? "";
  const headers = [
    `X-GitHub-Event: ${delivery.event}`,
    `X-GitHub-Delivery: ${delivery.guid}`,
    ...(delivery.installation === null ? [] : [`X-GitHub-Hook-Installation-Target-ID: ${delivery.app}`]),
  ].join("\n");
  const body = html`<p class="crumb"><a href="/deliveries">← Deliveries</a></p><div class="check-head">${mark(delivery)}<div class="grow"><h2>${eventName(delivery)}</h2><p class="muted">${answer(delivery)} · ${moment(delivery.deliveredAt)}</p></div>${again(visit, delivery)}</div>
<section class="box"><div class="box-head"><strong>Headers</strong></div><pre class="code">${headers}</pre></section>
<section class="box"><div class="box-head"><strong>Payload</strong></div><pre class="code">${payload}</pre></section>`;
  return page(`${eventName(delivery)} · Delivery`, body);
}

/** Who may not administer a repository does not learn that its deliveries exist. */
export function findDelivery(visit: Visit, id: number): Delivery {
  const found = visit.world.github.deliveries.find((delivery) => delivery.id === id);
  if (found === undefined || !maySee(visit, found)) throw notFound();
  return found;
}

function maySee({ world, viewer }: Visit, delivery: Delivery): boolean {
  const repository = world.github.repositories.find(({ id }) => id === delivery.repository);
  if (repository !== undefined) return roleOf(world, repository, viewer) === "admin";
  return world.github.repositories.some((one) => roleOf(world, one, viewer) === "admin");
}

function isFine(delivery: Delivery): boolean {
  return delivery.statusCode >= 200 && delivery.statusCode < 300;
}

function mark(delivery: Delivery): Html {
  if (delivery.statusCode === 0 && delivery.status === "pending") return icon("ring", "busy");
  return isFine(delivery) ? icon("check", "good") : icon("alert", "bad");
}

function eventName({ event, action }: Delivery): string {
  return action === null ? event : `${event}.${action}`;
}

function answer({ statusCode, status, durationSecs }: Delivery): string {
  const code = statusCode === 0 ? status : `${statusCode} ${status}`;
  return `${code} · ${durationSecs.toFixed(2)} s`;
}

function again({ world }: Visit, delivery: Delivery): Html | null {
  if (world.redeliver === null) return null;
  return html`<form method="post" action="/deliveries/${delivery.id}/redeliver"><button class="small">${icon("again")} Redeliver</button></form>`;
}
