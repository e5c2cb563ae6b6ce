import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chooseSandboxProvider } from "../../../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import { startOf } from "../../../../src/adapters/sandbox/provider/limits/process-table.ts";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import {
  createSandboxWorld,
  type Ended,
  finish,
  MB,
  type SandboxWorld,
  start,
  WIDE,
} from "./sandbox-world.ts";

let world: SandboxWorld;
beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
beforeEach(() => {
  world = createSandboxWorld({ LOOM_SANDBOX: "bubblewrap" });
});
afterEach(() => world.dispose());

const DEEP = `for (1 .. 40) { mkdir("d" x 200); chdir("d" x 200) or die $! }`;

async function perl(script: string, limits = WIDE): Promise<Ended & { readonly exceeded: string | null }> {
  const sandbox = await world.open({ limits });
  const ended = await finish(start(sandbox, ["perl", "-e", script], world.tree));
  return { ...ended, exceeded: sandbox.exceeded() };
}

describe("what namespaces don't hold back", () => {
  it("is closed: sockets of odd families, such as a virtual machine's line to its host", async () => {
    const families = { unix: 1, inet: 2, inet6: 10, netlink: 16, packet: 17, vsock: 40 };
    const kinds = Object.values(families).map((family) => `[${family}, ${family === 16 ? 3 : 1}]`);
    const script = `for (${kinds}) { print socket(my $s, $_->[0], $_->[1], 0) ? "open " : 0 + $!, " " }`;
    const { out } = await perl(script);
    expect(out.split(/\s+/).filter((word) => word !== "")).toEqual([
      "open",
      "open",
      "open",
      "open",
      "97",
      "97",
    ]);
  });

  it("is closed: the keyring of the session that Loom was started in, and io_uring", async () => {
    const numbers = process.arch === "arm64" ? [219, 218, 217, 425] : [250, 249, 248, 425];
    const { out } = await perl(
      `for (${numbers.join(", ")}) { print syscall($_, 0, -3, 0) < 0 ? 0 + $! : "open", " " }`,
    );
    expect(out.trim()).toBe("38 38 38 38");
  });

  it("is closed: what only root may read in /proc, although root opened the sandbox", async () => {
    const script = `
      cd /proc && for name in *; do
        case $name in [0-9]*|self|thread-self|net|mounts) continue ;; esac
        find "$name" -type f -exec sh -c 'for file; do
          [ -n "$(head -c 1 "$file" 2>/dev/null)" ] && echo "$file"
        done' - {} +
      done`;
    const sandbox = await world.open();
    const { out } = await finish(start(sandbox, ["sh", "-c", script], world.tree));
    const readable = out.split("\n").filter((line) => line !== "");
    // Something can be read, or this would show nothing.
    expect(readable).toContain("cpuinfo");
    const ofTheMachine = readable.filter((path) => !path.startsWith("sys/net/"));
    const isClosed = (path: string): boolean => (statSync(join("/proc", path)).mode & 0o004) === 0;
    expect(ofTheMachine.filter(isClosed)).toEqual([]);
    for (const path of ["keys", "kallsyms", "kmsg", "kcore"]) expect(readable).not.toContain(path);
  });

  it("is closed: the device files of the machine, although root opened the sandbox", async () => {
    const before = statSync("/dev/null").ctimeMs;
    const sandbox = await world.open();
    const script = "chmod 0666 /dev/null 2>&1 | grep -c . ; echo works > /dev/null && echo written";
    const { out } = await finish(start(sandbox, ["sh", "-c", script], world.tree));
    expect(out).toBe("1\nwritten\n");
    expect(statSync("/dev/null").ctimeMs).toBe(before);
  });
});

