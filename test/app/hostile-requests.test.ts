import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { answerText, pathOf } from "../../src/app/answer.ts";
import { listen } from "../../src/app/listen.ts";
import { NO_AUDIT } from "../../src/wiring/hosted/audit-log.ts";
import { quickly } from "../support/quickly.ts";
import { type AppWorld, openAppWorld, SECRET, signedHeaders, type WorldOptions } from "./app-world.ts";
import { commentPayload, pushPayload } from "./payloads.ts";

let open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.map((one) => one.close()));
  open = [];
});

async function openWorld(options: WorldOptions = {}): Promise<AppWorld> {
  const world = await openAppWorld({ stopMs: 50, ...options });
  open.push(world);
  return world;
}

type Talk = { readonly socket: Socket; readonly ended: Promise<string>; heard(): string };

/** A connection that says this; `ended` is all it heard, once the server has closed it. */
async function talk(url: string, ...texts: (string | Uint8Array)[]): Promise<Talk> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  socket.on("error", () => {});
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  // `once` would reject when the server cuts the connection off.
  const ended = new Promise<string>((resolve) => socket.on("close", () => resolve(text)));
  await once(socket, "connect");
  for (const one of texts) socket.write(one);
  return { socket, ended, heard: () => text };
}

const statusOf = (answer: string): string => answer.slice(9, 12);

const BODY = JSON.stringify(commentPayload());
const HEAD = {
  host: "loom",
  "content-type": "application/json",
  "x-github-event": "issue_comment",
  "x-github-delivery": "a-delivery",
  "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
};

function head(headers: Readonly<Record<string, string>> = {}): string {
  const lines = Object.entries({ ...HEAD, ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `POST /api/github/webhooks HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

const post = async (url: string, headers: Record<string, string>, ...texts: (string | Uint8Array)[]) =>
  statusOf(await (await talk(url, head({ connection: "close", ...headers }), ...texts)).ended);

describe("a signed webhook", () => {
  it.each([
    ["__proto__", 400],
    ["toString", 400],
    ["issue_comment.created", 400],
    ["*", 400],
    ["push, push", 400],
    ["x".repeat(65), 400],
    ["constructor", 200],
    ["error", 200],
    ["ping", 200],
  ])("with the event name %s starts nothing and breaks nothing", async (event, status) => {
    const world = await openWorld();
    const sent = await world.post(event, commentPayload());
    expect(sent.status).toBe(status);
    if (status === 200) expect(sent.text).toBe("Loom does not listen to this event.\n");
    await world.settled();
    expect(world.effects).toEqual([]);
    expect(world.logged()).not.toContain("TypeError");
  });

  it("with keys of prototypes is read by its own keys alone", async () => {
    const world = await openWorld();
    const plain = JSON.stringify(pushPayload("refs/heads/main"));
    const evil = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},${plain.slice(1)}`;
    const nested = plain.replace('"repository":{', '"repository":{"__proto__":{"polluted":true},');
    for (const body of [evil, nested]) expect((await world.post("push", body)).status).toBe(200);
    await world.settled();
    expect(world.effects).toHaveLength(2);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    // Nothing but a prototype says who sent it, or from where.
    const { installation, ...rest } = pushPayload("refs/heads/main") as { installation: unknown };
    const borrowed = `{"__proto__":${JSON.stringify({ installation })},${JSON.stringify(rest).slice(1)}`;
    expect((await world.post("push", borrowed)).status).toBe(200);
    await world.settled();
    expect(world.effects).toHaveLength(2);
  });

  it.each(['{"toString":null}', "[]", "5", "true"])("with the action %s is refused", async (action) => {
    const world = await openWorld();
    expect((await world.post("issue_comment", `{"action":${action}}`)).status).toBe(400);
    expect(world.logged()).toContain("refused at webhook/unreadable (T21, T44): a webhook");
  });

  it("with values nested ever so deep is answered", async () => {
    const world = await openWorld();
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const plain = JSON.stringify(pushPayload("refs/heads/main"));
    expect((await world.post("push", `{"deep":${deep},${plain.slice(1)}`)).status).toBe(200);
    expect((await world.post("push", `{"action":"x","repository":${deep}}`)).status).toBe(200);
  });
});

describe("the path of a request", () => {
  it("is read without its query and the slashes at its end", () => {
    const paths = ["/healthz", "/healthz//", "/a//b/?c=/", "/", "///", "", "?x", undefined];
    expect(paths.map((url) => pathOf({ url }))).toEqual([
      ...["/healthz", "/healthz", "/a//b", "/", "/", "/", "/", "/"],
    ]);
  });

  it("is read in no time, however many slashes it has", () => {
    const url = `${"/".repeat(50_000)}x`;
    expect(quickly(200, () => pathOf({ url }))).toBe(url);
  });
});

