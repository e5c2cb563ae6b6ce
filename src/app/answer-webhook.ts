import type { IncomingMessage, ServerResponse } from "node:http";
import type { RuleOf } from "../core/policy/boundaries.ts";
import { auditTexts } from "../core/report/audit/audit-texts.ts";
import type { Audit } from "../ports/audit.ts";
import { answerText } from "./answer.ts";
import type { BodyBudget } from "./body-budget.ts";
import { parsePayload } from "./parse-payload.ts";
import { readSignedBody } from "./read-signed-body.ts";
import { readWebhookHead } from "./read-webhook-head.ts";

export type WebhookEndpoint = {
  readonly secret: string;
  readonly maxPayloadBytes: number;
  readonly budget: BodyBudget;
  readonly audit: Audit;
  /** Whether anything listens to events of this name. */
  readonly knows: (event: string) => boolean;
  readonly receive: (event: {
    readonly id: string;
    readonly name: string;
    readonly payload: Readonly<Record<string, unknown>>;
  }) => Promise<void>;
};

const RETRY_SECS = 10;

/**
 * One webhook: its head, its body, its signature, then what it says. It stands in the place of the middleware that
 * `@octokit/webhooks` brings, which holds a body of any sender in several copies before it looks at the signature, and
 * looks handlers up by whatever name the sender chose.
 */
export async function answerWebhook(
  endpoint: WebhookEndpoint,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { maxPayloadBytes } = endpoint;
  if (request.method !== "POST") return answerText(response, 404, "Webhooks are sent with POST.");
  const head = readWebhookHead(request.headers, maxPayloadBytes);
  if (head.kind === "refused") {
    note(endpoint, head.status === 413 ? "too-large" : "malformed");
    return refuse(response, head.status, head.error);
  }
  if (request.headers.expect !== undefined) response.writeContinue();
  const body = await readSignedBody(request, {
    secret: endpoint.secret,
    digest: head.digest,
    limit: maxPayloadBytes,
    budget: endpoint.budget,
  });
  if (body.kind === "gone") return;
  if (body.kind !== "signed") note(endpoint, body.kind);
  if (body.kind === "crumbs") return;
  if (body.kind !== "signed") {
    const { status, error } = REFUSALS[body.kind](maxPayloadBytes);
    if (status === 503) response.setHeader("retry-after", RETRY_SECS);
    return refuse(response, status, error);
  }
  try {
    const payload = parsePayload(body.bytes);
    if (payload === null) {
      note(endpoint, "unreadable");
      return refuse(response, 400, "The payload is no JSON object, or its action is no text.");
    }
    if (!endpoint.knows(head.event)) return answerText(response, 200, "Loom does not listen to this event.");
    await endpoint.receive({ id: head.id, name: head.event, payload });
    answerText(response, 200, "ok");
  } catch (error) {
    const [first] = error instanceof AggregateError ? error.errors : [error];
    const status = statusOf(first);
    if (status === null) throw error;
    answerError(response, status, `${first.name}: ${first.message}`);
  } finally {
    body.release();
  }
}

function note({ audit }: WebhookEndpoint, rule: RuleOf<"webhook">): void {
  audit.refused({ boundary: "webhook", rule, what: auditTexts.webhook[rule] });
}

const REFUSALS = {
  forged: () => ({ status: 400, error: "The signature does not match the payload." }),
  "too-large": (most: number) => ({ status: 413, error: `Payloads may have ${most} bytes.` }),
  "crowded-out": () => ({ status: 503, error: "Too much is being sent at once. Redeliver this later." }),
};

/** The rest of the body is not read, so the connection can't go on. */
function refuse(response: ServerResponse, status: number, error: string): void {
  response.setHeader("connection", "close");
  answerError(response, status, error);
}

function answerError(response: ServerResponse, status: number, error: string): void {
  const body = JSON.stringify({ error });
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

function statusOf(error: unknown): number | null {
  return error instanceof Error && "status" in error && typeof error.status === "number"
    ? error.status
    : null;
}