describe("a program can't tell its own end", () => {
  const x64 = process.arch === "x64";
  const [ptrace, open, take] = x64 ? [101, 434, 438] : [117, 434, 438];

  it("by attaching to whoever tells it, writing into their memory or taking what they have open", async () => {
    const script = `
      my %said;
      for my $pid (1 .. 12) {
        next unless -d "/proc/$pid" && $pid != $$;
        my $fd = syscall(${open}, $pid, 0);
        my %got = (
          attach => syscall(${ptrace}, 16, $pid, 0, 0) >= 0,
          seize => syscall(${ptrace}, 0x4206, $pid, 0, 0) >= 0,
          memory => open(my $f, "+<", "/proc/$pid/mem") ? 1 : 0,
          maps => open(my $g, "<", "/proc/$pid/maps") && readline($g) ? 1 : 0,
          environ => open(my $h, "<", "/proc/$pid/environ") && defined readline($h) ? 1 : 0,
          socket => scalar(grep { syscall(${take}, $fd, $_, 0) >= 0 } 0 .. 40),
          files => scalar(grep { defined readlink("/proc/$pid/fd/$_") } 0 .. 40),
          root => (opendir(my $d, "/proc/$pid/root/") ? 1 : 0),
        );
        print "$pid: ", join(" ", grep { $got{$_} } sort keys %got), "\\n";
      }`;
    const { out, exit } = await perl(script);
    expect(exit).toEqual({ kind: "exited", code: 0 });
    // bubblewrap's first process, the relay, and the relay's threads.
    expect(out).toMatch(/^1: \n2: \n(?:\d+: \n)*$/);
  });

  it("by killing or stopping the relay", async () => {
    for (const script of ["kill -9 2; sleep 5; exit 0", "kill -9 1 2; exit 3"]) {
      const sandbox = await world.open();
      const { exit } = await finish(start(sandbox, ["sh", "-c", script], world.tree));
      expect(exit).not.toEqual({ kind: "exited", code: 0 });
    }
  });

  it("and can still attach to what it started itself, as debuggers and leak checkers do", async () => {
    const script = `
      my $child = fork // die; if (!$child) { sleep 5; exit }
      print syscall(${ptrace}, 16, $child, 0, 0) >= 0 ? "attached" : "refused: $!"; kill 9, $child;`;
    expect((await perl(script)).out).toBe("attached");
  });

  it("and has no rights in the namespace that keeps it apart, nor can it make another", async () => {
    const script = `
      grep -E '^Cap' /proc/self/status | cut -f 2 | sort -u; id -u
      unshare --user true 2>&1 | grep -c failed
      (echo 100 > /proc/sys/user/max_user_namespaces) 2>/dev/null || echo closed
      cat /proc/sys/user/max_user_namespaces`;
    const sandbox = await world.open();
    const { out } = await finish(start(sandbox, ["sh", "-c", script], world.tree));
    expect(out).toBe("0000000000000000\n1000\n1\nclosed\n0\n");
  });
});

describe("limits hold although a program", () => {
  const limits = { ...WIDE, diskBytes: 24 * MB, memoryBytes: 96 * MB };
  const fill = `for (1 .. 10) { open(my $f, ">", "f$_"); print $f "x" x ${16 * MB}; close $f } sleep 60`;

  it("hides its files behind names that are no text", async () => {
    const { exceeded } = await perl(`mkdir("\\xff\\xfe"); chdir("\\xff\\xfe") or die $!; ${fill}`, limits);
    expect(exceeded).toBe("It wrote more than 24 MB to the disk.");
  });

  it("hides its files deeper than a path can lead, and other sandboxes don't suffer for it", async () => {
    const other = await world.open();
    const neighbour = start(other, ["sh", "-c", "echo ready; sleep 60"], world.tree);
    const { exceeded } = await perl(`${DEEP} ${fill}`, limits);
    expect(exceeded).toBe("It wrote more than 24 MB to the disk.");
    expect(other.exceeded()).toBeNull();
    await neighbour.stop(0);
    execFileSync("rm", ["-rf", world.tree]);
  });

  it("fills memory with empty files, which the kernel counts for nobody", async () => {
    const script = `for (1 .. 300000) { open(my $f, ">", "/tmp/$_"); close $f } sleep 60`;
    expect((await perl(script, limits)).exceeded).toBe("It used more than 96 MB of memory.");
  });
});

describe("nothing is left behind", () => {
  it("by a program that put folders into each other without end, or took away its rights to them", async () => {
    const sandbox = await world.open();
    const script = `chdir($ENV{TMPDIR}); ${DEEP} chmod(0, "$ENV{TMPDIR}/" . "d" x 200)`;
    expect((await finish(start(sandbox, ["perl", "-e", script], world.tree))).exit).toEqual({
      kind: "exited",
      code: 0,
    });
    await sandbox.close();
    expect(readdirSync(world.folder)).toEqual([]);
  });

  it("by a Loom that was killed: the next one removes it, and nothing of one that lives", async () => {
    const where = `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
    const pid = process.pid;
    const leave = (name: string, note: object): void => {
      mkdirSync(join(world.folder, name, "tmp"), { recursive: true });
      writeFileSync(join(world.folder, name, "owner"), JSON.stringify({ elsewhere: null, ...note }));
    };
    leave("r000000000001", { where, pid, started: 1 });
    leave("r000000000002", { where, pid, started: startOf(pid) });
    leave("r000000000003", { where: "another machine", pid: 1, started: 1 });
    mkdirSync(join(world.folder, "homes"));
    await world.sandboxes();
    expect(readdirSync(world.folder)).toEqual(["homes", "r000000000002", "r000000000003"]);
  });

  it("by a sandbox that is opened while all are closed", async () => {
    const sandboxes = await chooseSandboxProvider(world.options);
    const opening = sandboxes.open(world.sandboxSpec());
    const refused = expect(opening).rejects.toThrow("the sandboxes were closed meanwhile");
    await sandboxes.close();
    await refused;
    expect(readdirSync(world.folder)).toEqual([]);
  });
});

it("a pipe in the place of git's file keeps nobody waiting", async () => {
  execFileSync("mkfifo", [join(world.tree, ".git")]);
  const sandbox = await world.open();
  const { out } = await finish(start(sandbox, ["echo", "here"], world.tree));
  expect(out).toBe("here\n");
});
