import { createHmac } from "node:crypto";
import { UserError } from "../../core/errors.ts";
import type { Env } from "../settings/env.ts";

const TIMEOUT_MS = 10_000;

/** Tells the address in LOOM_EVENTS_URL what happens, signed with LOOM_EVENTS_SECRET the way GitHub signs its webhooks. */
export function createEventWebhook(env: Env): ((body: string) => Promise<void>) | null {
  const url = env.LOOM_EVENTS_URL?.trim();
  if (!url) return null;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UserError("LOOM_EVENTS_URL is not an address.", { next: "Give it as https://…", exitCode: 2 });
  const secret = env.LOOM_EVENTS_SECRET ?? "";
  return async (body) => {
    const response = await fetch(url, {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        "content-type": "application/json",
        "user-agent": "loom",
        ...(secret === ""
          ? {}
          : { "x-loom-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` }),
      },
      body,
    });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the event webhook answered ${response.status}`);
  };
}
