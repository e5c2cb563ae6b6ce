import { once } from "node:events";
import { type IncomingMessage, request, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { GatewayOptions } from "../../../../src/adapters/sandbox/gateway/open-gateway.ts";
import {
  ANY_REQUEST,
  ask as askPlainly,
  closeServer,
  createWorlds,
  type GatewayWorld,
  KEY,
  listen,
  makeCertificate,
  PLACEHOLDER,
  readAll,
  tunnel,
} from "./gateway-world.ts";

const worlds = createWorlds();
afterEach(() => worlds.close());

const openTo = (
  upstream: string,
  more: Omit<Partial<GatewayOptions>, "sandboxSpec"> = {},
): Promise<GatewayWorld> =>
  worlds.open({ model: { upstream, placeholder: PLACEHOLDER, key: KEY, api: ANY_REQUEST } }, more);

const WITH_KEY = { "x-api-key": PLACEHOLDER };

const ask: typeof askPlainly = (socketPath, path, options = {}) =>
  askPlainly(socketPath, path, { ...options, headers: { ...WITH_KEY, ...options.headers } });

/** A model that shows what it was sent. */
async function serveEcho(): Promise<{
  url: string;
  seen: { url: string; headers: IncomingMessage["headers"]; body: string }[];
}> {
  const seen: { url: string; headers: IncomingMessage["headers"]; body: string }[] = [];
  const { url } = await worlds.serve(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    seen.push({ url: incoming.url ?? "", headers: incoming.headers, body: Buffer.concat(chunks).toString() });
    response.setHeader("x-echo", incoming.headers.authorization ?? "");
    response.end(`you are ${incoming.headers.authorization}, asking for ${incoming.url}`);
  });
  return { url, seen };
}

