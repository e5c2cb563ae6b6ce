import { statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  describeLimit,
  limitsPrelude,
  withinMachine,
} from "../../../../../src/adapters/sandbox/provider/limits/limits.ts";
import type { Limits } from "../../../../../src/ports/sandbox.ts";
import { ensureProgram } from "../../../../setup/ensure-program.ts";
import { livingWith } from "../../../../support/living-processes.ts";
import { createSandboxWorld, finish, GB, MB, type SandboxWorld, start, WIDE } from "../sandbox-world.ts";

/** It stops by itself, for the sake of the machine: many are sleepers, and none is there for ever. */
const MULTIPLIES = "for n in $(seq 300); do (sleep 30 &); done; sleep 30";

describe("limits in words", () => {
  it("say what was too much", () => {
    const limits: Limits = { processes: 512, memoryBytes: 4 * GB, fileBytes: 1.5 * GB, diskBytes: 100 * MB };
    const sentences = (["processes", "memory", "file", "disk"] as const).map((one) =>
      describeLimit(one, limits),
    );
    expect(sentences).toMatchInlineSnapshot(`
      [
        "It ran more than 512 processes at once.",
        "It used more than 4 GB of memory.",
        "It wrote a file larger than 1.5 GB.",
        "It wrote more than 100 MB to the disk.",
      ]
    `);
  });

  it("leave the machine a part of its memory", () => {
    expect(withinMachine(WIDE, 2 * GB)).toEqual({ ...WIDE, memoryBytes: Math.floor(1.6 * GB) });
    expect(withinMachine(WIDE, 64 * GB)).toEqual(WIDE);
  });

  it("are words that a shell takes", () => {
    expect(limitsPrelude(WIDE)).toMatchInlineSnapshot(
      `"ulimit -c 0; ulimit -f 4194304; { ulimit -u 2048 || ulimit -p 2048 || :; } 2>/dev/null"`,
    );
  });
});

