import { generateKeyPairSync } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createNodeMiddleware, Probot } from "probot";
import * as z from "zod";
import { createEmbeddedInboxOf } from "../../src/adapters/embedded/inbox.ts";
import { createEmbeddedJobQueue } from "../../src/adapters/embedded/job-queue.ts";
import { connectRedis } from "../../src/adapters/redis/connect-redis.ts";
import { createRedisIntake } from "../../src/adapters/redis/intake.ts";
import { type AppLog, openAppLog } from "../../src/app/open-app-log.ts";
import { startAppServer } from "../../src/app/start-app-server.ts";
import { WEBHOOK_PATH } from "../../src/app/webhook-path.ts";
import type { Delivery } from "../../src/core/command/delivery.ts";
import { keepAndAnnounce } from "../../src/engine/github/delivery/keep-and-announce.ts";
import type { Intake } from "../../src/ports/inbox.ts";
import { NO_AUDIT } from "../../src/wiring/hosted/audit-log.ts";
import { createSeals } from "../../src/wiring/stores/seals.ts";
import { ackPayload } from "./ack-payload.ts";
import { type KeepText, keepInRedis, keepOnDisk } from "./store-floor.ts";

/**
 * One server that takes webhooks, in a process of its own, so that it does not share a thread with whoever measures it.
 * Says its port on standard output and ends with its standard input. Arguments: which one, its secret, its place.
 */
const [kind = "", secret = "", place = ""] = process.argv.slice(2);
const app = { appId: 4711, webhookSecret: secret, baseUrl: "http://127.0.0.1:9/api/v3" };
const privateKey = generateKeyPairSync("rsa", { modulusLength: 2048 })
  .privateKey.export({ type: "pkcs1", format: "pem" })
  .toString();
const seals = createSeals({ privateKey }, NO_AUDIT);
const log = await openAppLog({
  level: "info",
  format: "json",
  secrets: [secret],
  write: (text) => void process.stderr.write(text),
});

process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
console.log(kind.startsWith("probot") ? await startProbot(log) : await startLoom(log));

/**
 * The floor: Probot alone, as its documentation starts it, with an app that wants nothing; with a store, a text of the
 * webhook's size is kept there before each answer. Here and not in a process of its own, because a write costs more
 * in the midst of other work than many in a row do.
 */
async function startProbot(log: AppLog): Promise<number> {
  const probot = new Probot({ ...app, privateKey, secret, log });
  const middleware = await createNodeMiddleware(() => {}, { probot, webhooksPath: WEBHOOK_PATH });
  const keep = await openFloor();
  const body = ackPayload();
  const listener: RequestListener = async (request, response) => {
    await keep?.(body);
    await middleware(request, response);
  };
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return (server.address() as AddressInfo).port;
}

async function openFloor(): Promise<KeepText | null> {
  if (kind === "probot-embedded") return keepOnDisk(place);
  return kind === "probot-redis" ? keepInRedis(place) : null;
}

async function startLoom(log: AppLog): Promise<number> {
  const intake = { intake: await openIntake(), appId: app.appId };
  const health = async () => ({ parts: [] });
  const server = await startAppServer({
    app: { ...app, privateKey },
    intake,
    port: 0,
    host: "127.0.0.1",
    health,
    log,
    audit: NO_AUDIT,
  });
  return server.port;
}

async function openIntake(): Promise<Intake> {
  if (kind === "redis")
    return seals.intake(createRedisIntake({ redis: await connectRedis(place, { role: "producer" }) }));
  const queue = createEmbeddedJobQueue();
  if (kind === "embedded")
    return keepAndAnnounce(seals.inbox(createEmbeddedInboxOf({ root: place, schema: z.unknown() })), queue);
  const kept = new Map<string, unknown>();
  const put = async (id: string, delivery: Delivery): Promise<"new" | "waiting"> => {
    const isKnown = kept.has(id);
    kept.set(id, delivery);
    return isKnown ? "waiting" : "new";
  };
  return keepAndAnnounce({ put }, queue);
}
