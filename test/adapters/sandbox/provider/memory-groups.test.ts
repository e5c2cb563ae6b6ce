import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chooseSandboxProvider } from "../../../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import {
  type ControlGroup,
  createControlGroup,
} from "../../../../src/adapters/sandbox/provider/limits/control-groups.ts";
import type { Limits, Sandbox, SandboxProvider, SandboxRefusal } from "../../../../src/ports/sandbox.ts";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import { livingWith } from "../../../support/living-processes.ts";
import {
  createSandboxWorld,
  finish,
  GB,
  MB,
  type SandboxWorld,
  start,
  untilLine,
  WIDE,
} from "./sandbox-world.ts";

const LIMIT = 160 * MB;
const SENTENCE = "It used more than 160 MB of memory.";

/** Segments of shared memory that nobody is attached to; twice the limit and no more, for the sake of the machine. */
const segments = (megabytes: number): string => `
  for (1 .. ${megabytes / 8}) {
    my $id = shmget(0, 8 << 20, 01600) // die "shmget: $!";
    shmwrite($id, "x" x (8 << 20), 0, 8 << 20) or die "shmwrite: $!";
  }`;

/** Less than the limit, and then it waits. */
const HOLDS = `$| = 1; ${segments(96)} print "ready\\n"; sleep 30;`;

/** Sockets full of data, whose descriptors are in flight in the next ones: no process has them open. */
const SOCKETS = `import array, socket, time
queued = 0
held = ()
while queued < ${2 * LIMIT}:
    a, b = socket.socketpair()
    a.setblocking(False)
    try:
        while True: queued += a.send(b"x" * 65536)
    except BlockingIOError: pass
    held += (a, b)
    c, d = socket.socketpair()
    c.sendmsg([b"."], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [one.fileno() for one in held]))])
    for one in held: one.close()
    held = (c, d)
print(queued)`;

/** One sender, and hundreds that never read. */
const DATAGRAMS = `import socket
sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
readers = []
for n in range(800):
    reader = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
    reader.bind(("127.0.0.1", 0))
    reader.setblocking(False)
    readers.append(reader)
    for n in range(12): sender.sendto(b"x" * 30000, reader.getsockname())
kept = 0
for reader in readers:
    try:
        while True: kept += len(reader.recv(65536))
    except BlockingIOError: pass
print(kept)`;

