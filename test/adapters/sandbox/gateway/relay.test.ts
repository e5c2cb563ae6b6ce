import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { perlPrograms } from "../../../../src/adapters/sandbox/provider/relay/perl-programs.ts";
import { type Ids, perlRelay } from "../../../../src/adapters/sandbox/provider/relay/relay-command.ts";
import { compilePrograms, start } from "./compiled-programs.ts";
import { ask, createWorlds } from "./gateway-world.ts";

const worlds = createWorlds();
let perl: string;
let programs: Awaited<ReturnType<typeof compilePrograms>>;
beforeAll(async () => {
  programs = await compilePrograms();
  perl = mkdtempSync(join(tmpdir(), "loom-relay-"));
  writeFileSync(join(perl, "relay.pl"), perlPrograms(process.arch)?.relay ?? "");
});
afterEach(() => worlds.close());
afterAll(async () => {
  rmSync(perl, { recursive: true });
  await programs.dispose();
});

/** A port that nobody uses; sandboxes have a loopback of their own and always use the same one. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address ? address.port : 0;
}

const ids = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };

/** Both do the same; which one a sandbox gets depends on its machine. */
const RELAYS: readonly (readonly [
  name: string,
  words: (socketPath: string, token: string, port: number) => string[],
])[] = [
  ["in Node", (...words) => [process.execPath, programs.relay, ...words.map(String), "--"]],
  ["in Perl", (socket, token, port) => relayInPerl(null, socket, token, port)],
  ["in Perl, with the program set apart", (...words) => relayInPerl(ids, ...words)],
];

function relayInPerl(apart: Ids | null, socket: string, token: string, port: number): string[] {
  const program = { argv: ["program"] as const, env: {} };
  return perlRelay(join(perl, "relay.pl"), apart, port).command({ socket, token, program }).argv.slice(0, -1);
}

const fetchAll = `
  const { request } = require("node:http");
  const one = (n) => new Promise((resolve) => request({ port: process.env.PORT, path: "http://127.0.0.1:" + process.argv[1] + "/" + n },
    (incoming) => { let text = ""; incoming.on("data", (d) => text += d).on("end", () => resolve(text)); }).end());
  Promise.all(Array.from({ length: 200 }, (_, n) => one(n))).then((all) => console.log(all.join(",")));
`;

