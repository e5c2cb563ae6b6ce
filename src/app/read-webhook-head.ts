import type { IncomingHttpHeaders } from "node:http";
import { DELIVERY_ID } from "./accept-delivery.ts";

export type WebhookHead =
  | { readonly kind: "head"; readonly event: string; readonly id: string; readonly digest: Buffer }
  | { readonly kind: "refused"; readonly status: number; readonly error: string };

/** As GitHub names events. The header is not covered by the signature, and handlers are looked up by it (T42). */
const EVENT = /^[a-z][a-z_]{0,63}$/;
const SIGNATURE = /^sha256=([0-9a-f]{64})$/;
const JSON_TYPE = /^\s*application\/json\s*(?:;|$)/;

/** What can be seen from the head alone is refused by it, before a byte of the body is read. */
export function readWebhookHead(headers: IncomingHttpHeaders, maxBytes: number): WebhookHead {
  const refused = (status: number, error: string): WebhookHead => ({ kind: "refused", status, error });
  const text = (name: string): string => {
    const value = headers[name];
    return typeof value === "string" ? value : "";
  };
  if (!JSON_TYPE.test(text("content-type"))) return refused(415, "Content-Type must be application/json.");
  const encoding = text("content-encoding");
  if (encoding !== "" && encoding !== "identity")
    return refused(415, "Content-Encoding must be left out: GitHub does not compress webhooks.");
  const event = text("x-github-event");
  if (!EVENT.test(event)) return refused(400, "X-GitHub-Event is missing or not the name of an event.");
  const id = text("x-github-delivery");
  if (!DELIVERY_ID.test(id)) return refused(400, "X-GitHub-Delivery is missing or not an id.");
  const [, digest] = SIGNATURE.exec(text("x-hub-signature-256")) ?? [];
  if (digest === undefined) return refused(400, "X-Hub-Signature-256 is missing or not a SHA-256 signature.");
  if (Number(headers["content-length"] ?? 0) > maxBytes)
    return refused(413, `Payloads may have ${maxBytes} bytes.`);
  return { kind: "head", event, id, digest: Buffer.from(digest, "hex") };
}
