import { once } from "node:events";
import { connect, createServer, Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createFarSockets } from "../../../../src/adapters/sandbox/gateway/http/far-sockets.ts";
import type { GatewayLimits } from "../../../../src/adapters/sandbox/gateway/limits.ts";
import { until } from "../../../support/living-processes.ts";
import { ANY_REQUEST, ask, createWorlds, KEY, PLACEHOLDER, readAll, tunnel } from "./gateway-world.ts";

const worlds = createWorlds();
afterEach(() => worlds.close());

/** A gateway to a server that takes every connection and never says a word. */
async function openToSilence(limits: Partial<GatewayLimits> = {}) {
  const open = new Set<Socket>();
  let taken = 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    taken += 1;
    open.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => open.delete(socket));
    socket.on("end", () => socket.destroy()).resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  worlds.onClose(async () => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const world = await worlds.open(
    {
      allow: [host],
      model: { upstream: `http://${host}`, placeholder: PLACEHOLDER, key: KEY, api: ANY_REQUEST },
    },
    { limits },
  );
  const requests = {
    host: `GET http://${host}/ HTTP/1.1\r\nhost: x\r\n\r\n`,
    model: `GET /.loom/model/v1 HTTP/1.1\r\nhost: x\r\nx-api-key: ${PLACEHOLDER}\r\n\r\n`,
  };
  return { ...world, host, requests, open, taken: () => taken };
}

function send(socketPath: string, text: string): Socket {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  socket.on("error", () => {}).write(text);
  return socket;
}

describe("connections that are opened for a sandbox", () => {
  it.each(["host", "model"] as const)("are no more than one for each of its own: %s", async (kind) => {
    const { socketPath, requests, open, taken } = await openToSilence();
    expect(await readAll(send(socketPath, requests[kind].repeat(700)))).toBe("");
    // One that is answered for comes last, so all others would have been there.
    const last = send(socketPath, requests[kind]);
    await until(() => open.size === 1, "the last one is open, and no other");
    expect(taken()).toBeLessThanOrEqual(2);
    last.destroy();
    await until(() => open.size === 0, "the last one is closed");
  });

  it("are not opened by a tunnel that is asked for behind a request", async () => {
    const { socketPath, requests, host, open, taken } = await openToSilence();
    const text = `${requests.host}CONNECT ${host} HTTP/1.1\r\nhost: x\r\n\r\n`;
    expect(await readAll(send(socketPath, text))).toBe("");
    await until(() => open.size === 0, "nothing is open");
    expect(taken()).toBeLessThanOrEqual(1);
  });

  it.each(["host", "model"] as const)("end with the one that they were opened for: %s", async (kind) => {
    const { socketPath, requests, open } = await openToSilence();
    const socket = send(socketPath, requests[kind]);
    await until(() => open.size === 1, "it is open");
    socket.destroy();
    await until(() => open.size === 0, "it is closed");
  });

  it("have their bound, and places are given back", async () => {
    const { socketPath, requests, host, open } = await openToSilence({ farConnections: 2 });
    const held = [send(socketPath, requests.host), send(socketPath, requests.model)];
    await until(() => open.size === 2, "both are open");
    const headers = { "x-api-key": PLACEHOLDER };
    expect(await ask(socketPath, `http://${host}/`)).toMatchObject({
      status: 503,
      text: "Too many connections are open.\n",
    });
    expect((await ask(socketPath, "/.loom/model/v1", { headers })).status).toBe(503);
    expect(await tunnel(socketPath, host)).toMatchObject({ refused: expect.stringContaining("503") });
    held[0]?.destroy();
    await until(() => open.size === 1, "a place is free");
    await until(async () => "socket" in (await tunnel(socketPath, host)), "it is taken");
    expect(open.size).toBe(2);
  });

  it("end with the sandbox", async () => {
    const { socketPath, requests, host, open, gateway } = await openToSilence();
    send(socketPath, requests.host);
    send(socketPath, requests.model);
    await tunnel(socketPath, host);
    await until(() => open.size === 3, "all are open");
    await gateway.close();
    await until(() => open.size === 0, "all are closed");
  });
});

describe("the list of far connections", () => {
  it("destroys what it holds at its end, and what comes later", () => {
    const [early, late] = [new Socket(), new Socket()];
    const far = createFarSockets(5);
    far.hold(early);
    expect([far.hasPlace(), early.destroyed]).toEqual([true, false]);
    far.close();
    far.hold(late);
    expect([far.hasPlace(), early.destroyed, late.destroyed]).toEqual([false, true, true]);
  });

  it("takes no more than it has places for", () => {
    const [one, two] = [new Socket(), new Socket()];
    const far = createFarSockets(1);
    far.hold(one);
    far.hold(two);
    expect([far.hasPlace(), one.destroyed, two.destroyed]).toEqual([false, false, true]);
    one.destroy();
  });
});
