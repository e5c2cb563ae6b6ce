import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { ToolCall } from "../../../../src/core/policy/judgement.ts";
import { ask, createWorlds } from "./gateway-world.ts";

const worlds = createWorlds();
afterEach(() => worlds.close());

const post = (socketPath: string, body: unknown) =>
  ask(socketPath, "/.loom/judge", {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

describe("the judge's endpoint", () => {
  it("passes the call on and the judgement back", async () => {
    const calls: ToolCall[] = [];
    const { socketPath } = await worlds.open({
      judge(call) {
        calls.push(call);
        return call.command === null ? { kind: "ask", question: "May it?" } : { kind: "deny", reason: "No." };
      },
    });
    const denied = await post(socketPath, { tool: "Bash", command: "rm -rf /" });
    const asked = await post(socketPath, { tool: "Write", command: null });
    expect([denied.text, asked.text].map((text) => JSON.parse(text))).toEqual([
      { kind: "deny", reason: "No." },
      { kind: "ask", question: "May it?" },
    ]);
    expect(calls).toEqual([
      { tool: "Bash", command: "rm -rf /" },
      { tool: "Write", command: null },
    ]);
  });

  it("allows everything where there is no judge", async () => {
    const { socketPath } = await worlds.open();
    expect(JSON.parse((await post(socketPath, { tool: "Bash", command: "ls" })).text)).toEqual({
      kind: "allow",
    });
  });

  it.each([
    "",
    "{",
    "[]",
    "null",
    '{"tool":"Bash"}',
    '{"tool":1,"command":"ls"}',
    '{"tool":"Bash","command":["ls"]}',
  ])("does not judge %j", async (body) => {
    const { socketPath } = await worlds.open();
    const answer = await post(socketPath, body);
    expect(answer.status).toBe(400);
  });

  it("says how it is asked", async () => {
    const { socketPath } = await worlds.open();
    expect((await post(socketPath, "?")).text).toMatchInlineSnapshot(`
      "A judgement is asked for as {"tool": "a name", "command": "a text or null"}.
      "
    `);
  });

  it("denies a command that is too long, and judges a long one by its whole text", async () => {
    const { socketPath } = await worlds.open({
      judge: ({ command }) =>
        command?.endsWith("; rm") ? { kind: "deny", reason: "rm" } : { kind: "allow" },
    });
    const long = await post(socketPath, { tool: "Bash", command: `${" ".repeat(1_000_000)}; rm` });
    expect(JSON.parse(long.text)).toEqual({ kind: "deny", reason: "rm" });
    const longer = await post(socketPath, { tool: "Bash", command: " ".repeat(3_000_000) });
    expect(longer.text).toMatchInlineSnapshot(
      `"{"kind":"deny","reason":"The command is longer than 1 MB, which nobody can judge."}"`,
    );
  });

  it("takes no more than a small part of Loom's time, however dear its questions are", async () => {
    const judged: { from: number; to: number }[] = [];
    const { socketPath } = await worlds.open({
      judge() {
        const from = performance.now();
        while (performance.now() - from < 30);
        judged.push({ from, to: performance.now() });
        return { kind: "allow" };
      },
    });
    await Promise.all(Array.from({ length: 5 }, () => post(socketPath, { tool: "Bash", command: "ls" })));
    const pauses = judged.slice(1).map(({ from }, index) => from - (judged[index]?.to ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThan(200);
  });

  it("hears so many at a time, and the guard takes its silence for a no", async () => {
    const { socketPath } = await worlds.open();
    const opened = Array.from({ length: 40 }, () => {
      const socket = connect(socketPath);
      socket.write("POST /.loom/judge HTTP/1.1\r\nhost: loom\r\ncontent-length: 900000\r\n\r\n{");
      return socket;
    });
    const refused = await Promise.race(
      opened.map(
        (socket) => new Promise<string>((done) => socket.once("data", (data) => done(data.toString()))),
      ),
    );
    for (const socket of opened) socket.destroy();
    expect(refused.split("\r\n")[0]).toBe("HTTP/1.1 503 Service Unavailable");
  });

  it("lies behind a path that can't be guessed where others of the machine can knock", async () => {
    const { gateway } = await worlds.open({}, { listen: { kind: "loopback" } });
    const url = gateway.url ?? "";
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}$/);
    const body = JSON.stringify({ tool: "Bash", command: "ls" });
    const knock = async (address: string): Promise<number> =>
      (await fetch(address, { method: "POST", body })).status;
    expect(await knock(`${url}/.loom/judge`)).toBe(200);
    expect(await knock(`${new URL(url).origin}/.loom/judge`)).toBe(404);
    expect(await knock(`${new URL(url).origin}/${"0".repeat(32)}/.loom/judge`)).toBe(404);
  });

  it("answers 500 when the judge fails, which the guard takes for a no", async () => {
    const { socketPath } = await worlds.open({
      judge() {
        throw new Error("broken");
      },
    });
    expect((await post(socketPath, { tool: "Bash", command: "ls" })).status).toBe(500);
  });
});
