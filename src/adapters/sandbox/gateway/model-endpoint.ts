import {
  request as askPlain,
  type IncomingMessage,
  Agent as PlainAgent,
  type ServerResponse,
} from "node:http";
import { request as askSecure, Agent as SecureAgent } from "node:https";
import { isIP } from "node:net";
import type { Shape } from "../../../core/model-api/body-shape.ts";
import {
  isModelHeader,
  judgeModelRequest,
  type ModelRefusal,
  withoutClosedBetas,
} from "../../../core/model-api/judge-model-request.ts";
import { retryTime } from "../../../core/network/retry-time.ts";
import type { ModelEndpoint, Traffic } from "../../../ports/sandbox.ts";
import { examineBody } from "./examine-body.ts";
import { createFairQueue } from "./fair-queue.ts";
import { answerJson, answerText } from "./http/answer.ts";
import { catchThrown } from "./http/catch-thrown.ts";
import { explainNetworkError } from "./http/explain-network-error.ts";
import { type FarSockets, NO_PLACE } from "./http/far-sockets.ts";
import { forwardRequestHeaders } from "./http/forward-headers.ts";
import { readUpstream } from "./http/upstream.ts";
import { whenOver } from "./http/when-over.ts";
import { createKeySwap } from "./key-swap.ts";
import type { GatewayLimits } from "./limits.ts";
import { handModelAnswerOn } from "./model-answer.ts";
import { createPlaces } from "./places.ts";

export type ModelEndpointOptions = {
  readonly model: ModelEndpoint;
  readonly limits: GatewayLimits;
  readonly far: FarSockets;
  readonly onTraffic: (traffic: Traffic) => void;
  /** A request that the model is not sent, in a few words. */
  readonly onRefused: (what: string) => void;
  /** Certificates to trust besides the usual ones. */
  readonly ca: string | null;
};

export type OpenModelEndpoint = {
  /** `rest` is what follows the endpoint's own path. */
  forward(request: IncomingMessage, response: ServerResponse, rest: string): Promise<void>;
  close(): void;
};

/** A sandbox that has bodies examined without end gets half of Loom's time. */
const TURNS = { freeMs: 1, rest: 1 };

/**
 * The way to the model, and to nothing else of its provider's (T31): a request has to be one of those that the CLI needs, with
 * the placeholder and no other credential, and its body is examined on its way out. The sandbox knows a placeholder; the key takes its place out here and is hidden in all that comes
 * back, so nothing inside can ever hold it. What could smuggle the key in is not sent: ranges, which would return it in
 * pieces, and wishes for packed answers, in which it could not be found. Redirects are
 * handed to the sandbox like any answer, with the placeholder in it: only the upstream that the operator named gets the key.
 *
 * Each request takes a connection of its own. One that is kept may be closed by the far side in the moment it is used
 * again, which looks like a provider that broke off; TLS sessions are resumed, so a new one costs little.
 */
