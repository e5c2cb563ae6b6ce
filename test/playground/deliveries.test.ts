import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Delivery } from "../../playground/model/types.ts";
import { aPlayground, type Playground, refusalOf } from "./a-playground.ts";

let playground: Playground;
beforeEach(async () => {
  playground = await aPlayground();
});
afterEach(async () => {
  const { problems, world } = playground;
  await playground.close();
  expect(problems).toEqual([]);
  expect(world.unknownPaths).toEqual([]);
});

function deliver(id: number, statusCode: number): Delivery {
  const delivery: Delivery = {
    id,
    guid: `guid-${id}`,
    app: playground.app.id,
    event: "issue_comment",
    action: "created",
    installation: playground.installation.id,
    repository: playground.repository.id,
    redelivery: false,
    payload: { action: "created" },
    deliveredAt: playground.world.clock.now(),
    durationSecs: 0.1,
    status: statusCode === 200 ? "OK" : "Service Unavailable",
    statusCode,
  };
  playground.world.github.deliveries.push(delivery);
  return delivery;
}

describe("deliveries", () => {
  it("are listed newest first, a cursor leads on, and only the App's own", async () => {
    for (let id = 1; id <= 5; id += 1) deliver(id, id === 3 ? 503 : 200);
    playground.world.github.deliveries.push({ ...deliver(6, 200), id: 7, app: -1 });
    const octokit = playground.asApp();
    const pages: number[][] = [];
    for await (const { data } of octokit.paginate.iterator(octokit.apps.listWebhookDeliveries, {
      per_page: 2,
    })) {
      pages.push(data.map((one) => one.id));
    }
    expect(pages).toEqual([
      [6, 5],
      [4, 3],
      [2, 1],
    ]);
    const failed = await octokit.request("GET /app/hook/deliveries", { status: "failure" });
    expect(failed.data.map((one) => one.id)).toEqual([3]);
  });

  it("show what was sent, and are sent again by whoever sends webhooks", async () => {
    const lost = deliver(8, 503);
    const octokit = playground.asApp();
    const { data } = await octokit.apps.getWebhookDelivery({ delivery_id: lost.id });
    expect(data.request.payload).toEqual({ action: "created" });
    const again: Delivery[] = [];
    playground.world.redeliver = (delivery) => again.push(delivery);
    expect((await octokit.apps.redeliverWebhookDelivery({ delivery_id: lost.id })).status).toBe(202);
    expect(again).toEqual([lost]);
    expect((await refusalOf(octokit.apps.redeliverWebhookDelivery({ delivery_id: 99 }))).status).toBe(404);
  });
});
