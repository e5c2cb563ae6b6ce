import { describe, expect, it } from "vitest";
import { hostPrograms } from "../../../../src/adapters/os/host-programs.ts";
import { bubblewrapArguments } from "../../../../src/adapters/sandbox/provider/bubblewrap/bubblewrap-arguments.ts";
import { inOrder, type Mount } from "../../../../src/adapters/sandbox/provider/bubblewrap/mounts.ts";
import { sanitizeGitConfig } from "../../../../src/adapters/sandbox/provider/bubblewrap/sanitize-git-config.ts";
import { findShownPrograms } from "../../../../src/adapters/sandbox/provider/bubblewrap/shown-programs.ts";
import { systemCallFilter } from "../../../../src/adapters/sandbox/provider/bubblewrap/system-call-filter.ts";
import {
  type Bubblewrap,
  describeBubblewrap,
} from "../../../../src/adapters/sandbox/provider/bubblewrap/try-bubblewrap.ts";
import { cleanEnvironment } from "../../../../src/adapters/sandbox/provider/clean-environment.ts";
import { containerArguments } from "../../../../src/adapters/sandbox/provider/container-arguments.ts";
import { shellStarter } from "../../../../src/adapters/sandbox/provider/relay/shell-starter.ts";
import { splitCommand } from "../../../../src/adapters/sandbox/provider/split-command.ts";
import { WIDE } from "./sandbox-world.ts";

const MOUNTS: readonly Mount[] = [
  { kind: "write", from: "/work/tree", at: "/work/tree" },
  { kind: "read", from: "/work/tree/docs, old", at: "/work/tree/docs, old" },
  { kind: "hidden", at: "/work/tree/secret" },
];

describe("the words for bubblewrap", () => {
  it("build a sandbox of namespaces and mounts, and leave nothing of it writable by accident", () => {
    const words = bubblewrapArguments({
      features: { size: true, perms: true, disableUserns: true },
      user: { uid: 1000, gid: 1000 },
      system: [
        { kind: "read", from: "/usr", at: "/usr" },
        { kind: "link", to: "usr/bin", at: "/bin" },
      ],
      proc: [{ kind: "read", from: "/proc/sys", at: "/proc/sys" }],
      mounts: MOUNTS,
      scratchBytes: 1024,
      cwd: "/work/tree",
    });
    expect(words.join(" ").replaceAll(" --", "\n--")).toMatchInlineSnapshot(`
      "--unshare-user
      --uid 1000
      --gid 1000
      --disable-userns
      --unshare-pid
      --unshare-ipc
      --unshare-uts
      --unshare-net
      --unshare-cgroup-try
      --die-with-parent
      --new-session
      --hostname loom
      --cap-drop ALL
      --ro-bind /usr /usr
      --symlink usr/bin /bin
      --proc /proc
      --ro-bind /proc/sys /proc/sys
      --dev /dev
      --perms 1777
      --size 1024
      --tmpfs /dev/shm
      --perms 1777
      --size 1024
      --tmpfs /tmp
      --perms 1777
      --size 1024
      --tmpfs /var/tmp
      --perms 1777
      --size 1024
      --tmpfs /run
      --bind /work/tree /work/tree
      --ro-bind /work/tree/docs, old /work/tree/docs, old
      --perms 0755
      --size 65536
      --tmpfs /work/tree/secret
      --remount-ro /work/tree/secret
      --remount-ro /dev
      --remount-ro /
      --chdir /work/tree"
    `);
  });

  it("do without younger options where they are unknown", () => {
    const words = bubblewrapArguments({
      features: { size: false, perms: false, disableUserns: false },
      user: null,
      system: [],
      proc: [],
      mounts: MOUNTS,
      scratchBytes: 1024,
      cwd: "/",
    });
    for (const option of ["--size", "--perms", "--disable-userns", "--uid"])
      expect(words).not.toContain(option);
  });
});

it("what bubblewrap can't do here is said with its version", () => {
  const features = { size: true, perms: true, disableUserns: true };
  const whole: Bubblewrap = {
    program: "/usr/bin/bwrap",
    version: "0.8.0",
    features,
    user: { uid: 1000, gid: 1000 },
    filter: Buffer.alloc(8),
    starter: shellStarter(hostPrograms({ PATH: "" }), { uid: 1000, gid: 1000 }),
    shelter: "own",
    isApart: true,
  };
  expect(describeBubblewrap(whole)).toMatchInlineSnapshot(`"bubblewrap 0.8.0"`);
  expect(describeBubblewrap({ ...whole, isApart: false })).toMatchInlineSnapshot(
    `"bubblewrap 0.8.0, a program could forge how it ended"`,
  );
  expect(describeBubblewrap({ ...whole, filter: null, shelter: "none" })).toMatchInlineSnapshot(
    `"bubblewrap 0.8.0, no filter of system calls, device files can be changed, since Loom runs as root"`,
  );
  expect(describeBubblewrap({ ...whole, user: null, shelter: "none" })).toBe("bubblewrap 0.8.0");
});

