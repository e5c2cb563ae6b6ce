import { createHmac, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import type { GitHubWorld } from "../../support/github-world.ts";
import { aService, type Service } from "../../support/hosted-processes.ts";
import { aScene } from "./scene.ts";

let world: GitHubWorld | null = null;
let service: Service | null = null;
afterEach(async () => {
  await service?.end();
  await world?.end();
  world = service = null;
});

const CONNECTIONS = 120;
const BODY_BYTES = 24 * 1024 * 1024;
const MB = 1024 * 1024;

it("keeps its memory and goes on answering while strangers send large bodies (T44)", async () => {
  world = (await aScene([{ id: "one" }])).world;
  service = await aService(world);
  const app = await service.start("app");
  const { url } = service;
  const { webhookSecret } = world.credentials;
  const ping = JSON.stringify({ zen: "Keep it logically awesome.", pad: "x".repeat(20_000) });

  const deliver = async (): Promise<number> => {
    const signature = createHmac("sha256", webhookSecret).update(ping).digest("hex");
    const headers = {
      "content-type": "application/json",
      "x-github-event": "ping",
      "x-github-delivery": randomUUID(),
      "x-hub-signature-256": `sha256=${signature}`,
    };
    return (await fetch(`${url}/api/github/webhooks`, { method: "POST", headers, body: ping })).status;
  };
  const memory = (): number =>
    1024 * Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${app.pid}/status`, "utf8"))?.[1]);

  for (let count = 0; count < 10; count += 1) expect(await deliver()).toBe(200);
  const idle = memory();
  let peak = idle;
  let sent = 0;
  const look = setInterval(() => {
    peak = Math.max(peak, memory());
  }, 20);
  const attack = Promise.all(
    Array.from({ length: CONNECTIONS }, () =>
      sendForged(Number(new URL(url).port), (bytes) => {
        sent += bytes;
      }),
    ),
  );
  const answers: number[] = [];
  let isOver = false;
  const over = attack.then(() => {
    isOver = true;
  });
  do {
    answers.push((await fetch(`${url}/healthz`)).status, await deliver());
  } while (!isOver && answers.length < 40);
  await over;
  clearInterval(look);

  expect(new Set(answers)).toEqual(new Set([200]));
  expect(sent).toBeGreaterThan(100 * MB);
  expect((peak - idle) / MB).toBeLessThan(100);
  expect((await app.stop()).code).toBe(0);
});

/** Sends a body as fast as it is taken; ends when the server has had enough. */
function sendForged(port: number, onSent: (bytes: number) => void): Promise<void> {
  return new Promise((resolve) => {
    const chunk = Buffer.alloc(64 * 1024, "x");
    const socket = connect(port, "127.0.0.1");
    let left = BODY_BYTES;
    const send = (): void => {
      while (left > 0 && !socket.destroyed) {
        left -= chunk.length;
        onSent(chunk.length);
        if (!socket.write(chunk)) return void socket.once("drain", send);
      }
    };
    socket.on("error", () => {});
    socket.on("close", () => resolve());
    socket.resume();
    socket.write(
      "POST /api/github/webhooks HTTP/1.1\r\nhost: loom\r\ncontent-type: application/json\r\nx-github-event: push\r\n" +
        `x-github-delivery: ${randomUUID()}\r\nx-hub-signature-256: sha256=${"0".repeat(64)}\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`,
    );
    send();
  });
}
