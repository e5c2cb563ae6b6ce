import { createHash, randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { settleAsyncMerges } from "../model/pulls/async-merge.ts";
import { notFound, Refusal } from "../model/refusal.ts";
import type { RequestRecord } from "../model/types.ts";
import type { World } from "../model/world.ts";
import { table } from "../table.ts";
import { authenticate } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import type { Answer, Call, Caller, Route } from "./call.ts";
import { budgetOf, checkLimits, limitState } from "./check-limits.ts";
import { createRouter } from "./match-route.ts";
import { readJson } from "./read-json.ts";
import { ROUTES } from "./routes.ts";
import { API_PREFIX } from "./shape/addresses.ts";

const route = createRouter(ROUTES);
/** Requests without an answer yet, by budget and world. */
const running = new WeakMap<World, Map<string, number>>();

/** Answers a request below `/api/v3`. False, and nothing done, when it is not for the API. */
export async function serveRest(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const address = new URL(request.url ?? "/", world.github.url);
  if (address.pathname !== API_PREFIX && !address.pathname.startsWith(`${API_PREFIX}/`)) return false;
  const method = request.method ?? "GET";
  const path = address.pathname.slice(API_PREFIX.length) || "/";
  const matched = route(method === "HEAD" ? "GET" : method, path);
  const caller = callerOf(world, request.headers.authorization);
  const actor = caller instanceof Refusal ? "anonymous" : budgetOf(caller);
  const record: RequestRecord = {
    at: world.clock.now(),
    method,
    path,
    route: matched && `${matched.route.method} ${matched.route.path}`,
    actor,
    status: 0,
    createsContent: matched?.route.createsContent ?? false,
  };
  world.github.requests.push(record);
  let body: unknown;
  let answer: Answer;
  try {
    body = await readJson(request);
    if (!matched) world.unknownPaths.push(`${method} ${path}`);
    if (caller instanceof Refusal) throw caller;
    if (!matched) throw notFound();
    const call: Call = {
      world,
      caller,
      params: matched.params,
      query: Object.fromEntries(address.searchParams),
      body: isObject(body) ? body : {},
      accept: request.headers.accept ?? "",
      address,
    };
    answer = await withinLimits(world, record, () => handle(matched.route, call));
  } catch (problem) {
    if (!(problem instanceof Refusal)) throw problem;
    answer = refusalAnswer(world, problem);
  }
  const sent = send(world, request, response, answer, record);
  world.inspect?.({
    method,
    route: matched?.route.path ?? null,
    path,
    query: Object.fromEntries(address.searchParams),
    requestBody: body,
    status: sent,
    responseBody: sent === 304 ? undefined : jsonValue(answer.body),
  });
  return true;
}

export function callerOf(world: World, header: string | undefined): Caller | Refusal {
  try {
    return authenticate(world, header);
  } catch (problem) {
    if (problem instanceof Refusal) return problem;
    throw problem;
  }
}

async function handle(found: Route, call: Call): Promise<Answer> {
  if (found.scope === "repository") {
    const allowed = authorize(call, found.needs);
    // What was due in the background has happened by the time anybody looks.
    await settleAsyncMerges(call.world, allowed.repository);
    return found.handle(allowed);
  }
  const wrong = wrongCaller(found.scope, call.caller);
  if (wrong) throw wrong;
  return found.handle(call);
}

function wrongCaller(scope: "app" | "installation" | "anyone", caller: Caller): Refusal | null {
  if (scope === "app" && caller.kind !== "app")
    return new Refusal(401, "A JSON web token could not be decoded");
  if (scope === "installation" && caller.kind !== "installation") {
    return new Refusal(
      403,
      "You must authenticate with an installation access token in order to list repositories for an installation.",
    );
  }
  return null;
}

/** Counts the request, then does it: concurrent ones see each other. */
export async function withinLimits(
  world: World,
  record: RequestRecord,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const { actor } = record;
  const counters = running.get(world) ?? new Map<string, number>();
  running.set(world, counters);
  const now = (counters.get(actor) ?? 0) + 1;
  const limited = checkLimits(world, record, now);
  if (limited) {
    const { retryAfter, refusal } = limited;
    const answer = refusalAnswer(world, refusal);
    return retryAfter === null ? answer : { ...answer, headers: { "retry-after": String(retryAfter) } };
  }
  counters.set(actor, now);
  try {
    return await work();
  } finally {
    counters.set(actor, (counters.get(actor) ?? 1) - 1);
  }
}

/** Returns the status that was sent: 304 where the caller has it already. */
export function send(
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  record: RequestRecord,
): number {
  const raw = typeof answer.body === "string" || answer.body instanceof Uint8Array;
  const text = answer.body === undefined ? "" : raw ? answer.body : JSON.stringify(answer.body);
  const etag = `W/"${createHash("sha256")
    .update(text as string | Uint8Array)
    .digest("hex")}"`;
  const known =
    request.method === "GET" && answer.status === 200 && request.headers["if-none-match"] === etag;
  record.status = known ? 304 : answer.status;
  const { limit, used, remaining, reset } = limitState(world, record.actor);
  const headers: Record<string, string> = table({
    "x-github-request-id": randomUUID(),
    "x-github-media-type": "github.v3; format=json",
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-used": String(used),
    "x-ratelimit-remaining": String(remaining),
    "x-ratelimit-reset": String(reset),
    "x-ratelimit-resource": "core",
    date: new Date(Date.now()).toUTCString(),
    ...(request.method === "GET" && answer.status === 200 && { etag }),
    ...answer.headers,
  });
  if (known || answer.body === undefined) {
    response.writeHead(record.status, headers).end();
    return record.status;
  }
  const type =
    headers["content-type"] ?? (raw ? "text/plain; charset=utf-8" : "application/json; charset=utf-8");
  response.writeHead(answer.status, { ...headers, "content-type": type });
  response.end(request.method === "HEAD" ? undefined : text);
  return answer.status;
}

export function refusalAnswer(world: World, refusal: Refusal): Answer {
  const errors = refusal.sentences.length > 0 ? refusal.sentences : refusal.errors;
  return {
    status: refusal.status,
    body: {
      message: refusal.message,
      ...(errors.length > 0 && { errors }),
      documentation_url: `${world.github.url}/docs/rest`,
      status: String(refusal.status),
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** As the other side reads it: without what JSON leaves out. */
function jsonValue(body: unknown): unknown {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return body;
  return JSON.parse(JSON.stringify(body));
}
