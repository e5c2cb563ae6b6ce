import { randomBytes, timingSafeEqual } from "node:crypto";
import { chmod } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { UserError } from "../../../core/errors.ts";
import { type HostRule, readHostRule } from "../../../core/network/allowed-host.ts";
import { auditTexts } from "../../../core/report/audit/audit-texts.ts";
import { table } from "../../../core/table.ts";
import type { ProcessExit } from "../../../ports/process-supervisor.ts";
import type { SandboxSpec } from "../../../ports/sandbox.ts";
import { createExitEndpoint } from "./exit-endpoint.ts";
import { answerOnSocket, answerText } from "./http/answer.ts";
import { catchThrown } from "./http/catch-thrown.ts";
import { createFarSockets } from "./http/far-sockets.ts";
import { createOneAtATime } from "./http/one-at-a-time.ts";
import { createJudgeEndpoint } from "./judge-endpoint.ts";
import { GATEWAY_LIMITS, type GatewayLimits } from "./limits.ts";
import { openModelEndpoint } from "./model-endpoint.ts";
import { createNetworkProxy, isRelay, splitAuthority } from "./network-proxy.ts";
import { RELAY_PORT } from "./program-files.ts";
import { createResolver, createTargets, type Resolve } from "./resolve-target.ts";

export type GatewayOptions = {
  /** A unix socket for sandboxes with a network of their own, or a port of this machine's loopback for sandboxes without isolation. */
  readonly listen: { readonly kind: "socket"; readonly path: string } | { readonly kind: "loopback" };
  readonly sandboxSpec: Pick<SandboxSpec, "network" | "model" | "judge" | "onTraffic" | "onRefused">;
  readonly limits?: Partial<GatewayLimits>;
  /** Certificates that the model's host is trusted by besides the usual ones, in PEM. */
  readonly ca?: string;
  /** How names become addresses; without it, as the system does it. */
  readonly resolve?: Resolve;
  /** The networks of this machine's interfaces, such as `192.168.1.5/24`; without it, as the system tells them. */
  readonly ownNetworks?: () => readonly string[];
};

export type Gateway = {
  /** `http://127.0.0.1:<port>/<secret>` when it listens on loopback, else null. */
  readonly url: string | null;
  denied(): readonly string[];
  /** A program with this token is about to start. */
  expect(token: string): void;
  /** How the program behind this token ended, as the relay told; null when it told nothing. */
  exitOf(token: string): ProcessExit | null;
  close(): Promise<void>;
};

/** So many hosts are listed; a program that asks for more is not looking for one of them. */
const MAX_DENIED = 500;
/** The same for requests that the model is not sent. */
const MAX_REFUSED = 20;

