import { request as ask, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { writeHost } from "../../../core/network/canonical-host.ts";
import type { RuleOf } from "../../../core/policy/boundaries.ts";
import { answerOnSocket, answerText, handHeadOn } from "./http/answer.ts";
import { catchThrown } from "./http/catch-thrown.ts";
import { connectTo } from "./http/connect-to.ts";
import { explainNetworkError } from "./http/explain-network-error.ts";
import { type FarSockets, NO_PLACE } from "./http/far-sockets.ts";
import { forwardHeaders, forwardRequestHeaders, withSingles } from "./http/forward-headers.ts";
import { joinSockets } from "./http/join-sockets.ts";
import { whenOver } from "./http/when-over.ts";
import type { GatewayLimits } from "./limits.ts";
import type { ResolveTarget, Target } from "./resolve-target.ts";

export type NetworkProxy = {
  /** CONNECT: a tunnel to `host:port`. */
  tunnel(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void>;
  /** A plain request whose first line holds a whole address. */
  forward(request: IncomingMessage, response: ServerResponse, address: URL): Promise<void>;
};

export type NetworkProxyOptions = {
  readonly targets: ResolveTarget;
  readonly limits: GatewayLimits;
  readonly far: FarSockets;
  readonly onDenied: (name: string, rule: RuleOf<"network">) => void;
};

/** The way out to the hosts of the allow-list: a plain HTTP proxy, as nearly every program can use one. */
export function createNetworkProxy(options: NetworkProxyOptions): NetworkProxy {
  const { targets, limits, far: sockets, onDenied } = options;

  const reach = async (host: string, port: number, closed: AbortSignal): Promise<Socket | Refusal> => {
    const target = await targets(host, port);
    if (target.kind === "denied") onDenied(target.name, target.rule);
    if (target.kind !== "open") return { status: STATUS[target.kind], sentence: target.sentence };
    if (!sockets.hasPlace()) return { status: "503 Service Unavailable", sentence: NO_PLACE };
    try {
      return await connectTo(target, limits.connectMs, closed, sockets.hold);
    } catch (error) {
      return {
        status: "502 Bad Gateway",
        sentence: `${target.name} can't be reached: ${explainNetworkError(error)}.`,
      };
    }
  };

  return {
    async tunnel(request, socket, head) {
      const goal = splitAuthority(request.url ?? "");
      const closed = whenClosed(socket);
      const far = await reach(goal.host, goal.port, closed);
      if ("sentence" in far) {
        answerOnSocket(socket, far.status, far.sentence);
        return;
      }
      if (closed.aborted) {
        far.destroy();
        return;
      }
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      if (head.length > 0) far.write(head);
      joinSockets(socket, far, limits.idleMs);
    },

    async forward(request, response, address) {
      if (address.protocol !== "http:") {
        answerText(
          response,
          400,
          "The proxy forwards plain http requests; for https it has to be asked for a tunnel.",
        );
        return;
      }
      const port = address.port === "" ? 80 : Number(address.port);
      const over = whenOver(response);
      const far = await reach(address.hostname, port, over);
      if ("sentence" in far) answerText(response, Number.parseInt(far.status, 10), far.sentence);
      else if (over.aborted) far.destroy();
      else exchange(request, response, address, far, over);
    },
  };

  function exchange(
    request: IncomingMessage,
    response: ServerResponse,
    address: URL,
    socket: Socket,
    over: AbortSignal,
  ): void {
    let isAnswered = false;
    const broken = (error: unknown): void => {
      // A server may answer before it has read the whole request, and close; the answer counts.
      if (isAnswered) return;
      socket.destroy();
      answerText(response, 502, `${address.host} can't be reached: ${explainNetworkError(error)}.`);
    };
    socket.setTimeout(limits.idleMs, () => socket.destroy());
    try {
      const outgoing = ask({
        createConnection: () => socket,
        maxHeaderSize: limits.headerBytes,
        method: request.method,
        path: `${address.pathname}${address.search}`,
        headers: forwardRequestHeaders(request, hostHeader(address)),
      });
      const handOn = (incoming: IncomingMessage): void => {
        handHeadOn(response, incoming.statusCode ?? 0, withSingles(forwardHeaders(incoming)));
        isAnswered = true;
        pipeline(incoming, response, () => socket.destroy());
      };
      outgoing.on("response", catchThrown(handOn, broken));
      outgoing.on("upgrade", () => broken(new Error("it wants to speak another protocol")));
      outgoing.on("error", broken);
      over.addEventListener("abort", () => outgoing.destroy());
      // The far side may answer before there is a body.
      outgoing.flushHeaders();
      request.pipe(outgoing);
    } catch (error) {
      broken(error);
    }
  }
}

type Refusal = { readonly status: string; readonly sentence: string };

const STATUS: Readonly<Record<Exclude<Target["kind"], "open">, string>> = {
  denied: "403 Forbidden",
  unreachable: "502 Bad Gateway",
  malformed: "400 Bad Request",
};

function hostHeader(address: URL): string {
  return address.port === "" ? address.hostname : `${address.hostname}:${address.port}`;
}

/** A port is part of what CONNECT asks for; one that can't be read leads nowhere. */
export function splitAuthority(authority: string): { host: string; port: number } {
  const parts = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(authority);
  return { host: parts?.[1] ?? "", port: Number(parts?.[2] ?? 0) };
}

/** Whether a proxy was asked for itself, by a program that sends everything through it. */
export function isRelay(host: string, port: number, relayPort: number): boolean {
  return port === relayPort && ["127.0.0.1", "localhost", writeHost("::1")].includes(host);
}

function whenClosed(socket: Socket): AbortSignal {
  const controller = new AbortController();
  socket.once("close", () => controller.abort());
  return controller.signal;
}
