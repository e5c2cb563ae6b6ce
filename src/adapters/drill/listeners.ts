import { createSocket } from "node:dgram";
import { createServer as createHttpServer } from "node:http";
import {
  type AddressInfo,
  connect,
  createServer,
  type ListenOptions,
  type Server,
  type Socket,
} from "node:net";
import { join } from "node:path";
import type { DrillListeners, DrillModel } from "../../ports/drill-ground.ts";
import { isFolder } from "../os/is-folder.ts";

type Listener = {
  readonly name: string;
  readonly heard: () => boolean;
  readonly server: Server;
  close(): Promise<void>;
};

/** One on each kind of loopback that this machine has. What can't be listened on, or does not hear the drill itself, is left out. */
export async function openListeners(
  names: { readonly id: string; readonly folders: readonly string[] },
  unlink: (path: string) => void,
): Promise<DrillListeners> {
  const paths = [
    `\0loom-drill-${names.id}`,
    ...names.folders.filter(isFolder).map((folder) => join(folder, `loom-drill-${names.id}.sock`)),
  ];
  const tcp = await Promise.all(["127.0.0.1", "::1"].map((host) => listenOn(host, { host, port: 0 })));
  const unix = await Promise.all(paths.map((path) => listenOn(path.replace("\0", "@"), { path })));
  const open = [...tcp, ...unix].filter((one) => one !== null);
  const udp = await openUdp();
  return {
    tcp: tcp.flatMap((one) => (one === null ? [] : [{ host: one.name, port: portOf(one.server) }])),
    udp: udp.port,
    sockets: paths.filter((path) => unix.some((one) => one?.name === path.replace("\0", "@"))),
    heard: () => [
      ...open.filter((one) => one.heard()).map(({ name }) => name),
      ...(udp.heard() ? ["UDP"] : []),
    ],
    async close() {
      await Promise.all(open.map((one) => one.close()));
      await udp.close();
      for (const path of paths) if (!path.startsWith("\0")) unlink(path);
    },
  };
}

async function listenOn(name: string, where: ListenOptions): Promise<Listener | null> {
  let count = 0;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    count += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.end("the drill");
  });
  const begins = new Promise<boolean>((done) => {
    server.once("error", () => done(false));
    server.listen(where, () => done(true));
  });
  if (!(await begins)) return null;
  const goal = where.path === undefined ? { host: name, port: portOf(server) } : { path: where.path };
  await new Promise<void>((done) =>
    connect(goal)
      .on("error", () => {})
      .on("close", () => done())
      .resume(),
  );
  if (count === 0) {
    server.close();
    return null;
  }
  count = 0;
  const close = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done());
      // Whoever got here may be in no hurry to leave.
      for (const socket of sockets) socket.destroy();
    });
  return { name, heard: () => count > 0, server, close };
}

async function openUdp(): Promise<{ port: number | null; heard: () => boolean; close: () => Promise<void> }> {
  const socket = createSocket("udp4");
  let heard = false;
  const begins = await new Promise<boolean>((done) => {
    socket.once("error", () => done(false));
    socket.bind(0, "127.0.0.1", () => done(true));
  });
  socket.on("error", () => {});
  socket.on("message", () => {
    heard = true;
  });
  const close = (): Promise<void> => new Promise((done) => socket.close(() => done()));
  return { port: begins ? socket.address().port : null, heard: () => heard, close };
}

const MOST_BODY = 100_000;

/** Answers whatever it is asked with the credentials that came along, as a provider might in an error. */
export async function openModel(): Promise<DrillModel> {
  const arrived: { name: string; credentials: string[] }[] = [];
  const server = createHttpServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      body = (body + chunk).slice(0, MOST_BODY);
    });
    request.on("error", () => {});
    request.on("end", () => {
      const { authorization, "x-api-key": key } = request.headers;
      const credentials = [authorization, key].flatMap((one) => (one === undefined ? [] : [String(one)]));
      // What was cut off half-way is no request to anybody.
      if (request.complete)
        arrived.push({ name: /drill:([a-z-]+)/.exec(body)?.[1] ?? request.url ?? "", credentials });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ credentials }));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    arrived: () => arrived,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