/**
 * All endpoints of one sandbox: to the hosts of its allow-list, to its model, and to Loom, which judges commands and hears how
 * programs end. It runs in Loom's process, so a sandbox gets a fixed share: so many connections, so long heads, so much time
 * without a word; bodies are piped, never gathered. On the machine's own loopback everybody can knock, so the endpoints lie
 * behind a path that cannot be guessed, and there is no proxy: a sandbox without isolation needs none.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { sandboxSpec, listen } = options;
  const limits = { ...GATEWAY_LIMITS, ...options.limits };
  const rules = {
    own: readRules(sandboxSpec.network.allow),
    asked: readRules(sandboxSpec.network.allowPublic ?? []),
  };
  const secret = listen.kind === "loopback" ? randomBytes(16).toString("hex") : null;
  const onTraffic = sandboxSpec.onTraffic ?? (() => {});
  const denied = new Set<string>();
  const exits = createExitEndpoint();
  const judge = createJudgeEndpoint(sandboxSpec.judge, limits.headMs);
  const tell = sandboxSpec.onRefused ?? (() => {});
  const list = (name: string): void => {
    if (denied.has(name) || denied.size >= MAX_DENIED) return;
    denied.add(name);
    onTraffic({ kind: "denied", host: name });
  };
  const refused = new Set<string>();
  const onRefused = (what: string): void => {
    tell({ boundary: "model", rule: "request", what: auditTexts.modelRequest(what) });
    if (refused.size >= MAX_REFUSED) return;
    refused.add(what);
    list(what);
  };
  const far = createFarSockets(limits.farConnections);
  const oneAtATime = createOneAtATime();
  const model =
    sandboxSpec.model &&
    openModelEndpoint({
      model: sandboxSpec.model,
      limits,
      far,
      onTraffic,
      onRefused,
      ca: options.ca ?? null,
    });
  const network = createNetworkProxy({
    targets: createTargets(rules, options.resolve ?? createResolver(limits.connectMs), options.ownNetworks),
    limits,
    far,
    onDenied(name, rule) {
      tell({ boundary: "network", rule, what: auditTexts.host(name) });
      list(name);
    },
  });

  const server = createServer({
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headMs,
    // Bodies take the time they take; a connection without a word is cut by its own clock.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.max(50, Math.min(5000, limits.headMs / 4)),
    keepAliveTimeout: 60_000,
  });
  server.maxConnections = limits.connections;
  server.timeout = limits.idleMs;

  const route = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let url = request.url ?? "";
    if (!url.startsWith("/") && secret === null && URL.canParse(url)) {
      const address = new URL(url);
      if (!isRelay(address.hostname, Number(address.port), RELAY_PORT)) {
        return network.forward(request, response, address);
      }
      // Some programs send everything through the proxy, what is meant for the proxy itself too.
      url = `${address.pathname}${address.search}`;
    }
    const path = withoutSecret(url, secret);
    const rest = path?.startsWith("/.loom/model") ? path.slice("/.loom/model".length) : null;
    if (model && rest !== null && /^(?:[/?]|$)/.test(rest)) return model.forward(request, response, rest);
    if (request.method === "POST" && path === "/.loom/judge") {
      return judge.take(request, response);
    }
    if (request.method === "POST" && path === "/.loom/exit") return exits.take(request, response);
    answerText(response, 404, "There is no such endpoint.");
  };

  server.on("request", (request, response) => {
    response.on("error", () => {});
    if (!oneAtATime.begin(request, response)) return;
    const giveUp = (): void => answerText(response, 500, "Loom could not answer this.");
    route(request, response).catch(catchThrown(giveUp, () => response.destroy()));
  });
  const connect = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    if (!oneAtATime.mayTunnel(socket)) return;
    const goal = splitAuthority(request.url ?? "");
    if (secret !== null) answerOnSocket(socket, "403 Forbidden", "There is no proxy here.");
    else if (isRelay(goal.host, goal.port, RELAY_PORT)) {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      socket.unshift(head);
      server.emit("connection", socket);
    } else network.tunnel(request, socket, head).catch(() => socket.destroy());
  };
  server.on("connect", (request, socket: Socket, head) =>
    catchThrown(connect, () => socket.destroy())(request, socket, head),
  );
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    const [status, sentence] = CLIENT_ERRORS[error.code ?? ""] ?? ["400 Bad Request", "This is not HTTP."];
    answerOnSocket(socket, status, sentence);
  });
  const sockets = trackSockets(server);

  await startListening(server, listen);
  const port = (server.address() as AddressInfo).port;
  return {
    url: secret === null ? null : `http://127.0.0.1:${port}/${secret}`,
    denied: () => [...denied],
    expect: exits.expect,
    exitOf: exits.exitOf,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      far.close();
      model?.close();
      await closed;
    },
  };
}

const CLIENT_ERRORS: Readonly<Record<string, [status: string, sentence: string]>> = table({
  HPE_HEADER_OVERFLOW: ["431 Request Header Fields Too Large", "The head of this request is too long."],
  ERR_HTTP_REQUEST_TIMEOUT: ["408 Request Timeout", "The request did not come in time."],
});

function readRules(texts: readonly string[]): HostRule[] {
  const readings = texts.map(readHostRule);
  const problems = readings.flatMap((one) => (one.kind === "problem" ? [one.message] : []));
  if (problems.length > 0) {
    throw new UserError(`The list of hosts that may be reached has problems:\n${problems.join("\n")}`, {
      next: "Fix `sandbox.network` in the plan, or LOOM_ALLOWED_DOMAINS and its like.",
    });
  }
  return readings.flatMap((one) => (one.kind === "rule" ? [one.rule] : []));
}

function withoutSecret(path: string, secret: string | null): string | null {
  if (secret === null) return path;
  const given = Buffer.from(path.slice(1, 1 + secret.length));
  const wanted = Buffer.from(secret);
  return given.length === wanted.length && timingSafeEqual(given, wanted)
    ? path.slice(1 + secret.length)
    : null;
}

function trackSockets(server: Server): Set<Socket> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  return sockets;
}

async function startListening(server: Server, listen: GatewayOptions["listen"]): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", resolve);
    if (listen.kind === "socket") server.listen(listen.path);
    else server.listen(0, "127.0.0.1");
  });
  // The folder may be open to others of this machine; the sandbox's programs run as Loom's own user.
  if (listen.kind === "socket") await chmod(listen.path, 0o600);
}
