import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sandbox } from "../../../../../src/ports/sandbox.ts";
import { ensureProgram } from "../../../../setup/ensure-program.ts";
import { isAlive, until } from "../../../../support/living-processes.ts";
import {
  createSandboxWorld,
  type Ended,
  finish,
  type SandboxWorld,
  start,
  untilLine,
} from "../sandbox-world.ts";

let world: SandboxWorld;

beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
beforeEach(() => {
  world = createSandboxWorld({ LOOM_SANDBOX: "bubblewrap", SECRET_TOKEN: "sentinel-4711" });
});
afterEach(() => world.dispose());

function sh(sandbox: Sandbox, script: string, env: Record<string, string> = {}): Promise<Ended> {
  return finish(start(sandbox, ["sh", "-c", script], world.tree, env));
}

describe("what can be seen", () => {
  it("holds no secret of Loom's environment, in no process and no file", async () => {
    process.env.LOOM_TEST_SENTINEL = "sentinel-4711";
    try {
      const sandbox = await world.open();
      const { out } = await sh(
        sandbox,
        `cat /proc/*/environ | tr '\\0' '\\n'; echo ---; grep -rlsF sentinel-4"711" /proc/[0-9]*/environ /etc /tmp /run /var "$HOME" "$TMPDIR" . ; env | grep -c sentinel`,
      );
      expect(out.split("---")[1]).toBe("\n0\n");
      expect(out).not.toContain("SECRET_TOKEN");
    } finally {
      delete process.env.LOOM_TEST_SENTINEL;
    }
  });

  it("has an environment of few names", async () => {
    const sandbox = await world.open();
    const { out } = await sh(sandbox, "env | sed 's/=.*//' | sort", { EXTRA: "1" });
    expect(out.trim().split("\n")).toEqual([
      "CI",
      "EXTRA",
      "GIT_CONFIG_NOSYSTEM",
      "GIT_TERMINAL_PROMPT",
      "HOME",
      "HTTPS_PROXY",
      "HTTP_PROXY",
      "LANG",
      "LOGNAME",
      "LOOM_GATEWAY",
      "LOOM_MARKER",
      "LOOM_OWNER",
      "NO_PROXY",
      "PATH",
      "PWD",
      "SHELL",
      "TERM",
      "TMPDIR",
      "USER",
      "http_proxy",
      "https_proxy",
      "no_proxy",
    ]);
  });

  it("lets in what the operator names", async () => {
    const own = createSandboxWorld({
      LOOM_SANDBOX: "bubblewrap",
      LOOM_PASS_ENV: "ONE, TWO,NONE",
      ONE: "1",
      TWO: "a b",
    });
    try {
      const sandbox = await own.open();
      expect(sandbox.env).toMatchObject({ ONE: "1", TWO: "a b" });
      expect(sandbox.env.NONE).toBeUndefined();
    } finally {
      await own.dispose();
    }
  });

  it("hides the person's home, the accounts and the keys of the machine", async () => {
    const file = join(homedir(), `.loom-test-${process.pid}`);
    writeFileSync(file, "mine");
    try {
      const sandbox = await world.open();
      const { out, exit } = await sh(
        sandbox,
        `cat ${file} /etc/shadow /etc/sudoers /etc/ssh/* /etc/ssl/private/* 2>/dev/null; ls /root /home 2>/dev/null; id -un; echo $HOME`,
      );
      expect(exit).toEqual({ kind: "exited", code: 0 });
      expect(out).not.toContain("mine");
      expect(out).toContain(`loom\n${sandbox.home}`);
    } finally {
      execFileSync("rm", [file]);
    }
  });

  it("has the programs of the machine, and Loom's own node", async () => {
    const sandbox = await world.open();
    const { out, exit } = await sh(
      sandbox,
      "node --version && git --version && ls /usr/bin >/dev/null && echo fine",
    );
    expect(exit).toEqual({ kind: "exited", code: 0 });
    expect(out).toContain(process.version);
  });

  it("shows what the isolation name, read-only", async () => {
    const extra = join(world.root, "extra");
    world.write(join(extra, "tool"), "a tool");
    const sandbox = await world.open({ shows: [extra, join(world.root, "missing")] });
    const { out, err } = await sh(sandbox, `cat ${extra}/tool; touch ${extra}/x; ls ${world.root}`);
    expect(out).toContain("a tool");
    expect(err).toContain("Read-only file system");
    expect(out.split("a tool")[1]?.trim().split("\n")).toEqual(["extra", "sandboxes", "tree"]);
  });
});

