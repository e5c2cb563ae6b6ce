import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * At most so many connections. When one more comes, the one goes that has been sending its request, or nothing, for the
 * longest: a sender in earnest is done within moments. Refusing the newcomer, as `maxConnections` alone does, would let a
 * few hundred idle connections keep GitHub out. Those whose request is complete are being answered and stay.
 */
export function limitConnections(server: Server, most: number, onCrowdedOut: () => void): void {
  /** In the order in which they came, or became idle again. */
  const waiting = new Map<Socket, IncomingMessage | null>();
  // If all of them are being answered.
  server.maxConnections = 2 * most;
  server.on("connection", (socket: Socket) => {
    waiting.set(socket, null);
    socket.once("close", () => waiting.delete(socket));
    if (waiting.size <= most) return;
    for (const [one, request] of waiting) {
      if (one === socket || request?.complete) continue;
      waiting.delete(one);
      one.destroy();
      onCrowdedOut();
      return;
    }
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    if (waiting.has(socket)) waiting.set(socket, request);
    response.once("close", () => {
      if (socket.destroyed) return;
      waiting.delete(socket);
      waiting.set(socket, null);
    });
  };
  server.on("request", onRequest);
  server.on("checkContinue", onRequest);
}