describe("a request is refused by its head,", () => {
  it("before a byte of its body is read or asked for", async () => {
    const { url, logged } = await openWorld({ maxPayloadBytes: 5_000 });
    const length = { "content-length": "1000", expect: "100-continue" };
    for (const [headers, status] of [
      [{ "content-encoding": "gzip" }, "415"],
      [{ "content-type": "text/plain" }, "415"],
      [{ "x-hub-signature-256": "sha256=abc" }, "400"],
      [{ "x-github-delivery": "../.." }, "400"],
      [{ "x-github-event": "__proto__" }, "400"],
      [{ "content-length": "5001" }, "413"],
    ] as const) {
      const answer = await (await talk(url, head({ ...length, ...headers }))).ended;
      expect([headers, statusOf(answer)]).toEqual([headers, status]);
    }
    expect(await post(url, { "content-encoding": "gzip", "content-length": "20" }, gzipSync(BODY))).toBe(
      "415",
    );
    expect(logged()).toContain("refused at webhook/malformed (T21, T44): a webhook whose head");
  });

  it("when it is larger than any that GitHub or a proxy sends", async () => {
    const { url } = await openWorld();
    const lines = Array.from({ length: 10_000 }, (_, n) => `a${n}: b`).join("\r\n");
    const answer = await (await talk(url, `GET /healthz HTTP/1.1\r\nhost: x\r\n${lines}\r\n\r\n`)).ended;
    expect(statusOf(answer)).toBe("431");
  });

  it("when its address is longer than any that Loom has", async () => {
    const { url } = await openWorld();
    const get = async (chars: number) => {
      const line = `GET /healthz?${"x".repeat(chars - "/healthz?".length)} HTTP/1.1`;
      return statusOf(await (await talk(url, `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`)).ended);
    };
    expect([await get(2_048), await get(2_049), await get(16_000)]).toEqual(["200", "414", "414"]);
  });

  it("when it says its length in two ways, or with extensions that do not end", async () => {
    const { url } = await openWorld();
    expect(await post(url, { "content-length": "5", "transfer-encoding": "chunked" }, "0\r\n\r\n")).toBe(
      "400",
    );
    const chunked = { "transfer-encoding": "chunked" };
    expect(await post(url, chunked, `5;${"x".repeat(100_000)}`)).toBe("413");
  });
});