describe("what can be changed", () => {
  it("is the tree, the home and the temporary folder, and nothing else", async () => {
    const sandbox = await world.open();
    const places = [
      "/x",
      "/usr/x",
      "/etc/x",
      "/opt/x",
      "/dev/x",
      "/var/x",
      "/home/x",
      `${sandbox.home}/../c/x`,
    ];
    // The parents of the tree are the sandbox's own memory here, since the test's folder lies in /tmp.
    const outside = [`${world.root}/x`, `${world.folder}/x`, "../x"];
    const { out } = await sh(
      sandbox,
      `for p in ${places.join(" ")}; do (echo x > $p) 2>/dev/null && echo "wrote $p"; done
       for p in ${outside.join(" ")}; do echo x > $p; done
       for p in ./x "$HOME/x" "$TMPDIR/x" /tmp/x /var/tmp/x /dev/shm/x; do echo x > "$p" || echo "failed $p"; done; echo done`,
    );
    expect(out).toBe("done\n");
    expect(readFileSync(join(world.tree, "x"), "utf8")).toBe("x\n");
    expect(readFileSync(join(sandbox.home, "x"), "utf8")).toBe("x\n");
    expect(readFileSync(join(sandbox.tmp, "x"), "utf8")).toBe("x\n");
    expect(existsSync(join(world.root, "x"))).toBe(false);
    expect(existsSync(join(world.folder, "x"))).toBe(false);
  });

  it("is not what a link leads to, nor what another process would show", async () => {
    const outside = join(world.root, "outside");
    world.write(outside, "untouched");
    symlinkSync(outside, join(world.tree, "link"));
    symlinkSync(world.root, join(world.tree, "up"));
    const sandbox = await world.open();
    const { out } = await sh(
      sandbox,
      `cat link up/outside /proc/*/root${outside} /proc/*/cwd/../outside 2>/dev/null
       echo bad > link; echo bad > up/outside2; ln ${outside} hard; for r in /proc/[0-9]*/root; do echo bad > $r/bad; done; echo done`,
    );
    expect(out).toBe("done\n");
    expect(readFileSync(outside, "utf8")).toBe("untouched");
    expect(readdirSync(world.root).sort()).toEqual(["outside", "sandboxes", "tree"]);
  });

  it("is nothing of the kernel, although root opened the sandbox", async () => {
    const sandbox = await world.open();
    const { out } = await sh(
      sandbox,
      `find /proc -path '/proc/[0-9]*' -prune -o -path /proc/pressure -prune -o -type f -writable -print 2>/dev/null
       echo x > /proc/sys/kernel/hostname; grep -E '^Cap(Eff|Bnd)' /proc/self/status; grep NoNewPrivs /proc/self/status; unshare -Ur true; echo $?`,
    );
    expect(out).toBe("CapEff:\t0000000000000000\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\n1\n");
  });

  it("is nothing of the tree when it can be read only, exceptions apart", async () => {
    world.write(join(world.tree, "a.txt"), "a");
    world.write(join(world.tree, "out/b.txt"), "b");
    const sandbox = await world.open({ treeAccess: "read", writable: ["doc/notes/**", "out/*.txt"] });
    const { out } = await sh(
      sandbox,
      `for p in a.txt new.txt out/new.txt doc/x; do (echo x > $p) 2>/dev/null && echo "wrote $p"; done
       echo note > doc/notes/n.md && echo x > out/b.txt && cat a.txt`,
    );
    expect(out).toBe("a");
    expect(readFileSync(join(world.tree, "doc/notes/n.md"), "utf8")).toBe("note\n");
    expect(readFileSync(join(world.tree, "out/b.txt"), "utf8")).toBe("x\n");
  });
});

