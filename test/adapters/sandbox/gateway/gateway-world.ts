import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  request,
  type Server,
} from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type Gateway,
  type GatewayOptions,
  openGateway,
} from "../../../../src/adapters/sandbox/gateway/open-gateway.ts";
import type { ModelApi } from "../../../../src/core/model-api/model-api.ts";
import type { ModelEndpoint, SandboxSpec, Traffic } from "../../../../src/ports/sandbox.ts";

export const KEY = "sk-sentinel-9f8e7d6c5b4a39281706";
export const PLACEHOLDER = "loom-placeholder-key";

/** A model that may be asked for anything, for tests of the way there and back. */
export const ANY_REQUEST: ModelApi = ["GET", "POST", "DELETE", "HEAD"].map((method) => ({
  method,
  path: /^(?:\/[a-z0-9]+)*$/,
  keyIn: ["x-api-key", "authorization", "?key"],
  query: ["alt", "x"],
  body: null,
}));

export type GatewayWorld = {
  readonly gateway: Gateway;
  readonly socketPath: string;
  /** In order. */
  readonly traffic: readonly Traffic[];
  /** Resolves with the traffic as soon as there is so much of it. */
  until(count: number): Promise<readonly Traffic[]>;
};

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string };

/** Opens gateways and servers and closes all of them at the end. */
export function createWorlds() {
  const closers: (() => Promise<unknown>)[] = [];
  return {
    async open(
      sandboxSpec: Partial<Pick<SandboxSpec, "judge" | "onRefused">> & {
        allow?: string[];
        model?: ModelEndpoint;
      } = {},
      more: Omit<Partial<GatewayOptions>, "sandboxSpec"> = {},
    ): Promise<GatewayWorld> {
      const folder = await mkdtemp(join(tmpdir(), "loom-gateway-"));
      const socketPath = join(folder, "gateway.sock");
      const traffic: Traffic[] = [];
      const waiting = new Set<() => void>();
      const gateway = await openGateway({
        listen: { kind: "socket", path: socketPath },
        ...more,
        sandboxSpec: {
          network: { allow: sandboxSpec.allow ?? [] },
          model: sandboxSpec.model ?? null,
          judge: sandboxSpec.judge ?? null,
          ...(sandboxSpec.onRefused ? { onRefused: sandboxSpec.onRefused } : {}),
          onTraffic(one) {
            traffic.push(one);
            for (const look of waiting) look();
          },
        },
      });
      closers.push(async () => {
        await gateway.close();
        await rm(folder, { recursive: true, force: true });
      });
      const until = (count: number): Promise<readonly Traffic[]> =>
        new Promise((resolve) => {
          const look = (): void => {
            if (traffic.length < count) return;
            waiting.delete(look);
            resolve(traffic);
          };
          waiting.add(look);
          look();
        });
      return { gateway, socketPath, traffic, until };
    },

    /** A web server on loopback. */
    async serve(answer: RequestListener): Promise<{ port: number; url: string; server: Server }> {
      const server = createServer(answer);
      const port = await listen(server);
      closers.push(() => closeServer(server));
      return { port, url: `http://127.0.0.1:${port}`, server };
    },

    onClose: (closer: () => Promise<unknown>): void => void closers.push(closer),

    async close(): Promise<void> {
      for (const closer of closers.splice(0).reverse()) await closer();
    },
  };
}

export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

export function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** One request through the gateway's socket, as the relay would carry it. */
export function ask(
  socketPath: string,
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = "GET", headers = {}, body } = options;
    const outgoing = request({ socketPath, path, method, headers, agent: false }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** CONNECT through the gateway: the open tunnel, or what it answered instead. */
export function tunnel(
  socketPath: string,
  authority: string,
): Promise<{ socket: Socket } | { refused: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path: socketPath, allowHalfOpen: true });
    let head = "";
    socket.on("error", reject);
    const take = (chunk: Buffer): void => {
      head += chunk.toString("latin1");
      if (!head.startsWith("HTTP/1.1 200") || !head.includes("\r\n\r\n")) return;
      socket.off("data", take);
      socket.off("error", reject);
      socket.pause();
      resolve({ socket });
    };
    socket.on("data", take);
    socket.on("end", () => resolve({ refused: head }));
    socket.write(`CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n\r\n`);
  });
}

/** Everything that comes until the other side ends. */
export function readAll(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on("data", (chunk: Buffer) => chunks.push(chunk)).resume();
    socket.on("error", reject);
    socket.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
}

/** A certificate for 127.0.0.1 that nobody else trusts. */
export async function makeCertificate(): Promise<{ key: string; cert: string }> {
  const folder = await mkdtemp(join(tmpdir(), "loom-certificate-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  const about = ["-subj", "/CN=model.test", "-addext", "subjectAltName=IP:127.0.0.1"];
  await promisify(execFile)("openssl", [
    "req",
    "-x509",
    "-nodes",
    "-days",
    "2",
    ...curve,
    "-keyout",
    key,
    "-out",
    cert,
    ...about,
  ]);
  const made = { key: await readFile(key, "utf8"), cert: await readFile(cert, "utf8") };
  await rm(folder, { recursive: true });
  return made;
}
