import { Octokit } from "@octokit/rest";
import { messageOf } from "../../../core/errors.ts";

/** One HTTP exchange. Every status is an answer here; status 0 is none, or one that can't be read. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly data: unknown;
};

export type Parameters = Readonly<Record<string, unknown>>;
export type Pause = (ms: number) => Promise<void>;
export type Send = (
  route: string,
  parameters: Parameters,
  headers: Readonly<Record<string, string>>,
) => Promise<Reply>;

export const GRAPHQL = "POST /graphql";

export type SendOptions = {
  readonly baseUrl: string;
  readonly fetch?: typeof globalThis.fetch;
  /** After this long, an answer is not waited for any more. */
  readonly timeoutMs: number;
};

/**
 * Octokit fills in routes and reads answers. Its plugins for retries and throttling are not used: the one repeats writes
 * that may have taken effect, the other keeps every two writes a second apart.
 */
export function createSend({ baseUrl, fetch = globalThis.fetch, timeoutMs }: SendOptions): Send {
  const silent = () => undefined;
  const octokit = new Octokit({
    baseUrl,
    userAgent: "loom",
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: {
      fetch: (url: string, init: RequestInit) =>
        fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }),
    },
  });
  // GitHub Enterprise Server has its REST API below `/api/v3` and GraphQL beside it.
  const graphQl = { baseUrl: baseUrl.replace(/\/api\/v3\/?$/, "/api") };
  return async (route, parameters, headers) => {
    const at = route === GRAPHQL ? graphQl : {};
    try {
      const { status, headers: got, data } = await octokit.request(route, { ...parameters, ...at, headers });
      return readable({ status, headers: textHeaders(got), data });
    } catch (error) {
      const response = (error as { response?: { status: number; headers: object; data: unknown } }).response;
      if (response === undefined) return { status: 0, headers: {}, data: without(messageOf(error), headers) };
      const { status, data } = response;
      return { status, headers: textHeaders(response.headers), data: without(data, headers) };
    }
  };
}

/** A proxy's page with status 200, or half a document, is no answer. Octokit hands both on as text. */
function readable(reply: Reply): Reply {
  const mayBeEmpty = reply.status === 202 || reply.status === 204 || reply.status === 205;
  if (typeof reply.data === "object" || (mayBeEmpty && reply.data === "")) return reply;
  return { status: 0, headers: reply.headers, data: "an answer that is not whole" };
}

/** Whoever reports an error may quote the request, and with it the token. */
function without<T>(data: T, { authorization = "" }: Readonly<Record<string, string>>): T {
  const secret = authorization.split(" ")[1] ?? "";
  const text = JSON.stringify(data) ?? "";
  if (secret === "" || !text.includes(secret)) return data;
  return JSON.parse(text.replaceAll(secret, "…")) as T;
}

function textHeaders(headers: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}
