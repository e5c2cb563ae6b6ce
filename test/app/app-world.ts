import { createHmac, randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEmbeddedInbox } from "../../src/adapters/embedded/inbox.ts";
import { createEmbeddedJobQueue } from "../../src/adapters/embedded/job-queue.ts";
import type { IntakeOptions } from "../../src/app/accept-delivery.ts";
import type { HealthReport } from "../../src/app/answer-health.ts";
import { type AppLogOptions, auditInLog, openAppLog } from "../../src/app/open-app-log.ts";
import { type AppServerOptions, startAppServer } from "../../src/app/start-app-server.ts";
import { WEBHOOK_PATH } from "../../src/app/webhook-path.ts";
import type { Delivery } from "../../src/core/command/delivery.ts";
import { keepAndAnnounce } from "../../src/engine/github/delivery/keep-and-announce.ts";
import type { Inbox } from "../../src/ports/inbox.ts";
import type { JobQueue } from "../../src/ports/job-queue.ts";
import { createAuditLog } from "../../src/wiring/hosted/audit-log.ts";
import { APP_KEY } from "../support/app-key.ts";

/** The app server over real HTTP, with the embedded inbox and queue behind it and a consumer that notes effects. */
export const APP_ID = 4711;
export const SECRET = "a-webhook-secret-of-some-length";
export const PRIVATE_KEY = APP_KEY.privateKey;

export type Sent = { readonly status: number; readonly text: string };

export type AppWorld = {
  readonly url: string;
  readonly inbox: Inbox;
  readonly effects: { readonly id: string; readonly delivery: Delivery }[];
  readonly logged: () => string;
  post(event: string, payload: unknown, options?: PostOptions): Promise<Sent>;
  /** Resolves when every job that was announced has been worked on. */
  settled(): Promise<void>;
  /** The only effect after sending this, or null. */
  effectOf(event: string, payload: unknown): Promise<Delivery | null>;
  close(): Promise<void>;
};

export type PostOptions = { readonly id?: string; readonly headers?: Record<string, string> };

type IntakeParts = {
  readonly inbox: Pick<Inbox, "put">;
  readonly queue: Pick<JobQueue, "enqueue">;
};

export type WorldOptions = Partial<Omit<AppServerOptions, "intake">> & {
  /** Inbox and queue are those behind the intake, unless that is given. */
  readonly intake?: Partial<IntakeOptions> & Partial<IntakeParts>;
  readonly log?: never;
  readonly audit?: never;
  readonly logging?: Partial<AppLogOptions>;
};

export async function openAppWorld({ intake, logging, ...options }: WorldOptions = {}): Promise<AppWorld> {
  const folder = await mkdtemp(join(tmpdir(), "loom-app-"));
  const inbox = createEmbeddedInbox({ root: join(folder, "inbox") });
  const queue = createEmbeddedJobQueue();
  const effects: { id: string; delivery: Delivery }[] = [];
  queue.process(
    async (job) => {
      if (job.kind !== "delivery") throw new Error(`a job of kind ${job.kind}`);
      const delivery = await inbox.get(job.delivery);
      if (delivery === null) return;
      effects.push({ id: job.delivery, delivery });
      await inbox.done(job.delivery);
    },
    { concurrency: { delivery: 1 }, attempts: 1, onGivenUp: async (_, error) => Promise.reject(error) },
  );
  const lines: string[] = [];
  const log = await openAppLog({
    level: "trace",
    format: "json",
    secrets: [SECRET, PRIVATE_KEY],
    write: (text) => lines.push(text),
    ...logging,
  });
  const audit = createAuditLog({ write: auditInLog(log), redact: (text) => text });
  const server = await startAppServer({
    app: {
      appId: APP_ID,
      privateKey: PRIVATE_KEY,
      webhookSecret: SECRET,
      // Nobody listens there: a call to GitHub would show as a failure.
      baseUrl: "http://127.0.0.1:9/api/v3",
    },
    host: "127.0.0.1",
    port: 0,
    health: async (): Promise<HealthReport> => ({ parts: [{ name: "store", problem: null }] }),
    ...options,
    intake: {
      intake: keepAndAnnounce(intake?.inbox ?? inbox, intake?.queue ?? queue),
      appId: APP_ID,
      ...intake,
    },
    log,
    audit,
  });
  const url = `http://127.0.0.1:${server.port}`;

  async function post(
    event: string,
    payload: unknown,
    { id = randomUUID(), headers = {} }: PostOptions = {},
  ) {
    const body = typeof payload === "string" ? payload : JSON.stringify(payload);
    const response = await fetch(url + WEBHOOK_PATH, {
      method: "POST",
      headers: { ...signedHeaders(event, body, id), ...headers },
      body,
    });
    return { status: response.status, text: await response.text() };
  }

  return {
    url,
    inbox,
    effects,
    logged: () => lines.join(""),
    post,
    settled: () => queue.idle(),
    async effectOf(event, payload) {
      const before = effects.length;
      const sent = await post(event, payload);
      if (sent.status !== 200) throw new Error(`answered ${sent.status}: ${sent.text}`);
      await queue.idle();
      const added = effects.slice(before);
      if (added.length > 1) throw new Error(`${added.length} effects`);
      return added[0]?.delivery ?? null;
    },
    async close() {
      await server.close();
      await queue.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function signedHeaders(event: string, body: string, id: string): Record<string, string> {
  return {
    "content-type": "application/json",
    "x-github-event": event,
    "x-github-delivery": id,
    "x-hub-signature-256": `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}`,
  };
}
