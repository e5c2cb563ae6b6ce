import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { hostPrograms } from "../../../../src/adapters/os/host-programs.ts";
import { createBubblewrapOpener } from "../../../../src/adapters/sandbox/provider/bubblewrap/bubblewrap.ts";
import { tryBubblewrap } from "../../../../src/adapters/sandbox/provider/bubblewrap/try-bubblewrap.ts";
import {
  createLimitWatcher,
  type LimitWatcher,
} from "../../../../src/adapters/sandbox/provider/limits/limit-watcher.ts";
import { perlStarter } from "../../../../src/adapters/sandbox/provider/relay/perl-starter.ts";
import type { Ids } from "../../../../src/adapters/sandbox/provider/relay/relay-command.ts";
import { shellStarter } from "../../../../src/adapters/sandbox/provider/relay/shell-starter.ts";
import type { Starter } from "../../../../src/adapters/sandbox/provider/relay/starter.ts";
import type { Sandbox, SandboxSpec } from "../../../../src/ports/sandbox.ts";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import {
  createSandboxWorld,
  type Ended,
  finish,
  MB,
  type SandboxWorld,
  start,
  untilLine,
  WIDE,
} from "./sandbox-world.ts";

const STARTERS: readonly (readonly [name: string, make: (ids: Ids) => Starter | null])[] = [
  ["Perl", perlStarter],
  ["a shell and the tools of the system", (ids) => shellStarter(hostPrograms(), ids)],
];

let world: SandboxWorld;
let watcher: LimitWatcher;
beforeAll(() => {
  ensureProgram("bwrap", "bubblewrap");
  ensureProgram("perl", "perl");
});
beforeEach(() => {
  world = createSandboxWorld({ LOOM_SANDBOX: "bubblewrap" });
  watcher = createLimitWatcher();
});
afterEach(async () => {
  await watcher.close();
  await world.dispose();
});

it("Perl is taken where it is there", async () => {
  const trial = await tryBubblewrap(world.options.env, world.options.cwd);
  expect(trial).toMatchObject({ kind: "works", bubblewrap: { isApart: true } });
  expect(trial.kind === "works" && trial.bubblewrap.starter.relay(world.tree, "node", true).starter).toBe(
    "/usr/bin/perl",
  );
});

describe.each(STARTERS)("a sandbox that is begun by %s", (_, make) => {
  async function open(fields: Partial<SandboxSpec> = {}): Promise<Sandbox> {
    const trial = await tryBubblewrap(world.options.env, world.options.cwd);
    if (trial.kind === "fails") throw new Error(trial.reason);
    const { bubblewrap } = trial;
    const starter = make(bubblewrap.user ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
    if (starter === null) throw new Error("it is not there");
    return createBubblewrapOpener(
      world.options,
      { ...bubblewrap, starter },
      watcher,
    )(world.sandboxSpec(fields));
  }

  async function run(script: string, fields: Partial<SandboxSpec> = {}): Promise<Ended> {
    const sandbox = await open(fields);
    try {
      return await finish(start(sandbox, ["sh", "-c", script], world.tree));
    } finally {
      await sandbox.close();
    }
  }

  it.each([
    ["exit 137", { kind: "exited", code: 137 }],
    ["kill -9 $$", { kind: "signalled", signal: "SIGKILL" }],
    ["kill -TERM $$", { kind: "signalled", signal: "SIGTERM" }],
    ["exec no-such-program", { kind: "exited", code: 127 }],
  ])("tells how a program ended: %s", async (script, exit) => {
    expect((await run(script)).exit).toEqual(exit);
  });

  it("tells that there was no such program", async () => {
    const sandbox = await open();
    expect((await finish(start(sandbox, ["no-such-program"], world.tree))).exit).toEqual({
      kind: "not-started",
      reason: "no-such-program was not found",
    });
    await sandbox.close();
  });

  it("has every boundary: rights, namespaces, system calls, limits, and files that were open", async () => {
    const script = `
      grep -E '^Cap|^NoNewPrivs|^Seccomp:' /proc/self/status | cut -f 2 | sort -u | tr '\\n' ' '
      unshare --user true 2>/dev/null || echo closed
      cat /proc/sys/user/max_user_namespaces
      ulimit -f; ulimit -c; ls /proc/self/fd | wc -l
      chmod 0666 /dev/null 2>/dev/null || echo closed; echo x > /dev/null && echo open
      kill -0 1 2>/dev/null; ls -l /proc/1/fd /proc/2/fd /proc/1/root/ 2>/dev/null | grep -c -e '->'
      cat /proc/1/environ /proc/2/environ 2>/dev/null | wc -c`;
    const { out } = await run(script, { limits: { ...WIDE, fileBytes: 3 * MB } });
    expect(out.split(/\s+/).filter((word) => word !== "")).toEqual([
      ...["0000000000000000", "1", "2"],
      ...["closed", "0"],
      ...[String((3 * MB) / 512), "0", "4"],
      ...["closed", "open"],
      ...["0", "0"],
    ]);
  });

  it("loads nothing that the program's environment names", async () => {
    const sandbox = await open();
    const env = { PERL5OPT: "-MLoomEvil", PERL5LIB: world.tree, NODE_OPTIONS: "" };
    const { out, err } = await finish(start(sandbox, ["sh", "-c", "echo $PERL5OPT"], world.tree, env));
    expect({ out, err }).toEqual({ out: "-MLoomEvil\n", err: "" });
    await sandbox.close();
  });

  it("leaves what an interpreter is to load to the program's own", async () => {
    const loads = join(world.tree, "loads.cjs");
    writeFileSync(
      loads,
      `require("node:fs").appendFileSync("loaded", process.argv.slice(2).join() + "\\n");\n`,
    );
    const sandbox = await open();
    const env = { NODE_OPTIONS: `--require ${JSON.stringify(loads)}` };
    const { exit, err } = await finish(start(sandbox, ["node", "-e", "0", "it"], world.tree, env));
    expect({ exit, err }).toEqual({ exit: { kind: "exited", code: 0 }, err: "" });
    expect(readFileSync(join(world.tree, "loaded"), "utf8")).toBe("\n");
    await sandbox.close();
  });

  it("asks a program kindly, once", async () => {
    const sandbox = await open();
    const script = "trap 'echo asked; exit 7' TERM; echo up; while :; do sleep 0.05; done";
    const running = start(sandbox, ["sh", "-c", script], world.tree);
    await untilLine(running, "up");
    await running.stop(5000);
    expect(await finish(running)).toMatchObject({ exit: { kind: "exited", code: 7 }, out: "asked\n" });
    await sandbox.close();
  });

  it("has a network that only the gateway is behind", async () => {
    const script = `node -e 'require("http").get({host:"127.0.0.1",port:3128,path:"http://example.org/"},r=>{console.log(r.statusCode);r.resume()})'`;
    expect((await run(script)).out).toBe("403\n");
  });
});
