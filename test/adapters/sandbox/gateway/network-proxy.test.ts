import { EventEmitter, once } from "node:events";
import { Agent, request } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ask, createWorlds, readAll, tunnel } from "./gateway-world.ts";

const worlds = createWorlds();
afterEach(() => worlds.close());

/** A server of plain bytes. */
async function listenPlain(onConnection: (socket: Socket) => void): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, onConnection);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => sockets.add(socket));
  await once(server.listen(0, "127.0.0.1"), "listening");
  worlds.onClose(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
}

async function open(socketPath: string, authority: string): Promise<Socket> {
  const made = await tunnel(socketPath, authority);
  if ("refused" in made) throw new Error(made.refused);
  return made.socket;
}

describe("the endpoint to the network", () => {
  it("refuses hosts that are not on the list, says how to allow them and tells of each once", async () => {
    const { socketPath, gateway, traffic } = await worlds.open({ allow: ["example.org"] });
    const answer = await ask(socketPath, "http://evil.example.net/secret?x=1");
    expect(answer.status).toBe(403);
    expect(answer.text).toMatchInlineSnapshot(`
      "evil.example.net is not on the list of hosts that may be reached; to allow it, name it in \`sandbox.network\` of the plan.
      "
    `);
    expect(await tunnel(socketPath, "evil.example.net:443")).toMatchInlineSnapshot(`
      {
        "refused": "HTTP/1.1 403 Forbidden
      content-type: text/plain; charset=utf-8
      content-length: 121
      connection: close

      evil.example.net is not on the list of hosts that may be reached; to allow it, name it in \`sandbox.network\` of the plan.
      ",
      }
    `);
    await tunnel(socketPath, "EVIL.example.net.:443");
    await tunnel(socketPath, "evil-example.org:443");
    await tunnel(socketPath, "example.org:22");
    const hosts = ["evil.example.net", "evil-example.org", "example.org:22"];
    expect(gateway.denied()).toEqual(hosts);
    expect(traffic).toEqual(hosts.map((host) => ({ kind: "denied", host })));
  });

  it("forwards a plain request with its body and answers with what came back", async () => {
    const upstream = await worlds.serve(async (incoming, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk);
      response.writeHead(201, { "x-many": ["a", "b"], "set-cookie": ["c=1", "d=2"], connection: "close" });
      response.end(
        JSON.stringify({
          url: incoming.url,
          headers: incoming.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    const { socketPath } = await worlds.open({ allow: [`127.0.0.1:${upstream.port}`] });
    const answer = await ask(socketPath, `${upstream.url}/a/b?c=d`, {
      method: "POST",
      body: "hello",
      headers: {
        "proxy-authorization": "Basic abc",
        "proxy-connection": "keep-alive",
        connection: "keep-alive, x-hop",
        "x-hop": "stays",
        "x-end": "travels",
      },
    });
    const seen = JSON.parse(answer.text);
    expect(answer.status).toBe(201);
    expect(answer.headers["set-cookie"]).toEqual(["c=1", "d=2"]);
    expect(seen).toEqual({
      url: "/a/b?c=d",
      body: "hello",
      headers: {
        host: `127.0.0.1:${upstream.port}`,
        "x-end": "travels",
        "content-length": "5",
        connection: "close",
      },
    });
  });

  it("keeps the sandbox's connection for the next request", async () => {
    const upstream = await worlds.serve((_incoming, response) => response.end("ok"));
    const { socketPath } = await worlds.open({ allow: [`127.0.0.1:${upstream.port}`] });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    worlds.onClose(async () => agent.destroy());
    const once = (): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const outgoing = request({ socketPath, agent, path: `${upstream.url}/` }, (incoming) => {
          incoming.resume().on("end", () => resolve(outgoing.reusedSocket));
        });
        outgoing.on("error", reject);
        outgoing.end();
      });
    expect([await once(), await once(), await once()]).toEqual([false, true, true]);
  });

  it("streams both ways: the first event is there before the second is written", async () => {
    const upstream = await worlds.serve((incoming, response) => {
      response.write("first");
      incoming.once("data", (chunk) => response.end(`, then ${chunk}`));
    });
    const { socketPath } = await worlds.open({ allow: [`127.0.0.1:${upstream.port}`] });
    const outgoing = request({ socketPath, method: "POST", path: `${upstream.url}/` });
    outgoing.flushHeaders();
    const [incoming] = await once(outgoing, "response");
    const [first] = await once(incoming, "data");
    expect(String(first)).toBe("first");
    outgoing.end("second");
    const [second] = await once(incoming, "data");
    expect(String(second)).toBe(", then second");
  });

  it("opens a tunnel whose ends are closed one at a time", async () => {
    const port = await listenPlain((socket) => {
      readAll(socket).then((heard) => socket.end(`heard ${heard}`));
    });
    const { socketPath } = await worlds.open({ allow: [`127.0.0.1:${port}`] });
    const socket = await open(socketPath, `127.0.0.1:${port}`);
    socket.end("all I have to say");
    expect(await readAll(socket)).toBe("heard all I have to say");
  });

  it("ends the far side when the near one is gone, and the near one when the far one breaks", async () => {
    const far = new EventEmitter();
    const port = await listenPlain((socket) => {
      socket.on("error", () => {});
      far.emit("connection", socket.resume());
    });
    const { socketPath } = await worlds.open({ allow: [`127.0.0.1:${port}`] });
    const pair = async (): Promise<[Socket, Socket]> => {
      const [[there], here] = await Promise.all([
        once(far, "connection"),
        open(socketPath, `127.0.0.1:${port}`),
      ]);
      here.resume().on("error", () => {});
      return [here, there];
    };
    const [here, there] = await pair();
    const farEnded = once(there, "end");
    here.destroy();
    await farEnded;
    const [here2, there2] = await pair();
    const nearEnded = once(here2, "end");
    there2.resetAndDestroy();
    await nearEnded;
  });

  it("hands on what a program sends together with its wish for a tunnel", async () => {
    const port = await listenPlain((socket) => socket.pipe(socket));
    const { socketPath } = await worlds.open({ allow: [`127.0.0.1:${port}`] });
    const socket = connect({ path: socketPath, allowHalfOpen: true });
    socket.end(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\nearly`);
    expect(await readAll(socket)).toBe("HTTP/1.1 200 Connection established\r\n\r\nearly");
  });

  it("says why an allowed host can't be reached", async () => {
    const upstream = await worlds.serve(() => {});
    const { port } = upstream;
    await new Promise((resolve) => upstream.server.close(resolve));
    const { socketPath, traffic } = await worlds.open(
      { allow: [`127.0.0.1:${port}`, "nowhere.example"] },
      { resolve: () => Promise.reject(Object.assign(new Error("no"), { code: "ENOTFOUND" })) },
    );
    const refused = await ask(socketPath, `http://127.0.0.1:${port}/`);
    expect([refused.status, refused.text.replace(String(port), "PORT")]).toMatchInlineSnapshot(`
      [
        502,
        "127.0.0.1:PORT can't be reached: it refused the connection.
      ",
      ]
    `);
    const unknown = await ask(socketPath, "http://nowhere.example/");
    expect([unknown.status, unknown.text]).toMatchInlineSnapshot(`
      [
        502,
        "nowhere.example can't be reached: its name was not found.
      ",
      ]
    `);
    expect(traffic).toEqual([]);
  });

  it("answers 502 when an allowed host breaks off before it answers", async () => {
    const port = await listenPlain((socket) => socket.destroy());
    const { socketPath } = await worlds.open({ allow: [`127.0.0.1:${port}`] });
    expect((await ask(socketPath, `http://127.0.0.1:${port}/`)).status).toBe(502);
  });

  it("has no proxy on the machine's own loopback", async () => {
    const upstream = await worlds.serve((_incoming, response) => response.end("secret"));
    const { gateway } = await worlds.open(
      { allow: ["*", `127.0.0.1:${upstream.port}`] },
      { listen: { kind: "loopback" } },
    );
    const { port } = new URL(gateway.url ?? "");
    const answer = await new Promise<number>((resolve) => {
      request({ port, path: `${upstream.url}/` }, (incoming) => resolve(incoming.statusCode ?? 0)).end();
    });
    expect(answer).toBe(404);
  });

  it("refuses what is no address at all", async () => {
    const { socketPath } = await worlds.open({ allow: ["*"] });
    expect(await tunnel(socketPath, "no-port")).toMatchObject({ refused: expect.stringContaining("400") });
    expect(await tunnel(socketPath, "a%2e:443")).toMatchObject({ refused: expect.stringContaining("400") });
    expect((await ask(socketPath, "https://example.org/")).text).toMatchInlineSnapshot(`
      "The proxy forwards plain http requests; for https it has to be asked for a tunnel.
      "
    `);
    expect((await ask(socketPath, "/")).text).toMatchInlineSnapshot(`
      "There is no such endpoint.
      "
    `);
  });
});

describe("names that lead to private addresses", () => {
  it.each(["127.0.0.1", "169.254.169.254", "10.0.0.8", "::1", "fd00::1", "::ffff:127.0.0.1"])(
    "stay closed for %s although they are allowed",
    async (address) => {
      const { socketPath, gateway } = await worlds.open(
        { allow: ["*", "friendly.example"] },
        { resolve: async () => [address] },
      );
      const answer = await ask(socketPath, "http://friendly.example/");
      expect([answer.status, gateway.denied()]).toEqual([403, ["friendly.example"]]);
      expect(answer.text).not.toContain(address);
    },
  );

  it("say what to do", async () => {
    const { socketPath } = await worlds.open(
      { allow: ["friendly.example"] },
      { resolve: async () => ["10.0.0.8"] },
    );
    expect((await ask(socketPath, "http://friendly.example/")).text).toMatchInlineSnapshot(`
      "friendly.example leads to no public address, and only Loom's operator can open such addresses: name the address itself in LOOM_ALLOWED_DOMAINS for agents, LOOM_SETUP_DOMAINS for set-up commands, LOOM_CHECK_DOMAINS for checks.
      "
    `);
  });

  it("stay closed as addresses under a star, in every spelling", async () => {
    const { socketPath, gateway } = await worlds.open({ allow: ["*"] });
    for (const host of [
      "127.0.0.1",
      "2130706433",
      "0x7f.1",
      "[::1]",
      "[::ffff:127.0.0.1]",
      "169.254.169.254",
    ]) {
      expect((await ask(socketPath, `http://${host}/`)).status).toBe(403);
    }
    expect(gateway.denied()).toEqual(["127.0.0.1", "[::1]", "[::ffff:7f00:1]", "169.254.169.254"]);
  });

  it("are open where a rule names the address itself, or localhost", async () => {
    const upstream = await worlds.serve((incoming, response) => response.end(incoming.headers.host));
    const { socketPath } = await worlds.open(
      {
        allow: [
          `friendly.example:${upstream.port}`,
          `127.0.0.1:${upstream.port}`,
          `localhost:${upstream.port}`,
        ],
      },
      { resolve: async () => ["10.0.0.8", "127.0.0.1"] },
    );
    for (const host of ["friendly.example", "localhost", "127.0.0.1"]) {
      const answer = await ask(socketPath, `http://${host}:${upstream.port}/`);
      expect(answer).toMatchObject({ status: 200, text: `${host}:${upstream.port}` });
    }
  });

  it("are looked up once, so a second answer of the name server changes nothing", async () => {
    const upstream = await worlds.serve((_incoming, response) => response.end("the one that was looked at"));
    let asked = 0;
    const { socketPath } = await worlds.open(
      { allow: [`friendly.example:${upstream.port}`, `127.0.0.1:${upstream.port}`] },
      { resolve: async () => [["127.0.0.1"], ["127.0.0.66"]][asked++] ?? [] },
    );
    const answer = await ask(socketPath, `http://friendly.example:${upstream.port}/`);
    expect([answer.text, asked]).toEqual(["the one that was looked at", 1]);
  });
});
