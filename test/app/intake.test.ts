import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { Job } from "../../src/ports/job-queue.ts";
import { BY_THE_CLOCK } from "../support/quickly.ts";
import { type AppWorld, openAppWorld, type WorldOptions } from "./app-world.ts";
import { commentPayload, pushPayload } from "./payloads.ts";

let open: AppWorld[] = [];
afterEach(async () => {
  await Promise.all(open.map((world) => world.close()));
  open = [];
});

async function openWorld(options: WorldOptions = {}): Promise<AppWorld> {
  const world = await openAppWorld(options);
  open.push(world);
  return world;
}

describe("the intake", () => {
  it("makes one effect of twenty concurrent duplicates", async () => {
    const world = await openWorld();
    const id = randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => world.post("issue_comment", commentPayload(), { id })),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(20).fill(200));
    await world.settled();
    expect(world.effects).toHaveLength(1);
  });

  it("makes no second effect of a delivery that comes again after it is done", async () => {
    const world = await openWorld();
    const id = randomUUID();
    for (const _ of [1, 2, 3]) {
      expect((await world.post("push", pushPayload("refs/heads/main"), { id })).status).toBe(200);
      await world.settled();
    }
    expect(world.effects).toHaveLength(1);
  });

  it("announces nothing for a delivery that is done, and again one that still waits", async () => {
    const jobs: Job[] = [];
    const world = await openWorld({ intake: { queue: { enqueue: async (job) => void jobs.push(job) } } });
    const id = randomUUID();
    await world.post("push", pushPayload("refs/heads/main"), { id });
    await world.post("push", pushPayload("refs/heads/main"), { id });
    expect(jobs).toEqual([
      { kind: "delivery", delivery: id },
      { kind: "delivery", delivery: id },
    ]);
    await world.inbox.done(id);
    expect((await world.post("push", pushPayload("refs/heads/main"), { id })).status).toBe(200);
    expect(jobs).toHaveLength(2);
  });

  it("keeps the delivery before it announces it", async () => {
    const order: string[] = [];
    const world = await openWorld({
      intake: {
        inbox: {
          put: async () => {
            await new Promise((resolve) => setImmediate(resolve));
            order.push("kept");
            return "new";
          },
        },
        queue: { enqueue: async () => void order.push("announced") },
      },
    });
    await world.post("push", pushPayload("refs/heads/main"));
    expect(order).toEqual(["kept", "announced"]);
  });
});

it("every delivery that is taken has its line in the log", async () => {
  const world = await openWorld();
  const [id, other] = [randomUUID(), randomUUID()];
  for (const one of [id, other, id]) await world.post("push", pushPayload("refs/heads/main"), { id: one });
  const lines = () =>
    [...world.logged().matchAll(/"id":"([^"]+)","msg":"(Took in [^"]+)"/g)].map(([, of, what]) => [of, what]);
  await expect.poll(lines).toEqual([
    [id, "Took in push: new."],
    [other, "Took in push: new."],
    [id, expect.stringMatching(/^Took in push: (?:waiting|done)\.$/)],
  ]);
});

describe("while the store is down", () => {
  const down = async (): Promise<never> => {
    throw new Error("connect ECONNREFUSED redis://:hunter2-password@10.0.0.5:6379");
  };

  it("a webhook gets 503 at once, and the redelivery is taken", BY_THE_CLOCK, async () => {
    let isDown = true;
    const world = await openWorld();
    const flaky = await openWorld({
      intake: { inbox: { put: (id, delivery) => (isDown ? down() : world.inbox.put(id, delivery)) } },
    });
    const id = randomUUID();
    const started = performance.now();
    const refused = await flaky.post("issue_comment", commentPayload(), { id });
    expect(refused).toEqual({
      status: 503,
      text: '{"error":"Error: Loom can\'t reach its store. Redeliver this later."}',
    });
    expect(performance.now() - started).toBeLessThan(1_000);
    isDown = false;
    expect((await flaky.post("issue_comment", commentPayload(), { id })).status).toBe(200);
  });

  it("a queue that can't be reached is told too, and nothing is lost", async () => {
    let isDown = true;
    const jobs: Job[] = [];
    const world = await openWorld({
      intake: { queue: { enqueue: async (job) => (isDown ? down() : void jobs.push(job)) } },
    });
    const id = randomUUID();
    expect((await world.post("push", pushPayload("refs/heads/main"), { id })).status).toBe(503);
    expect((await world.inbox.waiting(10)).map((one) => one.id)).toEqual([id]);
    isDown = false;
    expect((await world.post("push", pushPayload("refs/heads/main"), { id })).status).toBe(200);
    expect(jobs).toEqual([{ kind: "delivery", delivery: id }]);
  });

  it("a store that never answers is given up on in time", BY_THE_CLOCK, async () => {
    const world = await openWorld({
      intake: { inbox: { put: () => new Promise(() => {}) }, storeTimeoutMs: 50 },
    });
    const started = performance.now();
    expect((await world.post("push", pushPayload("refs/heads/main"))).status).toBe(503);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(world.logged()).toContain("the store did not answer within 50 ms");
  });

  it("the sender hears no more than that, the operator hears why", async () => {
    const world = await openWorld({
      intake: { inbox: { put: down } },
      logging: { secrets: ["hunter2-password"] },
    });
    const answer = await world.post("issue_comment", commentPayload({ body: "/loom run my words" }));
    expect(answer.text).not.toContain("ECONNREFUSED");
    expect(world.logged()).toContain("connect ECONNREFUSED");
    expect(world.logged()).not.toContain("hunter2-password");
    expect(world.logged()).not.toContain("my words");
  });
});
