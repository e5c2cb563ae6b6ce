import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { UserError } from "../core/errors.ts";
import { answerText } from "./answer.ts";

export type ListeningServer = {
  readonly port: number;
  /** Takes no more connections and waits for the requests in flight, but not for ever. */
  close(): Promise<void>;
};

export type ListenOptions = {
  readonly port: number;
  readonly host: string;
  readonly stopMs?: number | undefined;
  readonly answer: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void;
  readonly onError: (error: unknown) => void;
};

const STOP_MS = 8_000;
// GitHub waits ten seconds for its answer; whoever is slower to send is not GitHub.
const REQUEST_MS = 30_000;

export async function listen(options: ListenOptions): Promise<ListeningServer> {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS });
  const open = new Set<ServerResponse>();
  let closing: Promise<void> | null = null;
  server.on("request", async (request, response) => {
    open.add(response);
    response.once("close", () => open.delete(response));
    if (closing !== null) endAfter(response);
    try {
      await options.answer(request, response);
    } catch (error) {
      // The sender went away: there is nobody to answer, and nothing is wrong here.
      if (request.destroyed && !request.complete) return;
      options.onError(error);
      if (response.headersSent) response.destroy();
      else answerText(response, 500, "Something went wrong here. It is in the log.");
    }
  });
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
