import { once } from "node:events";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { ANY_REQUEST, ask, createWorlds, KEY, PLACEHOLDER, readAll, tunnel } from "./gateway-world.ts";

const worlds = createWorlds();
afterEach(() => worlds.close());

const WITH_KEY = { "x-api-key": PLACEHOLDER };

/** A stream of `size` bytes, written as fast as it is taken. */
function pour(
  to: { write(chunk: Buffer): boolean; once(event: "drain", then: () => void): unknown; end(): unknown },
  size: number,
): void {
  const chunk = Buffer.alloc(64 * 1024, "x");
  let left = size / chunk.length;
  const go = (): void => {
    while (left > 0) {
      left -= 1;
      if (!to.write(chunk)) {
        to.once("drain", go);
        return;
      }
    }
    to.end();
  };
  go();
}

function knock(socketPath: string): Socket {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  socket.on("error", () => {});
  return socket;
}

describe("a sandbox's share of Loom", () => {
  it("is enough for 200 connections at a time", async () => {
    let open = 0;
    let release = (): void => {};
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    const upstream = await worlds.serve(async (incoming, response) => {
      open += 1;
      if (open === 200) release();
      await all;
      response.end(incoming.url);
    });
    const { socketPath } = await worlds.open({
      allow: [`127.0.0.1:${upstream.port}`],
      model: { upstream: upstream.url, placeholder: PLACEHOLDER, key: KEY, api: ANY_REQUEST },
    });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        ask(socketPath, index % 50 === 0 ? `/.loom/model/${index}` : `${upstream.url}/${index}`, {
          headers: WITH_KEY,
        }),
      ),
    );
    expect(answers.map((answer) => answer.text)).toEqual(answers.map((_, index) => `/${index}`));
  });

  it("ends where its connections are used up, and begins again when one is given back", async () => {
    const { socketPath } = await worlds.open({}, { limits: { connections: 3 } });
    const held = [knock(socketPath), knock(socketPath), knock(socketPath)];
    await Promise.all(held.map((socket) => once(socket, "connect")));
    await expect(ask(socketPath, "/")).rejects.toThrow();
    held[0]?.destroy();
    await expect
      .poll(() =>
        ask(socketPath, "/").then(
          (answer) => answer.status,
          () => 0,
        ),
      )
      .toBe(404);
    for (const socket of held) socket.destroy();
  });

  it("has no place for long heads", async () => {
    const { socketPath } = await worlds.open({}, { limits: { headerBytes: 8192 } });
    const socket = knock(socketPath);
    socket.write(`GET / HTTP/1.1\r\nhost: x\r\nx-long: ${"a".repeat(10_000)}\r\n\r\n`);
    expect(await readAll(socket)).toMatchInlineSnapshot(`
      "HTTP/1.1 431 Request Header Fields Too Large
      content-type: text/plain; charset=utf-8
      content-length: 38
      connection: close

      The head of this request is too long.
      "
    `);
  });

  it("has no patience with those who say nothing, or a letter at a time", async () => {
    const { socketPath } = await worlds.open({}, { limits: { headMs: 200 } });
    const silent = knock(socketPath);
    const slow = knock(socketPath);
    slow.write("GET / HT");
    const judged = knock(socketPath);
    judged.write("POST /.loom/judge HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{");
    const heads = (await Promise.all([silent, slow, judged].map(readAll))).map(
      (text) => text.split("\r\n")[0],
    );
    expect(heads).toEqual(Array(3).fill("HTTP/1.1 408 Request Timeout"));
  });

  it("cuts tunnels through which nothing goes", async () => {
    const upstream = await worlds.serve(() => {});
    const { socketPath } = await worlds.open(
      { allow: [`127.0.0.1:${upstream.port}`] },
      { limits: { idleMs: 150 } },
    );
    const made = await tunnel(socketPath, `127.0.0.1:${upstream.port}`);
    if ("refused" in made) throw new Error(made.refused);
    expect(await readAll(made.socket)).toBe("");
  });

  it("says what is no HTTP", async () => {
    const { socketPath } = await worlds.open();
    const socket = knock(socketPath);
    socket.write("\u0016\u0003\u0001 hello\r\n\r\n");
    expect((await readAll(socket)).split("\r\n").at(-1)).toMatchInlineSnapshot(`
      "This is not HTTP.
      "
    `);
  });

  it("lets 200 MB through both ways without gathering them", async () => {
    const size = 200 * 1024 * 1024;
    const upstream = await worlds.serve((incoming, response) => {
      if (incoming.method === "POST") {
        let heard = 0;
        incoming.on("data", (chunk: Buffer) => {
          heard += chunk.length;
        });
        incoming.on("end", () => response.end(String(heard)));
      } else pour(response, size);
    });
    const { socketPath } = await worlds.open({
      model: { upstream: upstream.url, placeholder: PLACEHOLDER, key: KEY, api: ANY_REQUEST },
    });
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 20);
    const [incoming] = await once(
      request({ socketPath, path: "/.loom/model/down", headers: WITH_KEY }).end(),
      "response",
    );
    let heard = 0;
    for await (const chunk of incoming) heard += chunk.length;
    expect(heard).toBe(size);
    const outgoing = request({ socketPath, method: "POST", path: "/.loom/model/up", headers: WITH_KEY });
    pour(outgoing, size);
    const [answer] = await once(outgoing, "response");
    expect(String(Buffer.concat(await answer.toArray()))).toBe(String(size));
    clearInterval(watch);
    expect(most - before).toBeLessThan(120 * 1024 * 1024);
  });

  it("holds back a sender whose reader does not read", async () => {
    let written = 0;
    const upstream = await worlds.serve((_incoming, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const go = (): void => {
        do written += chunk.length;
        while (response.write(chunk) && written < 512 * 1024 * 1024);
      };
      response.on("drain", go);
      go();
    });
    const { socketPath } = await worlds.open({
      model: { upstream: upstream.url, placeholder: PLACEHOLDER, key: KEY, api: ANY_REQUEST },
    });
    const [incoming] = await once(
      request({ socketPath, path: "/.loom/model/v1", headers: WITH_KEY }).end(),
      "response",
    );
    incoming.pause();
    let before = -1;
    await expect
      .poll(
        () => {
          const isStill = written === before;
          before = written;
          return isStill;
        },
        { interval: 300 },
      )
      .toBe(true);
    expect(written).toBeLessThan(64 * 1024 * 1024);
    incoming.destroy();
  });

  it("is given back at once when the sandbox is closed", async () => {
    const upstream = await worlds.serve(() => {});
    const { socketPath, gateway } = await worlds.open({
      allow: [`127.0.0.1:${upstream.port}`],
      model: { upstream: upstream.url, placeholder: PLACEHOLDER, key: KEY, api: ANY_REQUEST },
    });
    const made = await tunnel(socketPath, `127.0.0.1:${upstream.port}`);
    if ("refused" in made) throw new Error(made.refused);
    const waiting = ask(socketPath, "/.loom/model/v1", { headers: WITH_KEY }).catch(() => "cut off");
    await once(upstream.server, "request");
    await gateway.close();
    await gateway.close();
    expect(await readAll(made.socket)).toBe("");
    expect(await waiting).toBe("cut off");
    await expect(ask(socketPath, "/")).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  });

  it("is not opened with rules that nobody can read", async () => {
    const opened = worlds.open({ allow: ["example.org", "https://example.org", "a b"] });
    await expect(opened).rejects.toThrowErrorMatchingInlineSnapshot(`
      [UserError: The list of hosts that may be reached has problems:
      "https://example.org" is an address; write the host alone, such as \`example.org\`.
      "a b" is not a host; write a name such as \`example.org\`.]
    `);
  });
});
