import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export type OneAtATime = {
  /** False: its connection still waits for an answer, and is closed for that. */
  begin(request: IncomingMessage, response: ServerResponse): boolean;
  /** The same for a tunnel, which takes the whole connection. */
  mayTunnel(socket: Socket): boolean;
};

/**
 * One request at a time on each connection. Node hands out all requests of a packet at once, so a single connection could
 * have thousands of them under way, far beyond what its sandbox may take (T25). Queueing them was rejected: what waits takes
 * memory, too, and no client sends its next request before the answer to the last one unless it can do without.
 */
export function createOneAtATime(): OneAtATime {
  const busy = new WeakSet<Socket>();
  const mayTunnel = (socket: Socket): boolean => {
    if (!busy.has(socket) && !socket.destroyed) return true;
    socket.destroy();
    return false;
  };
  return {
    mayTunnel,
    begin({ socket }, response) {
      if (!mayTunnel(socket)) return false;
      busy.add(socket);
      response.once("close", () => busy.delete(socket));
      return true;
    },
  };
}
