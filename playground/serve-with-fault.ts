import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Writable } from "node:stream";
import { type RequestEffect, type RequestFault, waitFor } from "./faults.ts";
import type { World } from "./model/world.ts";

type Serve = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Serves a request the way a fault wants it. */
export async function serveWithFault(
  world: World,
  fault: RequestFault,
  req: IncomingMessage,
  res: ServerResponse,
  serve: Serve,
): Promise<void> {
  const { effect } = fault;
  switch (effect.kind) {
    case "fail":
      req.resume();
      recordFailed(world, fault, req, effect.status);
      return sendError(res, effect.status, effect.headers ?? {}, effect.body ?? { message: "Server Error" });
    case "fail-after-applying":
      await serve(req, unheardResponse(req));
      return sendError(res, effect.status, {}, { message: "Server Error" });
    case "delay":
      await waitFor(effect, closed(res));
      if (!res.destroyed) await serve(req, res);
      return;
    case "hang-up":
      if (effect.afterApplying) await serve(req, unheardResponse(req));
      else recordFailed(world, fault, req, 0);
      res.destroy();
      return;
    case "rate-limit":
      req.resume();
      recordFailed(world, fault, req, 403);
      return sendRateLimit(world, effect, res);
  }
}

function sendRateLimit(
  world: World,
  { secondary, retryAfter }: Extract<RequestEffect, { kind: "rate-limit" }>,
  res: ServerResponse,
): void {
  const about = `${world.github.url}/rest/using-the-rest-api/rate-limits-for-the-rest-api`;
  if (secondary) {
    const message =
      "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
    const body = { documentation_url: `${about}#about-secondary-rate-limits`, message };
    sendError(res, 403, { "retry-after": `${retryAfter}` }, body);
    return;
  }
  const headers = {
    "x-ratelimit-limit": `${world.github.limits.primary}`,
    "x-ratelimit-remaining": "0",
    "x-ratelimit-used": `${world.github.limits.primary}`,
    "x-ratelimit-reset": `${Math.ceil(world.clock.now() / 1000) + retryAfter}`,
    "x-ratelimit-resource": "core",
  };
  sendError(res, 403, headers, {
    message: "API rate limit exceeded for installation.",
    documentation_url: about,
  });
}

function sendError(
  res: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void {
  if (res.destroyed) return;
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const type = typeof body === "string" ? "text/html; charset=utf-8" : "application/json; charset=utf-8";
  res.writeHead(status, { "content-type": type, ...headers }).end(text);
}

/** A response that nobody receives: what serves the request must not notice that its answer is lost. */
function unheardResponse(req: IncomingMessage): ServerResponse {
  const res = new ServerResponse(req);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  // Only what a response writes to is needed of a socket.
  res.assignSocket(nowhere as unknown as Socket);
  return res;
}

function closed(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  res.once("close", () => controller.abort());
  return controller.signal;
}

/** It was asked, though nobody served it: those who count requests must see it. */
function recordFailed(world: World, { match }: RequestFault, req: IncomingMessage, status: number): void {
  const { pathname } = new URL(req.url ?? "/", "http://localhost");
  const method = req.method ?? "GET";
  world.github.requests.push({
    at: world.clock.now(),
    method,
    path: pathname.replace(/^\/api\/v3(?=\/)/, ""),
    route: match.route === undefined ? null : `${method} ${match.route}`,
    actor: "unknown",
    status,
    createsContent: false,
  });
}
