import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ANY_REQUEST, ask, createWorlds, KEY, PLACEHOLDER } from "./gateway-world.ts";

const worlds = createWorlds();
afterEach(() => worlds.close());

type Reply = string | ((socket: Socket) => void);

/** A gateway in front of a server that answers every request with these bytes. */
async function openTo(reply: Reply, placeholder = PLACEHOLDER) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => (typeof reply === "string" ? socket.end(reply, "latin1") : reply(socket)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  worlds.onClose(async () => server.close());
  const address = server.address();
  const host = `127.0.0.1:${typeof address === "object" && address ? address.port : 0}`;
  const world = await worlds.open(
    { allow: [host], model: { upstream: `http://${host}`, placeholder, key: KEY, api: ANY_REQUEST } },
    { limits: { idleMs: 2_000, modelIdleMs: 2_000 } },
  );
  const outcome = (path: string, method = "GET") =>
    ask(world.socketPath, path, { method, headers: { "x-api-key": placeholder } }).then(
      ({ status }) => status,
      () => "cut off",
    );
  return { ...world, host, outcome };
}

const head = (...lines: string[]): string => `${["HTTP/1.1 200 OK", ...lines].join("\r\n")}\r\n\r\n`;
const status = (text: string): string => `HTTP/1.1 ${text}\r\ncontent-length: 0\r\n\r\n`;
const EMPTY = "content-length: 0";

/** What it says, and what comes of it: from a host, from the model, and from a host that is asked for the head alone. */
const ANSWERS: [what: string, reply: Reply, host: unknown, model: unknown, head: unknown][] = [
  ["status 000", "HTTP/1.1 000 OK\r\n\r\n", 502, 502, 502],
  ["status 001", status("001 OK"), 502, 502, 502],
  ["status 099", status("099 OK"), 502, 502, 502],
  ["status 600", status("600 OK"), 502, 502, 502],
  ["status 999", status("999 OK"), 502, 502, 502],
  ["a status of two digits", status("20 OK"), 502, 502, 502],
  ["a status of four digits", status("2000 OK"), 502, 502, 502],
  [
    "another protocol",
    `${status("101 X").slice(0, -4)}\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nhi`,
    502,
    502,
    502,
  ],
  ["another protocol, unnamed", "HTTP/1.1 101 Switching\r\n\r\n", 502, 502, 502],
  ["a body where none may be (204)", "HTTP/1.1 204 No\r\ncontent-length: 5\r\n\r\nhello", 204, 204, 204],
  [
    "a body where none may be (304)",
    "HTTP/1.1 304 No\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    304,
    304,
    304,
  ],
  ["a header beyond ASCII", head("x: \xff\xfe", EMPTY), 200, 200, 200],
  ["a header with a control sign", head("x: a\x01b", EMPTY), 502, 502, 502],
  ["a header with DEL", head("x: a\x7fb", EMPTY), 502, 502, 502],
  ["a header without a name", head(": a", EMPTY), 502, 502, 502],
  ["a header with a space in its name", head("a b: c", EMPTY), 502, 502, 502],
  ["a header that all objects have", head("__proto__: a", "constructor: b", EMPTY), 200, 200, 200],
  [
    "single headers twice",
    head("date: a", "date: b", "location: x", "location: y", "etag: 1", "etag: 2", EMPTY),
    200,
    200,
    200,
  ],
  ["a trailer", `${head("trailer: x", "transfer-encoding: chunked")}0\r\nx: y\r\n\r\n`, 200, 200, 200],
  ["less than it promised", `${head("content-length: 100")}hello`, "cut off", "cut off", 200],
  ["two lengths", `${head("content-length: 1", "content-length: 2")}hello`, 502, 502, 502],
  ["a negative length", head("content-length: -1"), 502, 502, 502],
  [
    "a length and chunks",
    `${head("content-length: 3", "transfer-encoding: chunked")}3\r\nabc\r\n0\r\n\r\n`,
    502,
    502,
    502,
  ],
  ["a chunk without a length", `${head("transfer-encoding: chunked")}zz\r\n`, "cut off", "cut off", 200],
  ["broken gzip", `${head("content-encoding: gzip", "content-length: 5")}hello`, 200, "cut off", 200],
  [
    "an encoding that nobody asked for",
    `${head("content-encoding: zstd", "content-length: 5")}hello`,
    200,
    502,
    200,
  ],
  ["nothing", "", 502, 502, 502],
  ["no HTTP", "\x00\x01garbage", 502, 502, 502],
  [
    "500 answers ahead of the answer",
    `${"HTTP/1.1 103 Early\r\nlink: x\r\n\r\n".repeat(500)}${head(EMPTY)}`,
    200,
    200,
    200,
  ],
  ["two answers", head(EMPTY).repeat(2), 200, 200, 200],
  ["a reset", (socket) => socket.resetAndDestroy(), 502, 502, 502],
  [
    "a reset within the body",
    (socket) => socket.write(`${head("content-length: 9")}hel`, () => socket.resetAndDestroy()),
    "cut off",
    "cut off",
    200,
  ],
  ["a reason beyond ASCII", status("200 \xff\x80"), 200, 200, 200],
  [
    "a wait of aeons",
    "HTTP/1.1 429 X\r\nretry-after: 999999999999999999\r\ncontent-length: 2\r\n\r\n{}",
    429,
    429,
    429,
  ],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nbody", 200, 200, 200],
];

describe("an answer of a hostile server", () => {
  it.each(ANSWERS)("ends nothing but itself: %s", async (_what, reply, ...expected) => {
    const { host, outcome } = await openTo(reply);
    const outcomes = [
      await outcome(`http://${host}/`),
      await outcome("/.loom/model/v1"),
      await outcome(`http://${host}/`, "HEAD"),
    ];
    expect(outcomes).toEqual(expected);
    expect(await outcome("/nowhere")).toBe(404);
  });

  it("is told in words when its status is none", async () => {
    const { socketPath, host, traffic } = await openTo(status("099 OK"));
    const from = await ask(socketPath, `http://${host}/`);
    const model = await ask(socketPath, "/.loom/model/v1", { headers: { "x-api-key": PLACEHOLDER } });
    expect([from.text, model.text].join("").replaceAll(host, "HOST")).toMatchInlineSnapshot(`
      "HOST can't be reached: it answers with the unknown status 99.
      The model at HOST can't be reached: it answers with the unknown status 99.
      "
    `);
    expect(traffic).toMatchObject([{ kind: "unreachable", host }]);
  });

  it("can't be turned into one that can't be sent by hiding the key", async () => {
    const { outcome } = await openTo(head(`x-${KEY}: 1`, EMPTY), "loom placeholder key");
    expect(await outcome("/.loom/model/v1")).toBe(502);
  });
});
