import { createHmac } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import type { App } from "../model/types.ts";

export type Webhook = {
  readonly guid: string;
  readonly event: string;
  /** The exact text that is signed and sent. */
  readonly body: string;
};

/** As GitHub notes it: OK for any 2xx, otherwise what went wrong in a few words. */
export type PostResult = {
  readonly status: string;
  readonly statusCode: number;
  readonly durationSecs: number;
};

const TIMEOUT_MS = 10_000;

/** Posts one webhook once. Never throws: whatever happens is a result, and nobody tries again. */
export async function postWebhook(
  app: App,
  webhook: Webhook,
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<PostResult> {
  const start = performance.now();
  const outcome = await new Promise<Omit<PostResult, "durationSecs">>((resolve) => {
    const sent = request(app.webhookUrl ?? "", {
      method: "POST",
      headers: headersOf(app, webhook),
      agent: false,
    });
    const timer = setTimeout(() => {
      resolve({ status: "timed out", statusCode: 504 });
      sent.destroy();
    }, timeoutMs);
    const stop = (): void => {
      sent.destroy();
    };
    signal.addEventListener("abort", stop);
    sent.on("response", (response) => resolve(outcomeOf(response)));
    sent.on("error", () => resolve({ status: "failed to connect to host", statusCode: 502 }));
    sent.on("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve({ status: "failed to connect to host", statusCode: 502 });
    });
    sent.end(webhook.body);
  });
  return { ...outcome, durationSecs: Math.round(performance.now() - start) / 1000 };
}

function headersOf(app: App, { guid, event, body }: Webhook): Record<string, string> {
  const sign = (algorithm: string): string =>
    `${algorithm}=${createHmac(algorithm, app.webhookSecret).update(body).digest("hex")}`;
  return {
    accept: "*/*",
    "content-type": "application/json",
    "content-length": `${Buffer.byteLength(body)}`,
    "user-agent": "GitHub-Hookshot/44aac53",
    "x-github-delivery": guid,
    "x-github-event": event,
    "x-github-hook-id": `${app.id}`,
    "x-github-hook-installation-target-id": `${app.id}`,
    "x-github-hook-installation-target-type": "integration",
    ...(app.webhookSecret === ""
      ? {}
      : { "x-hub-signature": sign("sha1"), "x-hub-signature-256": sign("sha256") }),
  };
}

function outcomeOf(response: IncomingMessage): Omit<PostResult, "durationSecs"> {
  response.resume();
  const statusCode = response.statusCode ?? 0;
  const fine = statusCode >= 200 && statusCode < 300;
  return { status: fine ? "OK" : `Invalid HTTP Response: ${statusCode}`, statusCode };
}