describe("the endpoint to the model", () => {
  it("puts the key in the placeholder's place in headers and query, and nowhere else", async () => {
    const model = await serveEcho();
    const { socketPath } = await openTo(`${model.url}/base/`);
    await ask(socketPath, `/.loom/model/v1/messages?key=${PLACEHOLDER}&alt=sse`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${PLACEHOLDER}`,
        "x-api-key": PLACEHOLDER,
        "accept-encoding": "br",
        range: "bytes=0-3",
      },
      body: `body with ${PLACEHOLDER}`,
    });
    expect(model.seen).toEqual([
      {
        url: `/base/v1/messages?key=${KEY}&alt=sse`,
        body: `body with ${PLACEHOLDER}`,
        headers: {
          host: new URL(model.url).host,
          authorization: `Bearer ${KEY}`,
          "x-api-key": KEY,
          "accept-encoding": "identity",
          "content-length": String(`body with ${PLACEHOLDER}`.length),
          connection: "close",
        },
      },
    ]);
  });

  it("writes a key with odd signs into the query as it has to be", async () => {
    const model = await serveEcho();
    const { socketPath } = await worlds.open({
      model: { upstream: model.url, placeholder: PLACEHOLDER, key: "key+with/odd&signs", api: ANY_REQUEST },
    });
    await ask(socketPath, `/.loom/model/v1?key=${PLACEHOLDER}`);
    expect(model.seen[0]?.url).toBe("/v1?key=key%2Bwith%2Fodd%26signs");
  });

  it("puts the key where keys belong only: elsewhere a provider might cite a part of it", async () => {
    const model = await serveEcho();
    const { socketPath } = await openTo(model.url);
    await ask(socketPath, `/.loom/model/v1?alt=${PLACEHOLDER}`, {
      headers: { "x-app": PLACEHOLDER, "user-agent": `agent/${PLACEHOLDER}`, origin: PLACEHOLDER },
    });
    const [seen] = model.seen;
    expect(seen?.url).toBe(`/v1?alt=${PLACEHOLDER}`);
    expect(seen?.headers).toMatchObject({ "x-app": PLACEHOLDER, "user-agent": `agent/${PLACEHOLDER}` });
    expect(seen?.headers.origin).toBeUndefined();
  });

  it("hides the key in the name of a header, too", async () => {
    const { url } = await worlds.serve((incoming, response) => {
      response.setHeader(`x-${incoming.headers["x-api-key"]}`, "1").end();
    });
    const { socketPath } = await openTo(url);
    const answer = await ask(socketPath, "/.loom/model/x", { headers: { "x-api-key": PLACEHOLDER } });
    expect(JSON.stringify(answer.headers)).not.toContain(KEY);
  });

  it("sends a body as long as it is said to be, whatever the sandbox says about its headers", async () => {
    const model = await serveEcho();
    const { socketPath } = await openTo(model.url);
    const headers = { connection: "close, content-length", "content-length": "4" };
    await ask(socketPath, "/.loom/model/x", { method: "POST", headers, body: "GET " });
    expect(model.seen[0]?.body).toBe("GET ");
  });

  it("hides the key in what comes back, in headers and bodies", async () => {
    const model = await serveEcho();
    const { socketPath, traffic } = await openTo(model.url);
    const answer = await ask(socketPath, `/.loom/model/x?key=${PLACEHOLDER}`, {
      headers: { authorization: `Bearer ${PLACEHOLDER}` },
    });
    expect(answer.text).toBe(`you are Bearer ${PLACEHOLDER}, asking for /x?key=${PLACEHOLDER}`);
    expect(answer.headers["x-echo"]).toBe(`Bearer ${PLACEHOLDER}`);
    expect(JSON.stringify([answer, traffic])).not.toContain(KEY);
    expect(traffic).toEqual([{ kind: "answered", status: 200, retryAt: null, body: null }]);
  });

  it("hides a key that is torn across chunks, and holds back nothing else", async () => {
    const steps: (() => void)[] = [];
    const model = await worlds.serve((_incoming, response) => {
      const texts = [
        "data: hello\n\n",
        `data: ${KEY.slice(0, 9)}`,
        KEY.slice(9, 20),
        `${KEY.slice(20)}!\n\n`,
      ];
      for (const text of texts) steps.push(() => response.write(text));
      steps.push(() => response.end());
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    });
    const { socketPath } = await openTo(model.url);
    const [incoming] = await once(
      request({ socketPath, path: "/.loom/model/stream", headers: WITH_KEY }).end(),
      "response",
    );
    steps.shift()?.();
    const [first] = await once(incoming, "data");
    expect(String(first)).toBe("data: hello\n\n");
    let rest = "";
    incoming.on("data", (chunk: Buffer) => {
      rest += chunk.toString();
    });
    for (const step of steps) {
      step();
      await new Promise(setImmediate);
    }
    await once(incoming, "end");
    expect(rest).toBe(`data: ${PLACEHOLDER}!\n\n`);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("unpacks an answer that came in %s all the same", async (encoding, pack) => {
    const model = await worlds.serve((_incoming, response) => {
      response.writeHead(401, { "content-encoding": encoding }).end(pack(Buffer.from(`no such key: ${KEY}`)));
    });
    const { socketPath, until } = await openTo(model.url);
    const answer = await ask(socketPath, "/.loom/model/v1");
    expect(answer.text).toBe(`no such key: ${PLACEHOLDER}`);
    expect(answer.headers["content-encoding"]).toBeUndefined();
    expect(await until(1)).toEqual([
      { kind: "answered", status: 401, retryAt: null, body: `no such key: ${PLACEHOLDER}` },
    ]);
  });

  it("does not hand on what it can't look into", async () => {
    const model = await worlds.serve((_incoming, response) => {
      response.writeHead(200, { "content-encoding": "zstd" }).end(KEY);
    });
    const { socketPath } = await openTo(model.url);
    const answer = await ask(socketPath, "/.loom/model/v1");
    expect([answer.status, answer.text.replace(new URL(model.url).host, "HOST")]).toMatchInlineSnapshot(`
      [
        502,
        "The model at HOST can't be reached: it answers in an encoding that it was not asked for.
      ",
      ]
    `);
  });

  it("tells the beginning of an error and when to ask again", async () => {
    const model = await worlds.serve((_incoming, response) => {
      response.writeHead(429, { "retry-after": "60" }).end(`${KEY} ${"ü".repeat(5000)}`);
    });
    const { socketPath, until } = await openTo(model.url);
    const before = Date.now();
    const answer = await ask(socketPath, "/.loom/model/v1");
    const [told] = await until(1);
    if (told?.kind !== "answered") throw new Error("no answer was told");
    expect(answer).toMatchObject({ status: 429, text: `${PLACEHOLDER} ${"ü".repeat(5000)}` });
    expect(told.retryAt).toBeGreaterThanOrEqual(before + 60_000);
    expect(told.retryAt).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(told.body).toMatch(new RegExp(`^${PLACEHOLDER} ü+$`));
    expect(Buffer.byteLength(told.body ?? "")).toBeLessThanOrEqual(4096);
  });

  it("reads the waiting time from an error's body", async () => {
    const model = await worlds.serve((_incoming, response) => {
      response.writeHead(429).end(JSON.stringify({ error: { details: [{ retryDelay: "34s" }] } }));
    });
    const { socketPath, until } = await openTo(model.url);
    await ask(socketPath, "/.loom/model/v1");
    expect(await until(1)).toMatchObject([{ status: 429, retryAt: expect.any(Number) }]);
  });

  it("follows no redirect, and hides the key in it", async () => {
    const model = await worlds.serve((incoming, response) => {
      response
        .writeHead(307, { location: `http://elsewhere.example/?key=${incoming.headers["x-api-key"]}` })
        .end();
    });
    const { socketPath } = await openTo(model.url);
    const answer = await ask(socketPath, "/.loom/model/v1", { headers: { "x-api-key": PLACEHOLDER } });
    expect([answer.status, answer.headers.location]).toEqual([
      307,
      `http://elsewhere.example/?key=${PLACEHOLDER}`,
    ]);
  });

  it.each([
    "/.loom/model/../admin",
    "/.loom/model/a/%2e%2E/b",
    "/.loom/model/a/..%2fb",
    "/.loom/model/.%2e/x?y",
  ])("does not leave the upstream's own path by %s", async (path) => {
    const model = await serveEcho();
    const { socketPath } = await openTo(`${model.url}/mine`);
    const answer = await ask(socketPath, path);
    expect([answer.status, model.seen]).toEqual([400, []]);
  });

  it("does not send what would only repeat the key", async () => {
    const model = await serveEcho();
    const { socketPath } = await openTo(model.url);
    expect((await ask(socketPath, "/.loom/model/v1", { method: "TRACE" })).status).toBe(400);
    expect(model.seen).toEqual([]);
  });

  it("takes bodies in chunks, answers without bodies, and requests without either", async () => {
    const model = await worlds.serve((incoming, response) => {
      incoming.resume().on("end", () => response.writeHead(incoming.method === "DELETE" ? 204 : 200).end());
    });
    const { socketPath } = await openTo(model.url);
    const chunked = { "transfer-encoding": "chunked" };
    expect(
      (await ask(socketPath, "/.loom/model/a", { method: "POST", headers: chunked, body: "x" })).status,
    ).toBe(200);
    expect(
      (await ask(socketPath, "/.loom/model/a", { method: "DELETE", headers: chunked, body: "x" })).status,
    ).toBe(204);
    expect((await ask(socketPath, "/.loom/model/a", { method: "HEAD" })).status).toBe(200);
    expect((await ask(socketPath, "/.loom/model", { method: "GET" })).status).toBe(200);
  });

  it("speaks TLS to an upstream whose certificate is trusted, and says so when it is not", async () => {
    const certificate = await makeCertificate();
    const server = createSecureServer(certificate, (incoming: IncomingMessage, response: ServerResponse) =>
      response.end(incoming.headers["x-api-key"] === KEY ? "welcome" : "who?"),
    );
    const port = await listen(server);
    worlds.onClose(() => closeServer(server));
    const headers = { "x-api-key": PLACEHOLDER };
    const trusting = await openTo(`https://127.0.0.1:${port}`, { ca: certificate.cert });
    expect(await ask(trusting.socketPath, "/.loom/model/v1", { headers })).toMatchObject({
      status: 200,
      text: "welcome",
    });
    const strict = await openTo(`https://127.0.0.1:${port}`);
    const refused = await ask(strict.socketPath, "/.loom/model/v1", { headers });
    expect([refused.status, refused.text.replace(String(port), "PORT")]).toMatchInlineSnapshot(`
      [
        502,
        "The model at 127.0.0.1:PORT can't be reached: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).
      ",
      ]
    `);
    expect(strict.traffic).toEqual([
      { kind: "unreachable", host: `127.0.0.1:${port}`, reason: expect.stringContaining("certificate") },
    ]);
  });

  it("is found by a program that sends everything through the proxy", async () => {
    const model = await serveEcho();
    const { socketPath } = await openTo(model.url);
    const answer = await ask(socketPath, "http://127.0.0.1:3128/.loom/model/v1?x=1");
    expect([answer.status, model.seen[0]?.url]).toEqual([200, "/v1?x=1"]);
    const made = await tunnel(socketPath, "127.0.0.1:3128");
    if ("refused" in made) throw new Error(made.refused);
    made.socket.write(
      "GET /.loom/model/v2 HTTP/1.1\r\nhost: x\r\nx-api-key: KEY\r\nconnection: close\r\n\r\n".replace(
        "KEY",
        PLACEHOLDER,
      ),
    );
    expect(await readAll(made.socket)).toContain("asking for /v2");
  });

  it("is not there in a sandbox without a model", async () => {
    const { socketPath } = await worlds.open();
    expect((await ask(socketPath, "/.loom/model/v1")).status).toBe(404);
  });

  it.each([
    ["ftp://example.org", KEY],
    ["nonsense", KEY],
    ["https://user:secret-word@example.org", KEY],
    ["https://example.org", "two\nlines-of-secret"],
  ])(
    "is not opened to %s with a key that can't be sent or an address that can't be used",
    async (upstream, key) => {
      const opened = worlds.open({ model: { upstream, placeholder: PLACEHOLDER, key, api: ANY_REQUEST } });
      const message = await opened.then(
        () => "opened",
        (error: Error) => error.message,
      );
      expect(message).toMatch(/^The (?:key|address) of the model/);
      expect(message).not.toMatch(/secret/);
    },
  );
});