describe("rules for parts of the tree", () => {
  it("hides files and whole folders, and protects others", async () => {
    for (const path of [
      ".env",
      "keys/a/secret.pem",
      "src/.env",
      "docs/a.md",
      "docs/open/b.md",
      "plain.txt",
    ]) {
      world.write(join(world.tree, path), `text of ${path}`);
    }
    const sandbox = await world.open({
      hidden: ["**/.env", ".env", "keys/**"],
      readOnly: ["docs/"],
      writable: ["docs/open/**"],
    });
    const { out } = await sh(
      sandbox,
      `cat .env src/.env keys/a/secret.pem 2>/dev/null; ls -A keys
       for p in .env keys/x docs/a.md docs/new; do (echo x > $p) 2>/dev/null && echo "wrote $p"; done
       rm -f .env docs/a.md 2>/dev/null; mv keys other 2>/dev/null
       echo x > docs/open/b.md && echo x > plain.txt; cat docs/a.md`,
    );
    expect(out).toBe("text of docs/a.md");
    expect(readFileSync(join(world.tree, ".env"), "utf8")).toBe("text of .env");
    expect(readFileSync(join(world.tree, "docs/open/b.md"), "utf8")).toBe("x\n");
  });

  it("does not follow a link that takes the place of a protected folder", async () => {
    const secret = join(world.root, "secret");
    world.write(join(secret, "a.md"), "secret");
    world.write(join(world.tree, "docs/a.md"), "doc");
    symlinkSync(secret, join(world.tree, "linked"));
    const sandbox = await world.open({ readOnly: ["docs/api/**", "linked/**"], writable: ["linked/**"] });
    await sh(sandbox, `mv docs old && ln -s ${secret} docs`);
    const { out } = await sh(sandbox, "cat docs/a.md linked/a.md 2>/dev/null; echo done");
    expect(out).toBe("done\n");
  });

  it("says so when a rule matches more files than can be protected one by one", async () => {
    for (let n = 0; n <= 1000; n += 1) writeFileSync(join(world.tree, `f${n}.txt`), "");
    await expect(world.open({ hidden: ["*.txt"] })).rejects.toMatchObject({
      message: "More than 1000 files match the sandbox rule `*.txt`.",
      next: "Name the folder they are in, such as `folder/**`.",
    });
    expect(readdirSync(world.folder)).toEqual([]);
  });
});