describe.each(RELAYS)("the relay %s", (_, words) => {
  async function relay(socketPath: string, token: string, ...argv: string[]) {
    const port = await freePort();
    const program = start([...words(socketPath, token, port), ...argv], {
      env: { PORT: String(port) },
      stdin: "from standard input",
    });
    return { port, program };
  }

  it("is not noticed by the program: same streams, same arguments, same exit code", async () => {
    const { socketPath, gateway } = await worlds.open();
    const script = 'cat; printf " %s|" "$@"; echo oops >&2; exit 7';
    gateway.expect("token-plain");
    const { program } = await relay(socketPath, "token-plain", "sh", "-c", script, "sh", "a b", "", "--");
    expect(await program.ended).toEqual({
      code: 7,
      signal: null,
      out: "from standard input a b| | --|",
      err: "oops\n",
    });
    expect(gateway.exitOf("token-plain")).toEqual({ kind: "exited", code: 7 });
    expect(gateway.exitOf("token-other")).toBeNull();
  });

  it.each(["SIGKILL", "SIGTERM", "SIGSEGV"])("ends by %s when the program does", async (signal) => {
    const { socketPath, gateway } = await worlds.open();
    gateway.expect("token-signal");
    const { program } = await relay(
      socketPath,
      "token-signal",
      "sh",
      "-c",
      `ulimit -c 0; kill -${signal.slice(3)} $$`,
    );
    expect(await program.ended).toMatchObject({ code: null, signal });
    expect(gateway.exitOf("token-signal")).toEqual({ kind: "signalled", signal });
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const)("hands %s on", async (signal) => {
    const { socketPath, gateway } = await worlds.open();
    const script = `process.on("${signal}", () => process.exit(9)); console.log("ready"); setInterval(() => {}, 1000);`;
    gateway.expect("token-handed");
    const { program } = await relay(socketPath, "token-handed", process.execPath, "-e", script);
    await program.says("ready");
    program.kill(signal);
    expect(await program.ended).toMatchObject({ code: 9, signal: null });
    expect(gateway.exitOf("token-handed")).toEqual({ kind: "exited", code: 9 });
  });

  it("says that a program is missing, or may not be started", async () => {
    const { socketPath, gateway } = await worlds.open();
    gateway.expect("token-missing");
    const missing = await relay(socketPath, "token-missing", "no-such-program");
    expect(await missing.program.ended).toMatchInlineSnapshot(`
      {
        "code": 127,
        "err": "no-such-program was not found
      ",
        "out": "",
        "signal": null,
      }
    `);
    expect(gateway.exitOf("token-missing")).toMatchInlineSnapshot(`
      {
        "kind": "not-started",
        "reason": "no-such-program was not found",
      }
    `);
    gateway.expect("token-refused");
    const refused = await relay(socketPath, "token-refused", "/etc/passwd");
    expect(await refused.program.ended).toMatchObject({ code: 126 });
  });

  it("carries many connections at a time", async () => {
    const upstream = await worlds.serve((incoming, response) => response.end(incoming.url));
    const { socketPath } = await worlds.open({ allow: [`127.0.0.1:${upstream.port}`] });
    const { program } = await relay(
      socketPath,
      "token-many",
      process.execPath,
      "-e",
      fetchAll,
      String(upstream.port),
    );
    const expected = Array.from({ length: 200 }, (_, n) => `/${n}`).join(",");
    expect(await program.ended).toMatchObject({ code: 0, out: `${expected}\n` });
  });

  it("ends with the program, although a child of it goes on and holds its streams", async () => {
    const { socketPath } = await worlds.open();
    const script = '(while [ -e "$1" ] && [ ! -e "$1/stop" ]; do sleep 0.05; done) & echo started; exit 4';
    const folder = socketPath.replace(/\/[^/]*$/, "");
    const port = await freePort();
    const program = start([...words(socketPath, "token-daemon", port), "sh", "-c", script, "sh", folder]);
    await program.says("started");
    // The streams are still held, so only the process itself can be looked at.
    await expect.poll(() => isAlive(program.pid)).toBe(false);
    await start(["touch", `${folder}/stop`]).ended;
    expect(await program.ended).toMatchObject({ code: 4 });
  });

  it("runs the program although the gateway is gone; its connections just fail", async () => {
    const knock = `
      const socket = require("node:net").connect(process.env.PORT, "127.0.0.1");
      socket.on("error", () => {}).on("close", () => console.log("closed"));
    `;
    const { program } = await relay("/nowhere/gateway.sock", "token-alone", process.execPath, "-e", knock);
    expect(await program.ended).toMatchObject({ code: 0, out: "closed\n" });
  });

  it("lets no program lie about its own end, nor find the token", async () => {
    const { socketPath, gateway } = await worlds.open();
    const lie = `
      const { readFileSync } = require("node:fs");
      console.log(readFileSync("/proc/" + process.ppid + "/cmdline", "utf8").includes("token-honest"));
      const options = { port: process.env.PORT, path: "/.loom/exit", method: "POST", headers: { "x-loom-token": "token-honest" } };
      require("node:http").request(options, (incoming) => { console.log(incoming.statusCode); process.exit(5); })
        .end('{"kind":"exited","code":0}');
    `;
    gateway.expect("token-honest");
    const { program } = await relay(socketPath, "token-honest", process.execPath, "-e", lie);
    expect(await program.ended).toMatchObject({ code: 5, out: "false\n409\n" });
    expect(gateway.exitOf("token-honest")).toEqual({ kind: "exited", code: 5 });
  });

  it("hands on what comes the moment the program runs", async () => {
    const { socketPath } = await worlds.open();
    const script = "trap 'exit 9' TERM; kill -TERM $PPID; while :; do sleep 0.05; done";
    const relays = await Promise.all(
      Array.from({ length: 12 }, (_, index) => relay(socketPath, `token-early-${index}`, "sh", "-c", script)),
    );
    const ends = await Promise.all(relays.map(({ program }) => program.ended));
    expect(new Set(ends.map(({ code }) => code))).toEqual(new Set([9]));
  });

  it("closes what Loom had open and did not mean for the program", async () => {
    const { socketPath } = await worlds.open();
    const [port, script] = [await freePort(), "ls /proc/self/fd | tr '\\n' ' '"];
    const behind = words(socketPath, "token-closed", port);
    // A folder that is open leads out of every sandbox; the last number is the listing itself.
    const program = start(["bash", "-c", 'exec 7</ 251</; exec "$@"', "bash", ...behind, "sh", "-c", script]);
    expect(await program.ended).toMatchObject({ code: 0, out: "0 1 2 3 " });
  });

  it("says how it is started", async () => {
    const { ended } = start(words("/nowhere/gateway.sock", "token-none", 1));
    expect(await ended).toMatchObject({
      code: 125,
      out: "",
      err: expect.stringMatching(/^The relay is started as: /),
    });
  });
});

it("a relay in Perl loads nothing that the sandbox's environment names, and the program still gets it", async () => {
  const { socketPath, gateway } = await worlds.open();
  gateway.expect("token-loads");
  const library = join(perl, "lib");
  mkdirSync(library);
  writeFileSync(join(library, "Evil.pm"), "print qq(loaded\n); 1;");
  const env = { PATH: process.env.PATH ?? "", PERL5LIB: library, PERL5OPT: "-MEvil" };
  const command = perlRelay(join(perl, "relay.pl"), null, await freePort()).command({
    socket: socketPath,
    token: "token-loads",
    program: { argv: ["sh", "-c", 'echo "$PERL5OPT $PERL5LIB|$PERL_BADLANG|"; perl -e 1'], env },
  });
  const { ended } = start(command.argv, { env: command.env });
  expect(await ended).toMatchObject({ code: 0, out: `-MEvil ${library}||\nloaded\n` });
});

describe("the endpoint for the ends of programs", () => {
  const NO_ERROR = '{"kind":"exited","code":0}';
  const tell = (socketPath: string, body: string, token = "token-0001") =>
    ask(socketPath, "/.loom/exit", { method: "POST", headers: { "x-loom-token": token }, body });

  it.each([
    "",
    "{}",
    '{"kind":"exited","code":"0"}',
    '{"kind":"exited","code":999}',
    '{"kind":"signalled","signal":"x y"}',
  ])("does not believe %j", async (body) => {
    const { socketPath, gateway } = await worlds.open();
    gateway.expect("token-0001");
    expect((await tell(socketPath, body)).status).toBe(400);
    expect(gateway.exitOf("token-0001")).toBeNull();
  });

  it("hears each token once", async () => {
    const { socketPath, gateway } = await worlds.open();
    gateway.expect("token-0001");
    await tell(socketPath, '{"kind":"exited","code":1}');
    expect((await tell(socketPath, '{"kind":"exited","code":0}')).status).toBe(409);
    expect(gateway.exitOf("token-0001")).toEqual({ kind: "exited", code: 1 });
  });

  it("has a place for the next program, however many tokens the last one made up", async () => {
    const { socketPath, gateway } = await worlds.open();
    const made = Array.from({ length: 5000 }, (_, index) => `made-up-${index}`);
    for (let at = 0; at < made.length; at += 100) {
      const some = made.slice(at, at + 100);
      const answers = await Promise.all(some.map((token) => tell(socketPath, NO_ERROR, token)));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]));
    }
    gateway.expect("token-0001");
    expect((await tell(socketPath, '{"kind":"exited","code":1}')).status).toBe(200);
    expect(gateway.exitOf("token-0001")).toEqual({ kind: "exited", code: 1 });
    expect(gateway.exitOf("made-up-0")).toBeNull();
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