it("the filter of system calls is made for the machines whose numbers are known", () => {
  for (const architecture of ["x64", "arm64"])
    expect(systemCallFilter(architecture)?.length).toBeGreaterThan(300);
  expect(systemCallFilter("riscv64")).toBeNull();
});

it("the words for a container close it as well", () => {
  const words = containerArguments({
    engine: "podman",
    name: "loom-1",
    image: "node:22",
    user: { uid: 1000, gid: 1001 },
    limits: WIDE,
    mounts: MOUNTS,
    scratchBytes: 1024,
    cwd: "/work/tree",
    environmentFile: "/sandboxes/r1/e",
    variables: ["LONG"],
  });
  expect(words.join(" ").replaceAll(" --", "\n--")).toMatchInlineSnapshot(`
    "run
    --rm -i
    --name loom-1
    --hostname loom
    --network none
    --read-only
    --cap-drop ALL
    --security-opt no-new-privileges
    --pids-limit 2048
    --memory 4294967296
    --memory-swap 4294967296
    --ulimit core=0
    --ulimit fsize=2147483648
    --shm-size 1024
    --user 1000:1001
    --userns keep-id
    --init
    --pull never
    --entrypoint 
    --tmpfs /tmp:rw,nosuid,nodev,exec,size=1024,mode=1777
    --tmpfs /var/tmp:rw,nosuid,nodev,exec,size=1024,mode=1777
    --tmpfs /run:rw,nosuid,nodev,exec,size=1024,mode=1777
    --mount type=bind,source=/work/tree,target=/work/tree
    --mount type=bind,"source=/work/tree/docs, old","target=/work/tree/docs, old",readonly
    --mount type=tmpfs,target=/work/tree/secret,tmpfs-size=65536
    --env-file /sandboxes/r1/e
    --env LONG
    --workdir /work/tree node:22"
  `);
});

it("mounts come from the outside in", () => {
  const group = (root: string) => ({ root, mounts: [{ kind: "hidden" as const, at: root }] });
  expect(inOrder([group("/a/b/c"), group("/a"), group("/x/y")]).map(({ at }) => at)).toEqual([
    "/a",
    "/x/y",
    "/a/b/c",
  ]);
});

describe("the settings of git that a sandbox sees", () => {
  it("are those without which the repository can't be read", () => {
    const text = `[core]
	repositoryformatversion = 1
	fileMode = true
	fsmonitor = /bin/evil
	sshCommand = ssh -i key
	hooksPath = x
[extensions]
	objectFormat = sha256
[remote "origin"]
	url = https://me:secret@example.org/x.git
	bare = true
[core "x"]
	bare = true
[include]
	path = other
[http] extraHeader = "AUTHORIZATION: basic secret"
[core] ignorecase = false
`;
    expect(sanitizeGitConfig(text)).toBe(
      "[core]\n\trepositoryformatversion = 1\n\tfileMode = true\n[extensions]\n\tobjectFormat = sha256\n[core]\n\tignorecase = false\n",
    );
  });
});

describe("a command line", () => {
  it.each([
    ["a b  c", ["a", "b", "c"]],
    ["a 'b c' \"d e\"", ["a", "b c", "d e"]],
    ['a\\ b "x\\"y" \'x\\y\'', ["a b", 'x"y', "x\\y"]],
    ["'' x''y", ["", "xy"]],
    ["$HOME *.txt; ls", ["$HOME", "*.txt;", "ls"]],
    ["  ", []],
    ["'half", null],
  ])("is split as a shell would: %s", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });
});

describe("programs of the machine", () => {
  it("are shown from the folders of PATH, but no home and nothing that holds one", () => {
    const { paths, searchPath } = findShownPrograms(
      { PATH: "/:.:/usr/bin:/etc/ssl:/nowhere:/etc:/var", HOME: "/etc/home" },
      { folder: "/var/lib/loom", cwd: "/srv" },
    );
    expect(paths).toContain("/etc/ssl");
    for (const path of ["/", "/etc", "/var", "/nowhere", "."]) expect(paths).not.toContain(path);
    expect(searchPath.slice(0, 2)).toEqual(["/usr/bin", "/etc/ssl"]);
  });

  it("are the only ones that toolchain variables may name", () => {
    const env = {
      PATH: "/usr/bin",
      HOME: "/home/me",
      JAVA_HOME: "/usr/lib/jvm",
      GOROOT: "/home/me/go",
      TZ: "UTC",
    };
    const clean = cleanEnvironment({
      env,
      programs: findShownPrograms(env, { folder: "/nowhere", cwd: "/srv" }),
      home: "/h",
      tmp: "/t",
      hasRelay: false,
    });
    expect(clean).toMatchObject({ JAVA_HOME: "/usr/lib/jvm", TZ: "UTC", HOME: "/h" });
    expect(clean).not.toHaveProperty("GOROOT");
    expect(clean).not.toHaveProperty("HTTP_PROXY");
  });
});
