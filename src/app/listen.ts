import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { UserError } from "../core/errors.ts";
import type { RuleOf } from "../core/policy/boundaries.ts";
import { auditTexts } from "../core/report/audit/audit-texts.ts";
import type { Audit } from "../ports/audit.ts";
import { answerText } from "./answer.ts";
import { limitConnections } from "./limit-connections.ts";

export type ListeningServer = {
  readonly port: number;
  /** Takes no more connections and waits for the requests in flight, but not for ever. */
  close(): Promise<void>;
};

export type ListenOptions = {
  readonly port: number;
  readonly host: string;
  readonly stopMs?: number | undefined;
  readonly maxConnections?: number | undefined;
  readonly limits?: Partial<typeof LIMITS> | undefined;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;
  readonly onError: (error: unknown) => void;
  readonly audit: Audit;
};

const STOP_MS = 8_000;
/** GitHub sends one delivery on each, and a proxy keeps some dozens. */
const MAX_CONNECTIONS = 256;
const LIMITS = {
  // GitHub waits ten seconds for its answer; whoever is slower to send is not GitHub.
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5_000,
  // How often the first two are looked at; 30 s unless set.
  connectionsCheckingInterval: 1_000,
  // Room for what proxies add, and for the cookies that a browser has for localhost.
  maxHeaderSize: 16 * 1024,
};
const MAX_HEADERS = 100;
const MAX_REQUESTS_PER_CONNECTION = 1_000;
/** The longest in use is the set-up page's, with a code of GitHub's and a key. */
const MAX_TARGET_CHARS = 2_048;

/** A server that strangers can reach: what one connection, and all of them together, can take is bounded (T44). */
export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const server = createServer({ ...LIMITS, ...options.limits });
  server.maxHeadersCount = MAX_HEADERS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  const refused = (rule: RuleOf<"connection">): void =>
    options.audit.refused({ boundary: "connection", rule, what: auditTexts.connection[rule] });
  limitConnections(server, options.maxConnections ?? MAX_CONNECTIONS, () => refused("too-many"));
  const open = new Set<ServerResponse>();
  const busy = new WeakSet<Socket>();
  let closing: Promise<void> | null = null;
  const onRequest = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { socket } = request;
    // A packet holds thousands of small requests, and nobody who is served here sends the next one before its answer.
    if (busy.has(socket)) {
      refused("pipelined");
      return void socket.destroy();
    }
    busy.add(socket);
    open.add(response);
    response.once("close", () => {
      busy.delete(socket);
      open.delete(response);
    });
    // What was answered before it came to its end is not worth reading on.
    response.once("finish", () => {
      if (!request.complete) socket.destroySoon();
    });
    if (closing !== null) endAfter(response);
    if ((request.url ?? "").length > MAX_TARGET_CHARS)
      return answerText(response, 414, "This address is too long.");
    try {
      await options.answer(request, response);
    } catch (error) {
      // The sender went away: there is nobody to answer, and nothing is wrong here.
      if (request.destroyed && !request.complete) return;
      options.onError(error);
      if (response.headersSent) response.destroy();
      else answerText(response, 500, "Something went wrong here. It is in the log.");
    }
  };
  server.on("request", onRequest);
  // Left to whoever answers: a body that is refused by its head need not be sent.
  server.on("checkContinue", onRequest);
  await start(server, options);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close() {
      for (const response of open) endAfter(response);
      closing ??= stop(server, options.stopMs ?? STOP_MS);
      return closing;
    },
  };
}

function start(server: Server, { port, host }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(explain(error, port, host)));
    server.listen({ port, host }, resolve);
  });
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): Error {
  const options = { next: "Set LOOM_PORT, or HOST, to something else.", cause: error };
  switch (error.code) {
    case "EADDRINUSE":
      return new UserError(`Port ${port} is in use by another program.`, options);
    case "EACCES":
      return new UserError(`Port ${port} is not open to this user.`, options);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new UserError(`This machine has no address ${host}.`, options);
    default:
      return new Error(`failed to listen on ${host}:${port}`, { cause: error });
  }
}

/** A connection that is kept alive would hold up the stop. */
function endAfter(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("connection", "close");
}

function stop(server: Server, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), ms);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
