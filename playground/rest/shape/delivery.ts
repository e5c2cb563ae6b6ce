import type { Delivery } from "../../model/types.ts";
import { instant } from "./addresses.ts";

export function deliveryItemShape(delivery: Delivery) {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: instant(delivery.deliveredAt),
    redelivery: delivery.redelivery,
    duration: delivery.durationSecs,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installation,
    repository_id: delivery.repository,
    throttled_at: null,
  };
}

export function deliveryShape(delivery: Delivery) {
  return {
    ...deliveryItemShape(delivery),
    url: "",
    request: {
      headers: { "X-GitHub-Event": delivery.event, "X-GitHub-Delivery": delivery.guid },
      payload: delivery.payload,
    },
    response: { headers: {}, payload: "" },
  };
}
