import { createNodeMiddleware, Probot } from "probot";
import type { Door } from "./accept-delivery.ts";
import { answerText, pathOf } from "./answer.ts";
import { answerHealth, type HealthReport } from "./answer-health.ts";
import { doorOctokit } from "./door-octokit.ts";
import { type ListeningServer, listen } from "./listen.ts";
import { loomApp } from "./loom-app.ts";
import type { AppLog } from "./open-app-log.ts";
import type { AppEnv } from "./read-app-env.ts";
import { MAX_PAYLOAD_BYTES, takeBody } from "./take-body.ts";
import { WEBHOOK_PATH } from "./webhook-path.ts";

export type AppServerOptions = {
  readonly app: Pick<AppEnv, "appId" | "privateKey" | "webhookSecret" | "baseUrl">;
  readonly door: Door;
  readonly port: number;
  readonly host: string;
  readonly health: () => Promise<HealthReport>;
  readonly log: AppLog;
  /** How long requests in flight may take once the server is to stop. */
  readonly stopMs?: number;
  readonly maxPayloadBytes?: number;
};

/**
 * The server that GitHub talks to. Signatures are checked over the bytes as they came, in constant time, by
 * `@octokit/webhooks`, before anything looks into them (T21). It answers within GitHub's ten seconds whatever happens:
 * the door gives up on its store after two.
 */
export async function startAppServer(options: AppServerOptions): Promise<ListeningServer> {
  const { app, log, maxPayloadBytes = MAX_PAYLOAD_BYTES } = options;
  const probot = new Probot({
    appId: app.appId,
    privateKey: app.privateKey,
    secret: app.webhookSecret,
    baseUrl: app.baseUrl,
    log,
    Octokit: doorOctokit(),
  });
  const webhooks = await createNodeMiddleware(loomApp(options.door), { probot, webhooksPath: WEBHOOK_PATH });

  return listen({
    port: options.port,
    host: options.host,
    stopMs: options.stopMs,
    onError: (error) => log.error(error),
    async answer(request, response) {
      const path = pathOf(request);
      if (path === WEBHOOK_PATH) {
        if (await takeBody(request, response, maxPayloadBytes)) await webhooks(request, response);
        return;
      }
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
