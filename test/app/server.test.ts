import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { openAppLog } from "../../src/app/open-app-log.ts";
import {
  type AppWorld,
  openAppWorld,
  PRIVATE_KEY,
  SECRET,
  signedHeaders,
  type WorldOptions,
} from "./app-world.ts";
import { commentPayload, pushPayload } from "./payloads.ts";

let open: AppWorld[] = [];
afterEach(async () => {
  await Promise.all(open.map((world) => world.close()));
  open = [];
});

async function openWorld(options: WorldOptions = {}): Promise<AppWorld> {
  const world = await openAppWorld(options);
  open.push(world);
  return world;
}

async function get(world: AppWorld, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(world.url + path);
  return { status: response.status, text: await response.text() };
}

describe("the pages", () => {
  it("say what this is, and that the process is up", async () => {
    const world = await openWorld();
    expect(await get(world, "/")).toMatchInlineSnapshot(`
      {
        "status": 200,
        "text": "This is Loom. GitHub sends its webhooks to /api/github/webhooks.
      ",
      }
    `);
    expect(await get(world, "/healthz")).toEqual({ status: 200, text: "ok\n" });
    expect(await get(world, "/elsewhere")).toEqual({ status: 404, text: "Nothing here.\n" });
    expect((await fetch(`${world.url}/readyz`, { method: "POST" })).status).toBe(405);
    expect((await get(world, "/api/github/webhooks")).status).toBe(404);
  });

  it("say when Loom is ready", async () => {
    const world = await openWorld();
    expect(await get(world, "/readyz")).toEqual({
      status: 200,
      text: '{"ready":true,"parts":{"store":"ok"}}\n',
    });
  });

  it("say which part is not ready, while the process stays up", async () => {
    const world = await openWorld({
      health: async () => ({
        parts: [
          { name: "store", problem: "Redis does not answer." },
          { name: "queue", problem: null },
        ],
      }),
    });
    expect(await get(world, "/readyz")).toEqual({
      status: 503,
      text: '{"ready":false,"parts":{"store":"Redis does not answer.","queue":"ok"}}\n',
    });
    expect((await get(world, "/healthz")).status).toBe(200);
  });

  it("are not ready when nobody can tell", async () => {
    const world = await openWorld({ health: () => Promise.reject(new Error("no connection")) });
    expect(await get(world, "/readyz")).toEqual({
      status: 503,
      text: '{"ready":false,"parts":{"health":"no connection"}}\n',
    });
  });
});

describe("a payload above the limit", () => {
  const limited = { maxPayloadBytes: 5_000 };
  const big = JSON.stringify(commentPayload({ body: `/loom run ${"x".repeat(6_000)}` }));

  it("is refused by the length it announces", async () => {
    const world = await openWorld(limited);
    expect((await world.post("issue_comment", big)).status).toBe(413);
    expect(world.logged()).toContain("refused at webhook/too-large (T21, T44): a webhook that is larger");
    expect((await world.post("issue_comment", commentPayload())).status).toBe(200);
  });

  it("is refused when it announces none", async () => {
    const world = await openWorld(limited);
    const headers = { ...signedHeaders("issue_comment", big, randomUUID()), "transfer-encoding": "chunked" };
    const sent = request(`${world.url}/api/github/webhooks`, { method: "POST", headers });
    // The server may close before it has read all.
    sent.on("error", () => {});
    const answered = once(sent, "response");
    sent.write(big.slice(0, 5_500));
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    expect(world.logged()).toContain("refused at webhook/too-large (T21, T44): a webhook that is larger");
    sent.destroy();
    await world.settled();
    expect(world.effects).toEqual([]);
  });
});

it("takes a payload of several megabytes", async () => {
  const world = await openWorld();
  const commits = Array.from({ length: 2_000 }, (_, n) => ({ id: String(n), message: "m".repeat(2_000) }));
  expect((await world.post("push", pushPayload("refs/heads/main", { commits }))).status).toBe(200);
});

it("goes on after a sender that went away in mid-body", async () => {
  const world = await openWorld();
  const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    "POST /api/github/webhooks HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-github-event: push\r\n" +
      `x-github-delivery: a\r\nx-hub-signature-256: sha256=${"0".repeat(64)}\r\ncontent-length: 100\r\n\r\n{`,
  );
  socket.destroy();
  expect((await world.post("push", pushPayload("refs/heads/main"))).status).toBe(200);
});

describe("stopping", () => {
  it("finishes the request in flight and takes no new one", async () => {
    const arrived = deferred();
    const release = deferred();
    const world = await openWorld({
      intake: {
        inbox: {
          put: async () => {
            arrived.resolve();
            await release.promise;
            return "done";
          },
        },
      },
    });
    const answer = world.post("push", pushPayload("refs/heads/main"));
    await arrived.promise;
    const closed = world.close();
    await expect(fetch(`${world.url}/healthz`)).rejects.toThrow();
    release.resolve();
    expect((await answer).status).toBe(200);
    await closed;
  });

  it("does not wait for ever for a sender that never ends", async () => {
    const world = await openWorld({ stopMs: 50 });
    const socket = connect(Number(new URL(world.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.on("error", () => {});
    socket.write(
      "POST /api/github/webhooks HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-github-event: push\r\n" +
        `x-github-delivery: a\r\nx-hub-signature-256: sha256=${"0".repeat(64)}\r\ncontent-length: 9\r\n\r\n`,
    );
    const ended = once(socket, "close");
    await world.close();
    await ended;
  });
});

it("says which port is taken", async () => {
  const world = await openWorld();
  const port = Number(new URL(world.url).port);
  await expect(openAppWorld({ port })).rejects.toThrow(`Port ${port} is in use by another program.`);
});

it("writes no secret to the log, whole or in parts, in either format", async () => {
  for (const format of ["json", "pretty"] as const) {
    const line = PRIVATE_KEY.split("\n")[3] ?? "";
    const leak = `key ${PRIVATE_KEY} secret ${SECRET} line ${line} token ghs_${"a1".repeat(20)} jwt ${fakeToken()}`;
    const world = await openWorld({
      logging: { format },
      intake: { inbox: { put: () => Promise.reject(new Error(leak)) } },
    });
    expect((await world.post("push", pushPayload("refs/heads/main"))).status).toBe(503);
    const logged = world.logged();
    expect(logged).toContain("[secret]");
    for (const secret of [SECRET, line, "ghs_a1a1", "eyJhbGci"]) expect(logged).not.toContain(secret);
  }
});

it("lets nothing that it is told move the cursor, hide or begin a line of the log", async () => {
  const lines: string[] = [];
  const log = await openAppLog({ format: "pretty", secrets: [], write: (text) => lines.push(text) });
  log.warn({ who: "a\u001b]0;owned\u0007b" }, "one\u001b[2J\u202etwo\n[INFO] all is well");
  const text = lines.join("");
  expect(text).not.toMatch(/\u001b\[2J|\u001b\]|\u0007|\u202e|\n\[INFO\]/);
  expect(text).toContain("one⟨U+001B⟩[2J⟨U+202E⟩two␊[INFO] all is well");
});

function fakeToken(): string {
  return ["eyJhbGciOiJSUzI1NiJ9", "eyJpc3MiOiI0NzExIn0", "c2lnbmF0dXJl"].join(".");
}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