describe("git", () => {
  beforeEach(() => {
    world.makeRepository({ "a.txt": "one\n" });
    const config = join(world.repository, ".git/config");
    writeFileSync(
      config,
      `${readFileSync(config, "utf8")}[remote "origin"]\n\turl = https://me:hunter2@example.org/x.git\n[http]\n\textraHeader = hunter2\n`,
    );
    world.write(join(world.repository, ".git/loom/ledger"), "hunter2");
    world.write(join(world.repository, ".git/hooks/pre-commit"), "hunter2");
  });

  it("can be asked about the tree, and can't change the repository", async () => {
    const sandbox = await world.open();
    const { out, err } = await sh(
      sandbox,
      `echo two > a.txt; git status --short; git diff --stat; git log --format=%s; git branch --list main
       git add -A; git -c user.name=a -c user.email=b commit -qam no; echo "exit $?"; git worktree list | wc -l`,
    );
    expect(out).toContain(" M a.txt\n a.txt | 2 +-");
    expect(out).toContain("Begin\n+ main\nexit 128\n");
    expect(err).toContain("Read-only file system");
    const log = execFileSync("git", ["log", "--format=%s", "--all"], { cwd: world.repository });
    expect(log.toString()).toBe("Begin\n");
  });

  it("hides remotes, settings, hooks and Loom's own files", async () => {
    const sandbox = await world.open();
    const { out } = await sh(
      sandbox,
      `grep -rsF hunter2 ${world.repository} . ; git remote -v; git config --list --local; ls -A ${world.repository} ${world.repository}/.git`,
    );
    expect(out).not.toContain("hunter2");
    expect(out.replaceAll(world.root, "")).toMatchInlineSnapshot(`
      "core.repositoryformatversion=0
      core.filemode=true
      core.bare=false
      /repository:
      .git

      /repository/.git:
      HEAD
      config
      info
      objects
      refs
      worktrees
      "
    `);
  });

  it("stays hidden when the settings are replaced outside while a program runs", async () => {
    const sandbox = await world.open();
    const running = start(
      sandbox,
      [
        "sh",
        "-c",
        `echo up; until [ -e go ]; do sleep 0.01; done; cat ${world.repository}/.git/config; ls ${world.repository}/.git`,
      ],
      world.tree,
    );
    await untilLine(running, "up");
    execFileSync("git", ["config", "remote.origin.pushurl", "https://me:hunter2@example.org/y.git"], {
      cwd: world.repository,
    });
    execFileSync("rm", ["-r", join(world.repository, ".git/hooks")]);
    writeFileSync(join(world.tree, "go"), "");
    const { out } = await finish(running);
    expect(out).not.toContain("hunter2");
    expect(out).not.toContain("loom");
  });

  it("is not shown when the tree points at a repository that does not know it", async () => {
    const pointer = join(world.tree, ".git");
    const metadata = readFileSync(pointer, "utf8").slice("gitdir: ".length).trim();
    writeFileSync(join(metadata, "gitdir"), "/somewhere/else/.git\n");
    const sandbox = await world.open();
    const { out, err } = await sh(
      sandbox,
      `git log; ls ${world.repository}; echo x > .git; rm .git; echo done`,
    );
    expect(out).toBe("done\n");
    expect(err).toContain("not a git repository");
  });

  it("works in a tree that is a whole repository", async () => {
    const sandbox = await world.open({ tree: world.repository });
    const { out } = await finish(
      start(
        sandbox,
        [
          "sh",
          "-c",
          "git log --format=%s; git status --short; cat .git/config; git commit -qm x --allow-empty; echo $?",
        ],
        world.repository,
      ),
    );
    expect(out).toContain("Begin\n[core]");
    expect(out).not.toContain("hunter2");
    expect(out).toMatch(/128\n$/);
  });
});

