import {
  request as askPlain,
  type IncomingMessage,
  Agent as PlainAgent,
  type ServerResponse,
} from "node:http";
import { request as askSecure, Agent as SecureAgent } from "node:https";
import { isIP } from "node:net";
import { retryTime } from "../../../core/network/retry-time.ts";
import type { ModelDoor, Traffic } from "../../../ports/room.ts";
import { answerText } from "./answer.ts";
import { explainNetworkError } from "./explain-network-error.ts";
import { forwardRequestHeaders } from "./forward-headers.ts";
import { createKeySwap } from "./key-swap.ts";
import type { GatewayLimits } from "./limits.ts";
import { handModelAnswerOn } from "./model-answer.ts";
import { readUpstream } from "./upstream.ts";

export type ModelDoorOptions = {
  readonly model: ModelDoor;
  readonly limits: GatewayLimits;
  readonly onTraffic: (traffic: Traffic) => void;
  /** Certificates to trust besides the usual ones. */
  readonly ca: string | null;
};

export type OpenModelDoor = {
  /** `rest` is what follows the door's own path. */
  forward(request: IncomingMessage, response: ServerResponse, rest: string): void;
  close(): void;
};

/**
 * The way to the model. The room knows a placeholder; the key takes its place out here and is hidden in all that comes
 * back, so nothing inside can ever hold it. What could smuggle the key in is not sent: ranges, which would return it in
 * pieces, packed answers, in which it could not be found, and TRACE, whose point is to repeat the request. Redirects are
 * handed to the room like any answer, with the placeholder in it: only the upstream that the operator named gets the key.
 *
 * Each request takes a connection of its own. One that is kept may be closed by the far side in the moment it is used
 * again, which looks like a provider that broke off; TLS sessions are resumed, so a new one costs little.
 */
export function openModelDoor({ model, limits, onTraffic, ca }: ModelDoorOptions): OpenModelDoor {
  const swap = createKeySwap(model);
  const upstream = readUpstream(model.upstream);
  const agent = upstream.isSecure ? new SecureAgent({ ...(ca === null ? {} : { ca }) }) : new PlainAgent();
  const host = swap.hide(upstream.host);

  return {
    forward(request, response, rest) {
      const path = upstream.pathOf(rest);
      if (path === null || request.method === "TRACE") {
        answerText(response, 400, "This request can't be sent to the model.");
        return;
      }
      // Longer than the model's own time, so that the room still hears about it.
      request.socket.setTimeout(2 * limits.modelIdleMs);
      const unreachable = (error: unknown): void => {
        const reason = swap.hide(explainNetworkError(error));
        onTraffic({ kind: "unreachable", host, reason });
        answerText(response, 502, `The model at ${host} can't be reached: ${reason}.`);
      };
      try {
        send(request, response, path, unreachable);
      } catch {
        // What Node finds wrong with a request it says with the request's own words, and the key may be among them.
        answerText(response, 400, "This request can't be sent to the model.");
      }
    },
    close: () => agent.destroy(),
  };

  function send(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    unreachable: (error: unknown) => void,
  ): void {
    const ask = upstream.isSecure ? askSecure : askPlain;
    const outgoing = ask({
      agent,
      maxHeaderSize: limits.headerBytes,
      host: upstream.hostname,
      port: upstream.port,
      ...(isIP(upstream.hostname) === 0 ? { servername: upstream.hostname } : {}),
      method: request.method,
      path: swap.inQuery(path),
      headers: outgoingHeaders(request),
    });
    let isAnswered = false;
    const stopWaiting = limitConnecting(outgoing, limits.connectMs);
    outgoing.setTimeout(limits.modelIdleMs, () => outgoing.destroy(timeout()));
    outgoing.on("error", (error) => {
      stopWaiting();
      // What comes after an answer, or after the room has left, is the noise of closing.
      if (!isAnswered && !response.destroyed) unreachable(error);
    });
    outgoing.on("upgrade", (_incoming, socket) => {
      socket.destroy();
      unreachable(new Error("it wants to speak another protocol"));
    });
    outgoing.on("response", (incoming) => {
      isAnswered = true;
      const isReadable = handModelAnswerOn(incoming, response, swap, model.placeholder, {
        onHead: (body) => onTraffic(tellAnswer(incoming, body)),
        onEnd(error) {
          if (error) unreachable(error);
          outgoing.destroy();
        },
      });
      if (isReadable) return;
      unreachable(new Error("it answers in an encoding that it was not asked for"));
      incoming.destroy();
    });
    response.on("close", () => outgoing.destroy());
    // The far side may answer before there is a body.
    outgoing.flushHeaders();
    request.pipe(outgoing);
  }

  function outgoingHeaders(request: IncomingMessage): Record<string, string | string[]> {
    const {
      range: _pieces,
      "if-range": _condition,
      ...headers
    } = forwardRequestHeaders(request, upstream.host);
    const swapped = Object.entries(headers).map(([name, value]): [string, string | string[]] => [
      name,
      Array.isArray(value)
        ? value.map((one) => swap.inHeader(name, one))
        : swap.inHeader(name, String(value)),
    ]);
    return { ...Object.fromEntries(swapped), host: upstream.host, "accept-encoding": "identity" };
  }
}

function tellAnswer(incoming: IncomingMessage, body: string | null): Traffic {
  const status = incoming.statusCode ?? 502;
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return { kind: "answered", status, retryAt: retryTime({ status, headers, body }, Date.now()), body };
}

/** Ends a request whose connection does not come about in time. */
function limitConnecting(outgoing: ReturnType<typeof askPlain>, withinMs: number): () => void {
  const timer = setTimeout(() => outgoing.destroy(timeout()), withinMs);
  const stop = (): void => clearTimeout(timer);
  outgoing.on("close", stop);
  outgoing.on("socket", (socket) => {
    // What it still has to say when the request is over is heard by nobody, and would end Loom.
    socket.on("error", () => {});
    socket.once("encrypted" in socket ? "secureConnect" : "connect", stop);
  });
  return stop;
}

function timeout(): Error {
  return Object.assign(new Error("it did not answer in time"), { code: "ETIMEDOUT" });
}