export function openModelEndpoint(options: ModelEndpointOptions): OpenModelEndpoint {
  const { model, limits, far, onTraffic, onRefused, ca } = options;
  const swap = createKeySwap(model);
  const upstream = readUpstream(model.upstream);
  const agent = upstream.isSecure ? new SecureAgent({ ...(ca === null ? {} : { ca }) }) : new PlainAgent();
  const host = swap.hide(upstream.host);
  const places = createPlaces(limits.modelRequests);
  const inTurn = createFairQueue(TURNS);

  return {
    async forward(request, response, rest) {
      const { method = "", rawHeaders } = request;
      const judgement = judgeModelRequest({ method, path: rest, rawHeaders }, model.api, model.placeholder);
      if (judgement.kind === "refused") {
        refuse(request, response, judgement);
        return;
      }
      const path = upstream.pathOf(rest);
      if (path === null) {
        answerText(response, 400, "This request can't be sent to the model.");
        return;
      }
      // Longer than the model's own time, so that the sandbox still hears about it.
      request.socket.setTimeout(2 * limits.modelIdleMs);
      const over = whenOver(response);
      if (!(await places.take(over))) return;
      if (!far.hasPlace()) {
        answerText(response, 503, NO_PLACE);
        return;
      }
      const unreachable = (error: unknown): void => {
        const reason = swap.hide(explainNetworkError(error));
        onTraffic({ kind: "unreachable", host, reason });
        answerText(response, 502, `The model at ${host} can't be reached: ${reason}.`);
      };
      try {
        send({ request, response, over, path, shape: judgement.endpoint.body, unreachable });
      } catch {
        // What Node finds wrong with a request it says with the request's own words, and the key may be among them.
        answerText(response, 400, "This request can't be sent to the model.");
      }
    },
    close: () => agent.destroy(),
  };

  function send({ request, response, over, path, shape, unreachable }: Exchange): void {
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
    outgoing.on("socket", far.hold);
    let isAnswered = false;
    const stopWaiting = limitConnecting(outgoing, limits.connectMs);
    outgoing.setTimeout(limits.modelIdleMs, () => outgoing.destroy(timeout()));
    const broken = (error: unknown): void => {
      isAnswered = true;
      outgoing.destroy();
      unreachable(error);
    };
    outgoing.on("error", (error) => {
      stopWaiting();
      // What comes after an answer, or after the sandbox has left, is the noise of closing.
      if (!isAnswered && !response.destroyed) unreachable(error);
    });
    outgoing.on("upgrade", (_incoming, socket) => {
      socket.destroy();
      broken(new Error("it wants to speak another protocol"));
    });
    const handOn = (incoming: IncomingMessage): void => {
      isAnswered = true;
      const isReadable = handModelAnswerOn(incoming, response, swap, model.placeholder, {
        onHead: (body) => onTraffic(tellAnswer(incoming, body)),
        onEnd(error) {
          if (error) unreachable(error);
          outgoing.destroy();
        },
      });
      if (!isReadable) broken(new Error("it answers in an encoding that it was not asked for"));
    };
    outgoing.on("response", catchThrown(handOn, broken));
    over.addEventListener("abort", () => outgoing.destroy());
    // The far side may answer before there is a body.
    outgoing.flushHeaders();
    if (shape === null) {
      request.pipe(outgoing);
      return;
    }
    const stop = (why: ModelRefusal): void => {
      isAnswered = true;
      request.unpipe(examined);
      outgoing.destroy();
      refuse(request, response, why);
    };
    const examined = examineBody(
      { shape, also: model.allowed ?? [] },
      limits.modelBodyBytes,
      inTurn,
      catchThrown(stop, broken),
    );
    examined.on("error", broken);
    over.addEventListener("abort", () => examined.destroy());
    request.pipe(examined).pipe(outgoing);
  }

  /** Nobody reads an answer while still talking, so the rest is heard, as far as a body may go. */
  function refuse(request: IncomingMessage, response: ServerResponse, why: ModelRefusal): void {
    onRefused(`${host}: ${swap.hide(why.rule)}`);
    const answer = (): void => {
      request.off("data", count).off("end", answer);
      answerJson(response, 400, refusalBody(why.sentence));
    };
    let size = 0;
    const count = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limits.modelBodyBytes) answer();
    };
    if (request.complete) answer();
    else request.once("end", answer).on("data", count).resume();
  }

  function outgoingHeaders(request: IncomingMessage): Record<string, string> {
    const headers = Object.entries(forwardRequestHeaders(request, upstream.host));
    const swapped = headers
      .filter(([name]) => isModelHeader(name))
      .map(([name, value]): [string, string] => [
        name,
        name === "anthropic-beta" ? withoutClosedBetas(String(value)) : swap.inHeader(name, String(value)),
      ])
      .filter(([, value]) => value !== "");
    return { ...Object.fromEntries(swapped), host: upstream.host, "accept-encoding": "identity" };
  }
}

type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly over: AbortSignal;
  readonly path: string;
  readonly shape: Shape;
  readonly unreachable: (error: unknown) => void;
};

/** In the words of all providers: each CLI finds the sentence where it looks for one. */
function refusalBody(message: string): object {
  return {
    type: "error",
    error: { type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT", message },
  };
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