describe("the network", () => {
  it("is closed, and who was asked for is named", async () => {
    const denied: unknown[] = [];
    const sandbox = await world.open({ onTraffic: (traffic) => denied.push(traffic) });
    const { out } = await sh(
      sandbox,
      `ls /sys/class/net 2>/dev/null; cat /proc/net/dev | grep -c :
       node -e 'require("http").get({host:"127.0.0.1",port:3128,path:"http://example.org/"},r=>{console.log(r.statusCode);r.resume()})'
       node -e 'require("net").connect(53,"1.1.1.1").on("error",e=>console.log(e.code))'`,
    );
    expect(out).toBe("1\n403\nENETUNREACH\n");
    expect(sandbox.denied()).toEqual(["example.org"]);
    expect(denied).toEqual([{ kind: "denied", host: "example.org" }]);
  });

  it("leads to the model by the endpoint alone", async () => {
    const asked: unknown[] = [];
    const model = createServer((request, response) => {
      asked.push(request.url, request.headers["x-api-key"]);
      response.end("an answer");
    });
    await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
    const { port } = model.address() as { port: number };
    try {
      const sandbox = await world.open({
        model: {
          upstream: `http://127.0.0.1:${port}`,
          placeholder: "place-holder-key",
          key: "real-key",
          api: [{ method: "GET", path: /^\/v1\/x$/, keyIn: ["x-api-key"], query: [], body: null }],
        },
      });
      const { out } = await sh(
        sandbox,
        `node -e 'fetch("${sandbox.modelUrl}/v1/x",{headers:{"x-api-key":"place-holder-key"}}).then(r=>r.text()).then(console.log)'`,
      );
      expect(out).toBe("an answer\n");
      expect(asked).toEqual(["/v1/x", "real-key"]);
    } finally {
      model.close();
    }
  });

  it("has a guard that asks the judge", async () => {
    const sandbox = await world.open({
      judge: ({ command }) =>
        command?.includes("rm") ? { kind: "deny", reason: "no deleting" } : { kind: "allow" },
    });
    const guard = sandbox.guard?.join(" ");
    const { out, err } = await sh(
      sandbox,
      `echo '{"tool":"Bash","command":"ls"}' | ${guard}; echo $?; echo '{"tool":"Bash","command":"rm x"}' | ${guard}; echo $?; PATH=${sandbox.shells}:$PATH; sh -c 'rm x'; echo $?`,
    );
    expect(out).toBe("0\n2\n126\n");
    expect(err).toContain("no deleting");
  });
});

