import type { Socket } from "node:net";

export type FarSockets = {
  hasPlace(): boolean;
  /** It counts until it is closed. One that comes too late, or beyond the last place, is destroyed. */
  hold(socket: Socket): void;
  /** Destroys all of them, and all that come later. */
  close(): void;
};

/** Why a request gets no connection. */
export const NO_PLACE = "Too many connections are open.";

/**
 * The connections that a gateway opened for its sandbox. They are Loom's own files and memory, so there are only so many,
 * whatever the sandbox does on its side, and none is left when the sandbox is gone (T25, T40).
 */
export function createFarSockets(max: number): FarSockets {
  const open = new Set<Socket>();
  let isClosed = false;
  return {
    hasPlace: () => !isClosed && open.size < max,
    hold(socket) {
      if (isClosed || open.size >= max) {
        socket.destroy();
        return;
      }
      open.add(socket);
      socket.once("close", () => open.delete(socket));
    },
    close() {
      isClosed = true;
      for (const socket of open) socket.destroy();
    },
  };
}
