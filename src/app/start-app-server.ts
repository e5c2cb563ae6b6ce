import { Probot } from "probot";
import type { Audit } from "../ports/audit.ts";
import type { IntakeOptions } from "./accept-delivery.ts";
import { answerText, pathOf } from "./answer.ts";
import { answerHealth, type HealthReport } from "./answer-health.ts";
import { answerWebhook, type WebhookEndpoint } from "./answer-webhook.ts";
import { createBodyBudget } from "./body-budget.ts";
import { type ListeningServer, listen } from "./listen.ts";
import { loomApp } from "./loom-app.ts";
import { octokitWithoutAccess } from "./octokit-without-access.ts";
import type { AppLog } from "./open-app-log.ts";
import type { AppEnv } from "./read-app-env.ts";
import { WEBHOOK_PATH } from "./webhook-path.ts";
import { WEBHOOKS } from "./webhooks/webhooks.ts";

export type AppServerOptions = {
  readonly app: Pick<AppEnv, "appId" | "privateKey" | "webhookSecret" | "baseUrl">;
  readonly intake: IntakeOptions;
  readonly port: number;
  readonly host: string;
  readonly health: () => Promise<HealthReport>;
  readonly log: AppLog;
  readonly audit: Audit;
  /** How long requests in flight may take once the server is to stop. */
  readonly stopMs?: number;
  readonly maxPayloadBytes?: number;
  /** Of all bodies together whose signature is not known yet. */
  readonly maxBytesInFlight?: number;
  readonly maxConnections?: number;
};

/** GitHub sends no more. */
const MAX_PAYLOAD_BYTES = 25 * 1024 * 1024;
/** One of the largest has a place beside many of the usual size. */
const MAX_BYTES_IN_FLIGHT = 32 * 1024 * 1024;

/**
 * The server that GitHub talks to. Anybody can, so nothing looks into a body before its signature is known (T21), and
 * until then memory, connections and time are bounded (T44). It answers within GitHub's ten seconds whatever happens: the
 * intake gives up on its store after two.
 */
export async function startAppServer(options: AppServerOptions): Promise<ListeningServer> {
  const { app, log } = options;
  const probot = new Probot({
    appId: app.appId,
    privateKey: app.privateKey,
    secret: app.webhookSecret,
    baseUrl: app.baseUrl,
    log,
    Octokit: octokitWithoutAccess(),
  });
  await probot.load(loomApp(options.intake, options.audit), { cwd: "/", addHandler: () => {} });
  const events = new Set(WEBHOOKS.map(({ event }) => event));
  const endpoint: WebhookEndpoint = {
    secret: app.webhookSecret,
    maxPayloadBytes: options.maxPayloadBytes ?? MAX_PAYLOAD_BYTES,
    budget: createBodyBudget(options.maxBytesInFlight ?? MAX_BYTES_IN_FLIGHT),
    audit: options.audit,
    knows: (event) => events.has(event),
    receive: (event) => probot.webhooks.receive(event as Parameters<typeof probot.webhooks.receive>[0]),
  };

  return listen({
    port: options.port,
    host: options.host,
    stopMs: options.stopMs,
    maxConnections: options.maxConnections,
    audit: options.audit,
    onError: (error) => log.error(error),
    async answer(request, response) {
      const path = pathOf(request);
      if (path === WEBHOOK_PATH) return answerWebhook(endpoint, request, response);
      if (request.method !== "GET" && request.method !== "HEAD")
        return answerText(response, 405, "Only GET here.");
      if (path === "/healthz") return answerText(response, 200, "ok");
      if (path === "/readyz") return answerHealth(response, options.health);
      if (path === "/")
        return answerText(response, 200, `This is Loom. GitHub sends its webhooks to ${WEBHOOK_PATH}.`);
      answerText(response, 404, "Nothing here.");
    },
  });
}