describe("the end of a program", () => {
  it.each([
    ["exit 0", { kind: "exited", code: 0 }],
    ["exit 1", { kind: "exited", code: 1 }],
    ["exit 137", { kind: "exited", code: 137 }],
    ["kill -9 $$", { kind: "signalled", signal: "SIGKILL" }],
    ["kill -TERM $$", { kind: "signalled", signal: "SIGTERM" }],
  ])("is told as it was: %s", async (script, exit) => {
    const sandbox = await world.open();
    expect((await sh(sandbox, script)).exit).toEqual(exit);
  });

  it("is told when it never began", async () => {
    const sandbox = await world.open();
    expect((await finish(start(sandbox, ["no-such-program"], world.tree))).exit).toEqual({
      kind: "not-started",
      reason: "no-such-program was not found",
    });
    expect((await finish(start(sandbox, ["true"], join(world.tree, "no")))).exit).toEqual({
      kind: "not-started",
      reason: `the folder ${world.tree}/no was not found`,
    });
    expect((await finish(start(sandbox, ["true"], world.repository))).exit).toMatchObject({
      kind: "not-started",
    });
    mkdirSync(world.repository);
    expect((await finish(start(sandbox, ["true"], world.repository))).exit).toEqual({
      kind: "not-started",
      reason: `bwrap: Can't chdir to ${world.repository}: No such file or directory`,
    });
  });

  it("takes along what left for a session of its own and lost its parent", async () => {
    const sandbox = await world.open();
    const name = `${Date.now()}.5`;
    const { exit } = await sh(
      sandbox,
      `setsid sleep ${name} & (setsid env -i sh -c "trap '' TERM HUP; sleep ${name}" &) ; exit 0`,
    );
    expect(exit).toEqual({ kind: "exited", code: 0 });
    expect(livingCommands(name)).toEqual([]);
  });

  it("leaves nobody when the isolation is killed", async () => {
    const sandbox = await world.open();
    const name = `${Date.now()}.6`;
    const running = start(
      sandbox,
      ["sh", "-c", `setsid env -i sleep ${name} & echo up; sleep ${name}`],
      world.tree,
    );
    await untilLine(running, "up");
    process.kill(running.pid ?? 0, "SIGKILL");
    expect(await running.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
    await until(() => livingCommands(name).length === 0, "all are gone");
  });

  it("comes kindly: the program hears of it once and has its time", async () => {
    const sandbox = await world.open();
    const running = start(
      sandbox,
      [
        "sh",
        "-c",
        "trap 'echo asked; sleep 0.3; echo over; exit 7' TERM; echo up; while :; do sleep 0.05; done",
      ],
      world.tree,
    );
    await untilLine(running, "up");
    await running.stop(5000);
    expect(await finish(running)).toMatchObject({ exit: { kind: "exited", code: 7 }, out: "asked\nover\n" });
  });

  it("comes at once when the time is over", async () => {
    const sandbox = await world.open();
    const name = `${Date.now()}.7`;
    const running = start(
      sandbox,
      ["sh", "-c", `trap '' TERM; setsid sleep ${name} & echo up; while :; do sleep 0.05; done`],
      world.tree,
    );
    await untilLine(running, "up");
    await running.stop(100);
    expect(await running.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
    expect(livingCommands(name)).toEqual([]);
  });

  it("comes with the end of the sandbox, which leaves no file", async () => {
    const sandbox = await world.open();
    const running = start(
      sandbox,
      ["sh", "-c", "mkdir -p $HOME/a/b; touch $HOME/a/b/c; chmod 0 $HOME/a/b; echo up; sleep 1000"],
      world.tree,
    );
    await untilLine(running, "up");
    await sandbox.close();
    expect(await running.exit).toMatchObject({ kind: "signalled" });
    expect(isAlive(running.pid ?? 0)).toBe(false);
    expect(readdirSync(world.folder)).toEqual([]);
  });
});

describe("several", () => {
  it("programs of one sandbox share tree, home and temporary folder", async () => {
    const sandbox = await world.open();
    await sh(sandbox, "echo 1 > $HOME/a; echo 2 > $TMPDIR/b");
    expect((await sh(sandbox, "cat $HOME/a $TMPDIR/b")).out).toBe("1\n2\n");
  });

  it("sandboxes can share a home one after the other", async () => {
    const home = join(world.root, "kept");
    const first = await world.open({ home });
    await sh(first, "echo kept > $HOME/note");
    await first.close();
    const second = await world.open({ home });
    expect((await sh(second, "cat $HOME/note")).out).toBe("kept\n");
    await second.close();
    expect(readFileSync(join(home, "note"), "utf8")).toBe("kept\n");
  });

  it("sandboxes run side by side and don't see each other", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const tree = join(world.root, `tree-${n}`);
        mkdirSync(tree);
        const sandbox = await world.open({ tree });
        const { out } = await finish(
          start(
            sandbox,
            [
              "sh",
              "-c",
              `echo ${n} > mine; cat mine; ls ${world.root} | grep -c tree; ls /proc | grep -c '^[0-9]'`,
            ],
            tree,
          ),
        );
        await sandbox.close();
        return out;
      }),
    );
    for (const [n, out] of results.entries()) expect(out).toMatch(new RegExp(`^${n}\\n1\\n[3-7]\\n$`));
  });

  it("links of one file don't lead out of what is protected", async () => {
    world.write(join(world.tree, "docs/a.md"), "doc");
    linkSync(join(world.tree, "docs/a.md"), join(world.root, "other-name"));
    const sandbox = await world.open({ readOnly: ["docs/**"] });
    const { err } = await sh(sandbox, "ln docs/a.md copy && echo bad > copy");
    expect(err).toContain("ln: ");
    expect(readFileSync(join(world.tree, "docs/a.md"), "utf8")).toBe("doc");
  });

  it("take standard input and long command lines", async () => {
    const sandbox = await world.open();
    const running = sandbox.spawn({ argv: ["cat"], cwd: world.tree, env: {}, stdin: "hello" });
    expect((await finish(running)).out).toBe("hello");
    const long = "x".repeat(100_000);
    expect(
      (await finish(start(sandbox, ["sh", "-c", "printf %s $1 | wc -c", "sh", long], world.tree))).out,
    ).toBe("100000\n");
  });
});

function livingCommands(part: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && isAlive(Number(name)))
    .map((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(part));
}