describe("a model that fails", () => {
  it("by refusing the connection is unreachable", async () => {
    const gone = await worlds.serve(() => {});
    await new Promise((resolve) => gone.server.close(resolve));
    const { socketPath, traffic } = await openTo(gone.url);
    const answer = await ask(socketPath, "/.loom/model/v1");
    const { host } = new URL(gone.url);
    expect([answer.status, answer.text.replace(host, "HOST")]).toMatchInlineSnapshot(`
      [
        502,
        "The model at HOST can't be reached: it refused the connection.
      ",
      ]
    `);
    expect(traffic).toEqual([{ kind: "unreachable", host, reason: "it refused the connection" }]);
  });

  it("by not taking the connection in time is unreachable", async () => {
    // Nobody ever finishes the handshake of TLS here.
    const server = createServer(() => {});
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    worlds.onClose(async () => server.close());
    const { socketPath, traffic } = await openTo(`https://127.0.0.1:${port}`, { limits: { connectMs: 80 } });
    expect((await ask(socketPath, "/.loom/model/v1")).status).toBe(502);
    expect(traffic).toEqual([
      { kind: "unreachable", host: `127.0.0.1:${port}`, reason: "it did not answer in time" },
    ]);
  });

  it("by breaking off before it answers is unreachable", async () => {
    const model = await worlds.serve((incoming) => void incoming.socket.destroy());
    const { socketPath, traffic } = await openTo(model.url);
    expect((await ask(socketPath, "/.loom/model/v1")).status).toBe(502);
    expect(traffic).toMatchObject([{ kind: "unreachable", reason: "it broke off the connection" }]);
  });

  it("by breaking off in the middle of an answer breaks the answer, and is told", async () => {
    const model = await worlds.serve((incoming, response) => {
      response.write("half of", () => incoming.socket.destroy());
    });
    const { socketPath, until } = await openTo(model.url);
    await expect(ask(socketPath, "/.loom/model/v1")).rejects.toThrow();
    expect(await until(2)).toMatchObject([{ kind: "answered", status: 200 }, { kind: "unreachable" }]);
  });

  it("by answering before it has heard everything still has its answer handed on", async () => {
    const model = await worlds.serve((incoming, response) => {
      response.writeHead(413, { connection: "close" }).end("too much", () => incoming.socket.destroySoon());
    });
    const { socketPath, until } = await openTo(model.url);
    const [incoming] = await once(
      request({ socketPath, method: "POST", path: "/.loom/model/v1", headers: WITH_KEY, agent: false })
        .on("error", () => {})
        .end(Buffer.alloc(20_000_000)),
      "response",
    );
    incoming.on("error", () => {});
    expect(incoming.statusCode).toBe(413);
    expect(await until(1)).toMatchObject([{ kind: "answered", status: 413 }]);
  });

  it("is not blamed when the sandbox stops listening, and stops talking then", async () => {
    let stop = (): void => {};
    const closed = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const model = await worlds.serve((_incoming, response) => {
      response.on("close", stop);
      response.write("a long");
    });
    const { socketPath, traffic } = await openTo(model.url);
    const outgoing = request({ socketPath, path: "/.loom/model/v1", headers: WITH_KEY }).end();
    const [incoming] = await once(outgoing, "response");
    incoming.on("error", () => {});
    outgoing.destroy();
    await closed;
    expect(traffic).toEqual([{ kind: "answered", status: 200, retryAt: null, body: null }]);
  });

  it("by wanting another protocol is unreachable", async () => {
    const { url } = await worlds.serve((_incoming, response) => {
      response.writeHead(101, { connection: "upgrade", upgrade: "other" }).end();
    });
    const { socketPath } = await openTo(url);
    const answer = await ask(socketPath, "/.loom/model/x");
    expect(answer.status).toBe(502);
    expect(answer.text.replace(new URL(url).host, "<host>")).toMatchInlineSnapshot(`
      "The model at <host> can't be reached: it wants to speak another protocol.
      "
    `);
  });

  it("by sending nothing for too long is unreachable", async () => {
    const model = await worlds.serve(() => {});
    const { socketPath, traffic } = await openTo(model.url, { limits: { modelIdleMs: 80 } });
    expect((await ask(socketPath, "/.loom/model/v1")).status).toBe(502);
    expect(traffic).toMatchObject([{ kind: "unreachable", reason: "it did not answer in time" }]);
  });

  it("with what is no HTTP is unreachable, and nothing of it is repeated", async () => {
    const server = createServer((socket) => void socket.end(`${KEY} is not HTTP\r\n\r\n`));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const port = typeof address === "object" && address ? address.port : 0;
    worlds.onClose(async () => server.close());
    const { socketPath, traffic } = await openTo(`http://127.0.0.1:${port}`);
    const answer = await ask(socketPath, "/.loom/model/v1");
    expect(answer.status).toBe(502);
    expect(JSON.stringify([answer, traffic])).not.toContain(KEY);
  });
});
