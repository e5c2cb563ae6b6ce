import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type Listening = {
  /** Such as http://127.0.0.1:4000, without a slash at the end. */
  readonly url: string;
  /** What broke in the server itself, oldest first; a client saw 500. */
  readonly errors: readonly unknown[];
  /** Cuts connections, waits for what is being served, frees the port. */
  close(): Promise<void>;
};

/** An HTTP server that only this machine can reach. */
export async function listen(
  port: number,
  serve: (req: IncomingMessage, res: ServerResponse) => Promise<void>,
): Promise<Listening> {
  const errors: unknown[] = [];
  const serving = new Set<Promise<void>>();
  let closing = false;
  const server = createServer((req, res) => {
    const served = serve(req, res)
      .catch((error: unknown) => {
        // A connection that was cut on purpose, or by the client, is no fault of ours.
        if (!closing && !res.destroyed) errors.push(error);
        if (!res.headersSent) res.writeHead(500, { "content-type": "text/plain" });
        res.end("The playground broke while it served this. See its errors.\n");
      })
      .finally(() => serving.delete(served));
    serving.add(served);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("failed to listen on a port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    errors,
    async close() {
      if (closing) return;
      closing = true;
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await Promise.allSettled([...serving]);
    },
  };
}
