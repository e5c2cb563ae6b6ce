import { connect, type Socket } from "node:net";

/** A connection to the first of these addresses that takes one. Half-open, since a program may end its side and listen on. */
export async function connectTo(
  target: { readonly addresses: readonly string[]; readonly port: number },
  withinMs: number,
  signal: AbortSignal,
  onSocket: (socket: Socket) => void,
): Promise<Socket> {
  let failure: unknown = new Error("there is no address");
  for (const host of target.addresses) {
    signal.throwIfAborted();
    try {
      return await connectOnce(host, target.port, withinMs, signal, onSocket);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function connectOnce(
  host: string,
  port: number,
  withinMs: number,
  signal: AbortSignal,
  onSocket: (socket: Socket) => void,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, allowHalfOpen: true, noDelay: true });
    onSocket(socket);
    const fail = (error: Error): void => {
      settle();
      socket.destroy();
      reject(error);
    };
    const late = (): void =>
      fail(Object.assign(new Error("the connection took too long"), { code: "ETIMEDOUT" }));
    const abort = (): void => fail(new Error("nobody waits for the connection any more"));
    const settle = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      socket.off("error", fail).off("close", abort);
      socket.on("error", () => {});
    };
    const timer = setTimeout(late, withinMs);
    signal.addEventListener("abort", abort, { once: true });
    socket.once("error", fail);
    // Destroyed by somebody else, it says nothing more.
    socket.once("close", abort);
    socket.once("connect", () => {
      settle();
      resolve(socket);
    });
  });
}