describe("a connection", () => {
  it("is asked to go on only where its body is wanted", async () => {
    const { url } = await openWorld();
    const headers = { ...signedHeaders("issue_comment", BODY, "wanted"), connection: "close" };
    const length = String(Buffer.byteLength(BODY));
    const sender = await talk(url, head({ ...headers, expect: "100-continue", "content-length": length }));
    await once(sender.socket, "data");
    expect(sender.heard()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    sender.socket.write(BODY);
    expect(await sender.ended).toContain("HTTP/1.1 200 OK");
  });

  it("that asks for another protocol is answered as any other", async () => {
    const { url } = await openWorld();
    const answer = await talk(
      url,
      "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    );
    await once(answer.socket, "data");
    expect(statusOf(answer.heard())).toBe("200");
    answer.socket.destroy();
    expect(await (await talk(url, "CONNECT redis:6379 HTTP/1.1\r\nhost: x\r\n\r\n")).ended).toBe("");
  });

  it("that sends requests without waiting for answers is closed", async () => {
    const { url, logged } = await openWorld();
    const many = "GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n".repeat(2_000);
    const answer = await (await talk(url, many)).ended;
    expect(answer.split("HTTP/1.1 ").length - 1).toBeLessThanOrEqual(1);
    expect(logged()).toContain("refused at connection/pipelined (T44): a connection that sent its next");
  });

  it("may be used again after an answer", async () => {
    const { url } = await openWorld();
    const { socket, heard, ended } = await talk(url);
    for (const count of [1, 2, 3]) {
      socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n");
      while (heard().split("ok\n").length <= count) await once(socket, "data");
    }
    socket.destroy();
    await ended;
  });

  it("that sends a body where none is wanted is closed with the answer", async () => {
    const { url } = await openWorld();
    const answer = await talk(url, "GET /healthz HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999\r\n\r\nx");
    expect(statusOf(await answer.ended)).toBe("200");
  });

  it("that sends more than it announced gets nothing for the rest", async () => {
    const world = await openWorld();
    const headers = signedHeaders("issue_comment", BODY, "short");
    const answer = await talk(
      world.url,
      head({ ...headers, "content-length": String(Buffer.byteLength(BODY)) }),
      `${BODY}{"more":1}`,
    );
    expect((await answer.ended).match(/HTTP\/1\.1 \d+/g)?.at(-1)).toBe("HTTP/1.1 400");
    await world.settled();
    expect(world.effects.length).toBeLessThanOrEqual(1);
  });

  it("that takes its time over a head or a body is closed", async () => {
    const server = await listen({
      port: 0,
      host: "127.0.0.1",
      stopMs: 50,
      limits: { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 },
      onError: () => {},
      audit: NO_AUDIT,
      answer: (request, response) =>
        void request
          .on("end", () => answerText(response, 200, "ok"))
          .on("error", () => {})
          .resume(),
    });
    open.push(server);
    const url = `http://127.0.0.1:${server.port}`;
    for (const text of ["", "GET / HTTP/1.1\r\nhost: x\r\n", head({ "content-length": "9" })])
      expect(["", "408"]).toContain(statusOf(await (await talk(url, text)).ended));
  });
});

describe("a flood", () => {
  it("of idle and half-open connections does not keep GitHub out", async () => {
    const world = await openWorld({ maxConnections: 8 });
    const idle = await Promise.all(Array.from({ length: 40 }, () => talk(world.url, "POST /api")));
    expect((await world.post("push", pushPayload("refs/heads/main"))).status).toBe(200);
    await Promise.all(idle.slice(0, 30).map(({ ended }) => ended));
    for (const { socket } of idle) socket.destroy();
    expect(world.logged()).toContain("refused at connection/too-many (T44): the connection that had been");
  });

  it("of bodies that are held back does not keep GitHub out, and goes when memory is short", async () => {
    const world = await openWorld({ maxBytesInFlight: 1024 * 1024 });
    const large = Buffer.alloc(200 * 1024, "x");
    const held = await Promise.all(
      Array.from({ length: 20 }, () => talk(world.url, head({ "content-length": "300000" }), large)),
    );
    const answers = await Promise.all(
      held.slice(0, 5).map(({ socket, ended }) => Promise.race([ended, once(socket, "data")])),
    );
    expect(answers).toHaveLength(5);
    const told = held.find(({ heard }) => heard() !== "")?.heard() ?? "";
    expect(statusOf(told)).toBe("503");
    expect(told).toContain("\r\nretry-after: 10\r\n");
    expect(world.logged()).toContain("refused at webhook/crowded-out (T21, T44): a webhook, because");
    expect((await world.post("push", pushPayload("refs/heads/main"))).status).toBe(200);
    const pad = "x".repeat(400_000);
    expect((await world.post("push", pushPayload("refs/heads/main", { pad }))).status).toBe(200);
    for (const { socket } of held) socket.destroy();
  });

  it("of crumbs is cut off before it is a body", async () => {
    const world = await openWorld();
    const chunked = { "transfer-encoding": "chunked" };
    expect(await (await talk(world.url, head(chunked), "1\r\nx\r\n".repeat(5_000))).ended).toBe("");
    expect(world.logged()).toContain("refused at webhook/crumbs (T21, T44): a webhook that came in pieces");
    const signature = `sha256=${createHmac("sha256", SECRET).update(BODY).digest("hex")}`;
    const pieces =
      BODY.match(/.{1,100}/gs)?.map((one) => `${Buffer.byteLength(one).toString(16)}\r\n${one}\r\n`) ?? [];
    const signed = { ...chunked, "x-hub-signature-256": signature };
    expect(await post(world.url, signed, ...pieces, "0\r\n\r\n")).toBe("200");
  });

  it("of forged webhooks is one line in the log", async () => {
    const world = await openWorld();
    for (let count = 0; count < 30; count += 1)
      expect(await post(world.url, { "content-length": "2" }, "{}")).toBe("400");
    const lines = world
      .logged()
      .split("\n")
      .filter((line) => line.includes('"audit"'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        level: 40,
        audit: {
          boundary: "webhook",
          rule: "forged",
          run: null,
          stage: null,
          repo: null,
          who: null,
          count: 1,
        },
        msg: "refused at webhook/forged (T21, T44): a webhook whose signature does not match. If GitHub sent it, WEBHOOK_SECRET differs from the App's settings.",
      },
    ]);
  });
});
