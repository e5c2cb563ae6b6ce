import type { ServerResponse } from "node:http";

/**
 * Aborted when nobody waits for this answer any more: it is out, or its connection is gone. Node does not tell an answer that
 * is queued behind another one about the end of its connection, so both are listened to.
 */
export function whenOver(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const { socket } = response.req;
  const end = (): void => {
    response.off("close", end);
    socket.off("close", end);
    controller.abort();
  };
  response.on("close", end);
  socket.on("close", end);
  if (socket.destroyed) end();
  return controller.signal;
}
