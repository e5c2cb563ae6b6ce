import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aScene, ask, expectCleanEnd, type SceneStage } from "./scene.ts";

let world: GitHubWorld | null = null;
let server: Server | null = null;
afterEach(async () => {
  await world?.end();
  server?.closeAllConnections();
  server?.close();
  world = server = null;
});

type Told = {
  readonly repository: string;
  readonly run: string;
  readonly from: number;
  readonly events: { type: string }[];
};

it("tells the operator's webhook every event in order, signed, although it is away at first and at the end", async () => {
  let isUp = false;
  const refused: number[] = [];
  const told: Told[] = [];
  const forged: string[] = [];
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const signature = `sha256=${createHmac("sha256", "a-long-secret").update(body).digest("hex")}`;
    if (request.headers["x-loom-signature-256"] !== signature) forged.push(body);
    if (isUp) told.push(JSON.parse(body));
    else refused.push(JSON.parse(body).from);
    response.writeHead(isUp ? 204 : 500).end();
  });
  await new Promise<void>((done) => server?.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const stages: SceneStage[] = [{ id: "one" }, { id: "two", needs: ["one"] }];
  const scene = await aScene(stages, {
    loom: true,
    env: { LOOM_EVENTS_URL: `http://127.0.0.1:${port}/loom`, LOOM_EVENTS_SECRET: "a-long-secret" },
  });
  world = scene.world;
  await ask(world, scene.issue);
  const run = await world.run(
    ({ status, recorded }) => status === "completed" && recorded !== null,
    "the end",
  );
  await expectCleanEnd(world, null, stages);
  expect(refused.length).toBeGreaterThan(2);
  expect(told).toEqual([]);

  isUp = true;
  await world.loom.hosted.host.queue.enqueue({ kind: "sweep" });
  await world.until(
    () => told.reduce((sum, { events }) => sum + events.length, 0) >= run.version,
    "all events",
  );
  const engine = await world.engine();
  const { events } = await engine.store.load(run.id);
  let next = 1;
  for (const batch of told) {
    expect(batch).toMatchObject({ repository: "ada/tools", run: run.id, from: next });
    next += batch.events.length;
  }
  expect(told.flatMap((batch) => batch.events)).toEqual(JSON.parse(JSON.stringify(events)));
  expect(forged).toEqual([]);
  expect(events.at(-1)?.type).toBe("run-recorded");
});
