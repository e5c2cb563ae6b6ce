import { notFound, Refusal } from "../../model/refusal.ts";
import type { Delivery } from "../../model/types.ts";
import { type Answer, type Call, ok, type Route } from "../call.ts";
import { numberParam } from "../read-fields.ts";
import { deliveryItemShape, deliveryShape } from "../shape/delivery.ts";
import { appOf } from "./apps.ts";

export const DELIVERY_ROUTES: readonly Route[] = [
  { method: "GET", path: "/app/hook/deliveries", scope: "app", handle: listDeliveries },
  {
    method: "GET",
    path: "/app/hook/deliveries/{delivery_id}",
    scope: "app",
    handle: (call) => ok(deliveryShape(deliveryOf(call))),
  },
  {
    method: "POST",
    path: "/app/hook/deliveries/{delivery_id}/attempts",
    scope: "app",
    handle: (call) => {
      const delivery = deliveryOf(call);
      if (!call.world.redeliver) throw notFound();
      call.world.redeliver(delivery);
      return { status: 202, body: {} };
    },
  },
];

/** Newest first. Not by page: the cursor in the Link header leads on, and stays right while new ones arrive. */
function listDeliveries(call: Call): Answer {
  const size = Math.min(100, Number(call.query.per_page ?? 30) || 30);
  const before = readCursor(call.query.cursor);
  const { status } = call.query;
  const mine = deliveriesOf(call)
    .filter((one) => before === null || one.id < before)
    .filter((one) => status === undefined || (status === "success") === isSuccess(one))
    .sort((one, other) => other.id - one.id);
  const page = mine.slice(0, size);
  const last = page.at(-1);
  const answer = ok(page.map(deliveryItemShape));
  if (!last || mine.length <= size) return answer;
  const next = new URL(call.address);
  next.searchParams.set("cursor", `v1_${last.id}`);
  return { ...answer, headers: { link: `<${next}>; rel="next"` } };
}

function readCursor(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  const id = /^v1_(\d+)$/.exec(cursor)?.[1];
  if (id === undefined) throw new Refusal(422, "Invalid cursor");
  return Number(id);
}

function deliveriesOf(call: Call): Delivery[] {
  const app = appOf(call).id;
  return call.world.github.deliveries.filter((one) => one.app === app);
}

function deliveryOf(call: Call): Delivery {
  const id = numberParam(call, "delivery_id");
  const found = deliveriesOf(call).find((one) => one.id === id);
  if (!found) throw notFound();
  return found;
}

function isSuccess(delivery: Delivery): boolean {
  return delivery.statusCode >= 200 && delivery.statusCode < 400;
}