describe.each(["bubblewrap", "off"])("a program that takes too much, sandbox %s", (mode) => {
  let world: SandboxWorld;
  beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
  beforeEach(() => {
    world = createSandboxWorld({ LOOM_SANDBOX: mode });
  });
  afterEach(() => world.dispose());

  async function run(limits: Partial<Limits>, argv: readonly [string, ...string[]]) {
    const refused: string[] = [];
    const sandboxSpec = world.sandboxSpec({
      limits: { ...WIDE, ...limits },
      onRefused: ({ boundary, rule }) => void refused.push(`${boundary}/${rule}`),
    });
    const sandbox = await (await world.sandboxes()).open(sandboxSpec);
    const ended = await finish(start(sandbox, argv, world.tree));
    expect(livingWith(`LOOM_MARKER=${sandboxSpec.marker}`)).toEqual([]);
    return { sandbox, refused, ...ended };
  }

  it("is ended when it multiplies", async () => {
    const { sandbox, refused, exit } = await run({ processes: 100 }, ["sh", "-c", MULTIPLIES]);
    expect(sandbox.exceeded()).toBe("It ran more than 100 processes at once.");
    expect(refused).toEqual(["sandbox/processes"]);
    expect(exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
    const again = await finish(start(sandbox, ["true"], world.tree));
    expect(again.exit).toEqual({ kind: "not-started", reason: "It ran more than 100 processes at once." });
  });

  it("is ended when it eats memory", async () => {
    const script = "const a = []; setInterval(() => a.push(Buffer.alloc(20 * 1024 ** 2, 1)), 10)";
    const { sandbox, refused, exit } = await run({ memoryBytes: 300 * MB }, [process.execPath, "-e", script]);
    expect(sandbox.exceeded()).toBe("It used more than 300 MB of memory.");
    expect(refused).toEqual(["sandbox/memory"]);
    expect(exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
  });

  it("may share memory among many", async () => {
    const script = "for i in 1 2 3 4 5 6; do node -e 'setTimeout(() => {}, 1500)' & done; wait";
    const { sandbox, exit } = await run({ memoryBytes: 400 * MB }, ["sh", "-c", script]);
    expect(sandbox.exceeded()).toBeNull();
    expect(exit).toEqual({ kind: "exited", code: 0 });
  });

  it("is ended when it fills the disk with many files", async () => {
    const script = "n=0; while :; do n=$((n+1)); head -c 4000000 /dev/zero > f$n; done";
    const { sandbox, refused } = await run({ diskBytes: 100 * MB }, ["sh", "-c", script]);
    expect(sandbox.exceeded()).toBe("It wrote more than 100 MB to the disk.");
    expect(refused).toEqual(["sandbox/disk"]);
  });

  it("is ended when it fills the disk with files that have no name", async () => {
    const script = "exec 3> f; rm f; while :; do head -c 4000000 /dev/zero >&3; done";
    const { sandbox } = await run({ diskBytes: 100 * MB }, ["sh", "-c", script]);
    expect(sandbox.exceeded()).toBe("It wrote more than 100 MB to the disk.");
  });

  it("may have large files that were there before", async () => {
    writeFileSync(join(world.tree, "large"), Buffer.alloc(150 * MB));
    const script = "head -c 60000000 /dev/zero > f; sleep 1; echo fine";
    const { sandbox, out } = await run({ diskBytes: 100 * MB }, ["sh", "-c", script]);
    expect(out).toBe("fine\n");
    expect(sandbox.exceeded()).toBeNull();
  });
});

describe("in a bubblewrap sandbox", () => {
  let world: SandboxWorld;
  beforeEach(() => {
    world = createSandboxWorld({ LOOM_SANDBOX: "bubblewrap" });
  });
  afterEach(() => world.dispose());

  it("no file grows beyond its limit", async () => {
    const sandbox = await world.open({ limits: { ...WIDE, fileBytes: 10 * MB } });
    const free = statfsSync(world.tree).bavail;
    const ended = await finish(start(sandbox, ["sh", "-c", "exec head -c 10G /dev/zero > f"], world.tree));
    expect(ended.exit).toEqual({ kind: "signalled", signal: "SIGXFSZ" });
    expect(sandbox.exceeded()).toBe("It wrote a file larger than 10 MB.");
    expect(free - statfsSync(world.tree).bavail).toBeLessThan((200 * MB) / 4096);
  });

  it("memory can't be hidden in files without a name", async () => {
    const sandbox = await world.open({ limits: { ...WIDE, memoryBytes: 300 * MB } });
    const script = `import os, time
fds = []
while True:
    fd = os.memfd_create("x")
    fds.append(fd)
    os.write(fd, b"x" * 8000000)
    time.sleep(0.01)`;
    const { err } = await finish(start(sandbox, ["/usr/bin/python3", "-c", script], world.tree));
    expect(err).toBe("");
    expect(sandbox.exceeded()).toBe("It used more than 300 MB of memory.");
  });

  it.each([
    ["memory", "os.memfd_create('x')", "It used more than 300 MB of memory."],
    ["disk", "os.open('f', os.O_RDWR | os.O_CREAT)", "It wrote more than 100 MB to the disk."],
  ])("%s can't be hidden in files without a name that are only mapped", async (kind, open, sentence) => {
    const sandbox = await world.open({ limits: { ...WIDE, memoryBytes: 300 * MB, diskBytes: 100 * MB } });
    const script = `import ctypes, os, time
libc = ctypes.CDLL(None)
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
for n in range(60):
    fd = ${open}
    if "${kind}" == "disk": os.unlink("f")
    os.write(fd, b"x" * 8000000)
    libc.mmap(None, 4096, 1, 1, fd, 0)
    os.close(fd)
    time.sleep(0.01)
time.sleep(8)`;
    const { err } = await finish(start(sandbox, ["/usr/bin/python3", "-c", script], world.tree));
    expect(err).toBe("");
    // Only root may look behind mappings.
    expect(sandbox.exceeded()).toBe(process.getuid?.() === 0 ? sentence : null);
  });

  it("memory that looks like a folder has an end", async () => {
    const sandbox = await world.open();
    const script =
      "for d in /tmp /dev/shm; do head -c 600M /dev/zero > $d/f 2>/dev/null; stat -c %s $d/f; rm $d/f; done";
    const { out } = await finish(start(sandbox, ["sh", "-c", script], world.tree));
    for (const size of out.trim().split("\n")) expect(Number(size)).toBeLessThanOrEqual(512 * MB);
  });

  it("endless output waits for its reader", async () => {
    const sandbox = await world.open();
    const running = start(sandbox, ["yes"], world.tree);
    let bytes = 0;
    for await (const { data } of running.output) {
      bytes += data.length;
      if (bytes > 20 * MB) break;
    }
    await running.stop(0);
    expect(process.memoryUsage().rss).toBeLessThan(GB);
  });
});