describe("the memory of a sandbox", () => {
  let world: SandboxWorld;
  let sandboxes: SandboxProvider;
  let made: (ControlGroup | null)[];
  let refused: string[];
  beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
  beforeEach(async () => {
    world = createSandboxWorld({ LOOM_SANDBOX: "bubblewrap" });
    made = [];
    refused = [];
    const group = (limits: Limits): ControlGroup | null => {
      const one = createControlGroup(limits);
      made.push(one);
      return one;
    };
    sandboxes = await chooseSandboxProvider({ ...world.options, group });
  });
  afterEach(async () => {
    await sandboxes.close();
    // Nothing stays behind, whatever was in it.
    expect(made.flatMap((one) => one?.folders ?? []).filter((folder) => existsSync(folder))).toEqual([]);
    await world.dispose();
  });

  const onRefused = ({ boundary, rule, what }: SandboxRefusal): void =>
    void refused.push(`${boundary}/${rule}: ${what}`);
  const open = (): Promise<Sandbox> =>
    sandboxes.open(world.sandboxSpec({ limits: { ...WIDE, memoryBytes: LIMIT }, onRefused }));
  const run = (sandbox: Sandbox, ...argv: [string, ...string[]]) => finish(start(sandbox, argv, world.tree));
  /** Where Loom can't make a group for memory, what no process holds is not seen, as the threat model says. */
  const isHeld = (): boolean => made[0]?.memory != null;

  it("is held by the kernel where Loom may write below its own group for memory", async () => {
    await open();
    const own = /^\d+:memory:(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1];
    if (own !== undefined) expect(isHeld()).toBe(isWritable(join("/sys/fs/cgroup/memory", own)));
  });

  it.each([
    ["segments that nobody is attached to", "perl", "-e", `${segments(320)} print "done";`],
    ["what lies in sockets that nobody has open", "/usr/bin/python3", "-c", SOCKETS],
  ])("includes %s", async (_, ...argv) => {
    const sandbox = await open();
    const { exit, err } = await run(sandbox, ...argv);
    expect(err).toBe("");
    expect(sandbox.exceeded()).toBe(isHeld() ? SENTENCE : null);
    expect(refused).toEqual(isHeld() ? [`sandbox/memory: ${SENTENCE}`] : []);
    expect(exit).toEqual(isHeld() ? { kind: "signalled", signal: "SIGKILL" } : { kind: "exited", code: 0 });
    const again = await run(sandbox, "true");
    expect(again.exit.kind).toBe(isHeld() ? "not-started" : "exited");
  });

  it("includes datagrams that nobody reads", async () => {
    const sandbox = await open();
    const { out, err } = await run(sandbox, "/usr/bin/python3", "-c", DATAGRAMS);
    expect(err).toBe("");
    if (isHeld()) expect(Number(out)).toBeLessThan(LIMIT);
    expect(sandbox.exceeded()).toBeNull();
  });

  it("is exceeded, too, when the kernel ended only a part of a program that then ends well", async () => {
    const sandbox = await open();
    const script = `perl -e '${segments(320)}' & wait; exit 0`;
    await run(sandbox, "sh", "-c", script);
    expect(sandbox.exceeded()).toBe(isHeld() ? SENTENCE : null);
    expect(refused).toEqual(isHeld() ? [`sandbox/memory: ${SENTENCE}`] : []);
  });

  it("does not include what the kernel keeps of files", async () => {
    const sandbox = await open();
    const script = "head -c 1G /dev/zero > large && cat large | wc -c && rm large";
    const { exit, out } = await run(sandbox, "sh", "-c", script);
    expect(sandbox.exceeded()).toBeNull();
    expect(exit).toEqual({ kind: "exited", code: 0 });
    expect(out).toBe(`${GB}\n`);
  });

  it("is that of its programs now, not what an earlier one left", async () => {
    const sandbox = await open();
    for (let n = 0; n < 4; n += 1) {
      const { exit, err } = await run(sandbox, "perl", "-e", segments(104));
      expect(err).toBe("");
      expect(exit).toEqual({ kind: "exited", code: 0 });
    }
    expect(sandbox.exceeded()).toBeNull();
  });

  it("is that of all its programs together", async () => {
    const sandbox = await open();
    const first = start(sandbox, ["perl", "-e", HOLDS], world.tree);
    await untilLine(first, "ready");
    const second = await run(sandbox, "perl", "-e", segments(96));
    expect(sandbox.exceeded()).toBe(isHeld() ? SENTENCE : null);
    if (isHeld()) expect((await first.exit).kind).toBe("signalled");
    else expect(second.exit).toEqual({ kind: "exited", code: 0 });
    await first.stop(0);
  });

  it("is no matter of another sandbox", async () => {
    const sandboxSpec = world.sandboxSpec({ limits: { ...WIDE, memoryBytes: LIMIT } });
    const neighbour = await sandboxes.open(sandboxSpec);
    const quiet = start(neighbour, ["perl", "-e", HOLDS], world.tree);
    await untilLine(quiet, "ready");
    const sandbox = await open();
    await run(sandbox, "perl", "-e", segments(320));
    expect(sandbox.exceeded()).toBe(isHeld() ? SENTENCE : null);
    expect(neighbour.exceeded()).toBeNull();
    expect(livingWith(`LOOM_MARKER=${sandboxSpec.marker}`)).not.toEqual([]);
    await quiet.stop(0);
  });
});

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
