import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { explainBubblewrapFailure } from "../../../../src/adapters/sandbox/provider/bubblewrap/try-bubblewrap.ts";
import { chooseSandboxProvider } from "../../../../src/adapters/sandbox/provider/choose-sandbox-provider.ts";
import type { UserError } from "../../../../src/core/errors.ts";
import { ensureProgram } from "../../../setup/ensure-program.ts";
import { createSandboxWorld, finish, type SandboxWorld, start } from "./sandbox-world.ts";

let world: SandboxWorld;

beforeAll(() => ensureProgram("bwrap", "bubblewrap"));
afterEach(() => world.dispose());

async function refusal(env: Record<string, string | undefined>): Promise<string> {
  world = createSandboxWorld(env);
  const error = (await world.sandboxes().catch((caught) => caught)) as UserError;
  return `${error.message}\n→ ${error.next} (exit ${error.exitCode})`;
}

describe("the choice", () => {
  it("is bubblewrap where it works, without a word of warning", async () => {
    world = createSandboxWorld();
    const { kind, report } = await world.sandboxes();
    expect(kind).toBe("bubblewrap");
    expect(report).toEqual({ detail: expect.stringMatching(/^bubblewrap \d/), warning: null, next: null });
  });

  it("is no sandbox, said loudly, when nobody asked for one and none works", async () => {
    world = createSandboxWorld();
    const broken = join(world.root, "bin");
    mkdirSync(broken);
    program(join(broken, "bwrap"), 'echo "bwrap: No permissions to create new namespace" >&2; exit 1');
    const sandboxes = await chooseSandboxProvider({ ...world.options, env: { PATH: broken } });
    expect(sandboxes.kind).toBe("off");
    const { detail, warning, next } = sandboxes.report;
    // What is to be done depends on the machine.
    expect(next).toMatch(/sysctl/);
    expect([detail, warning]).toMatchInlineSnapshot(`
      [
        "off: bubblewrap can't build a sandbox here: No permissions to create new namespace",
        "No sandbox: agents and checks run with your rights and can read your files and use your network. bubblewrap can't build a sandbox here: No permissions to create new namespace",
      ]
    `);
  });

  it("is no sandbox when it was switched off, said loudly all the same", async () => {
    world = createSandboxWorld({ LOOM_SANDBOX: "off" });
    expect((await world.sandboxes()).report).toMatchInlineSnapshot(`
      {
        "detail": "off (LOOM_SANDBOX=off)",
        "next": "Set LOOM_SANDBOX=auto to have one.",
        "warning": "No sandbox: agents and checks run with your rights and can read your files and use your network.",
      }
    `);
  });

  it("is refused when it is unknown, doubled or incomplete", async () => {
    const problems: string[] = [];
    for (const env of [
      { LOOM_SANDBOX: "docker" },
      { LOOM_SANDBOX: "off", LOOM_SANDBOX_CMD: "firejail" },
      { LOOM_SANDBOX_CMD: "no-such-wrapper --quiet" },
      { LOOM_SANDBOX_CMD: "wrapper 'half" },
      { LOOM_SANDBOX: "container" },
      { LOOM_SANDBOX: "bubblewrap", LOOM_SANDBOX_SHOW: "/no/such/folder" },
      { LOOM_SANDBOX: "bubblewrap", LOOM_SANDBOX_SHOW: "/" },
    ]) {
      problems.push(await refusal(env));
      await world.dispose();
    }
    expect(problems.join("\n")).toMatchInlineSnapshot(`
      "LOOM_SANDBOX is "docker", which Loom does not know.
      → Set it to one of: auto, bubblewrap, container, off. (exit 2)
      Both LOOM_SANDBOX=off and LOOM_SANDBOX_CMD are set.
      → Unset one of them: LOOM_SANDBOX_CMD brings its own sandbox. (exit 2)
      LOOM_SANDBOX_CMD names no-such-wrapper, which was not found on PATH.
      → Install it, or write its whole path. (exit 2)
      LOOM_SANDBOX_CMD has a quote that is never closed.
      → Close the quote. (exit 2)
      LOOM_SANDBOX=container needs the name of an image.
      → Set LOOM_SANDBOX_IMAGE to an image that has Node and git, such as LOOM_SANDBOX_IMAGE=node:22. (exit 2)
      LOOM_SANDBOX_SHOW names /no/such/folder, which was not found.
      → LOOM_SANDBOX_SHOW takes absolute paths, with colons between them. (exit 2)
      LOOM_SANDBOX_SHOW names /, which would show everything.
      → LOOM_SANDBOX_SHOW takes absolute paths, with colons between them. (exit 2)"
    `);
  });

  it("is explained by what bubblewrap says", () => {
    const words = [
      "bwrap: No permissions to create new namespace, likely because the kernel does not allow it",
      "bwrap: setting up uid map: Permission denied",
      "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted",
      "bwrap: something new",
    ].map((said) => explainBubblewrapFailure(said, false));
    const inside = explainBubblewrapFailure(
      "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
      true,
    );
    expect(
      [...words, inside].map(({ reason, next }) => `${reason}\n→ ${next}`).join("\n"),
    ).toMatchInlineSnapshot(`
      "bubblewrap can't build a sandbox here: No permissions to create new namespace, likely because the kernel does not allow it
      → User namespaces are switched off. Switch them on: sudo sysctl kernel.unprivileged_userns_clone=1 (Debian), sudo sysctl user.max_user_namespaces=15000 (others)
      bubblewrap can't build a sandbox here: setting up uid map: Permission denied
      → AppArmor keeps bubblewrap from using user namespaces (Ubuntu 23.10 and later). Load a profile for bwrap that has \`userns,\`, or: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0
      bubblewrap can't build a sandbox here: loopback: Failed RTM_NEWADDR: Operation not permitted
      → AppArmor keeps bubblewrap from using user namespaces (Ubuntu 23.10 and later). Load a profile for bwrap that has \`userns,\`, or: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0
      bubblewrap can't build a sandbox here: something new
      → Try: bwrap --unshare-all --ro-bind / / --proc /proc --dev /dev true
      bubblewrap can't build a sandbox here: Can't mount proc on /newroot/proc: Operation not permitted
      → Start Loom's container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined; on Ubuntu 23.10 and later the machine also needs sysctl kernel.apparmor_restrict_unprivileged_userns=0"
    `);
  });
});

describe("a sandbox without isolation", () => {
  beforeEach(() => {
    world = createSandboxWorld({ LOOM_SANDBOX: "off", GIT_DIR: "/x", LOOM_KEY: "secret", MY_SETTING: "1" });
  });

  it("has the operator's environment, git and Loom settings apart", async () => {
    const sandbox = await world.open();
    const { out, exit } = await finish(start(sandbox, ["sh", "-c", "env | cut -d= -f1 | sort"], world.tree));
    expect(exit).toEqual({ kind: "exited", code: 0 });
    expect(out.split("\n")).toContain("MY_SETTING");
    expect(out).not.toMatch(/GIT_DIR|LOOM_KEY|LOOM_GATEWAY|PROXY/i);
    expect(sandbox).toMatchObject({ modelUrl: null, guard: null, shells: null });
    expect(sandbox.env.HOME).toBe(process.env.HOME);
  });

  it("has an endpoint to the model and a judge on loopback, and takes its files along", async () => {
    const sandbox = await world.open({
      model: { upstream: "http://127.0.0.1:1", placeholder: "placeholder", key: "real-key", api: [] },
      judge: ({ command }) => (command === "ls" ? { kind: "allow" } : { kind: "deny", reason: "not that" }),
    });
    expect(sandbox.modelUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]+\/\.loom\/model$/);
    const guard = sandbox.guard?.join(" ");
    const script = `echo '{"tool":"sh","command":"ls"}' | ${guard}; echo $?; echo '{"tool":"sh","command":"rm"}' | ${guard}; echo $?`;
    expect((await finish(start(sandbox, ["sh", "-c", script], world.tree))).out).toBe("0\n2\n");
    await sandbox.close();
    expect(existsSync(sandbox.tmp)).toBe(false);
    expect(() => start(sandbox, ["true"], world.tree)).toThrow("the sandbox is closed");
  });
});

describe("a sandbox of the operator's wrapper", () => {
  it("starts programs behind its words, tells where things are, and keeps secrets out", async () => {
    world = createSandboxWorld({ SECRET_TOKEN: "sentinel", LOOM_SANDBOX_CMD: "./wrap 'two words' --" });
    mkdirSync(world.repository);
    program(
      join(world.repository, "wrap"),
      'echo "[$1] $LOOM_SANDBOX_TREE $LOOM_SANDBOX_HOME $LOOM_SANDBOX_TMP $LOOM_SANDBOX_SOCKET" >&2; shift 2; exec "$@"',
    );
    const sandboxes = await world.sandboxes();
    expect(sandboxes.kind).toBe("wrapper");
    expect(sandboxes.report.detail.replace(world.root, "")).toBe(
      "/repository/wrap two words -- (LOOM_SANDBOX_CMD)",
    );
    const sandbox = await world.open({ judge: () => ({ kind: "allow" }) });
    const { out, err, exit } = await finish(start(sandbox, ["sh", "-c", "env; exit 3"], world.tree));
    expect(exit).toEqual({ kind: "exited", code: 3 });
    expect(err).toMatch(
      new RegExp(`^\\[two words\\] ${world.tree} ${sandbox.home} ${sandbox.tmp} 127.0.0.1:\\d+\n$`),
    );
    expect(out).not.toContain("sentinel");
    expect(out).toContain(`HOME=${sandbox.home}\n`);
  });
});

describe("a wrapper that lies in the repository", () => {
  it.each([
    "./wrap.sh",
    "sh wrap.sh",
    "sh tools/wrap.sh",
    "sh -c 'exec sh wrap.sh \"$@\"' sh",
    "sh -ewrap.sh",
    "env --profile=wrap.sh",
    "env --profile=./not-yet.sh",
    "env PATH=/usr/bin:tools",
    "env --profile ../repository/wrap.sh",
    "env gone",
  ])("is refused, however it is named: %s", async (command) => {
    world = createSandboxWorld({ LOOM_SANDBOX_CMD: command });
    repositoryWith(world.repository);
    const error = (await world.sandboxes().catch((caught) => caught)) as UserError;
    expect(error.message).toMatch(/^LOOM_SANDBOX_CMD names .*, which lies in the repository\.$/);
    expect(error.next).toBe(
      "Agents could change it there. Move it to a folder outside of the repository, or put the command into a script there.",
    );
    expect(error.exitCode).toBe(2);
  });

  it("is refused from a folder below, too, where its name is meant from the top", async () => {
    world = createSandboxWorld({ LOOM_SANDBOX_CMD: "sh wrap.sh" });
    repositoryWith(world.repository);
    const cwd = join(world.repository, "tools");
    await expect(chooseSandboxProvider({ ...world.options, cwd })).rejects.toThrow(
      "which lies in the repository",
    );
  });

  it.each(["env", "env -i --unset=HOME", "env A=node:22 ghcr.io/some/image"])(
    "is told apart from one that is not: %s",
    async (command) => {
      world = createSandboxWorld({ LOOM_SANDBOX_CMD: command });
      repositoryWith(world.repository);
      mkdirSync(join(world.repository, "env"));
      expect((await world.sandboxes()).kind).toBe("wrapper");
    },
  );

  function repositoryWith(root: string): void {
    mkdirSync(join(root, ".git"), { recursive: true });
    mkdirSync(join(root, "tools"));
    program(join(root, "wrap.sh"), 'exec "$@"');
    program(join(root, "tools/wrap.sh"), 'exec "$@"');
    symlinkSync("/no/such/file", join(root, "gone"));
  }
});

describe("a sandbox in a container", () => {
  /** Behaves as an engine that runs on this machine itself: what stands behind the image is started. */
  const ENGINE = `echo "$@" >> "$0.log"
while [ $# -gt 0 ]; do
  case $1 in --env-file) set -a; . "$2"; set +a ;; --workdir) cd "$2" ;; some-image) shift; break ;; rm) exit 0 ;; esac
  shift
done
exec "$@"`;

  beforeEach(() => {
    world = createSandboxWorld({
      LOOM_SANDBOX: "container",
      LOOM_SANDBOX_IMAGE: "some-image",
      SECRET_TOKEN: "sentinel",
    });
    const bin = join(world.root, "bin");
    mkdirSync(bin);
    program(join(bin, "docker"), ENGINE);
    symlinkSync(process.execPath, join(bin, "node"));
    Object.assign(world.options.env, { PATH: `${bin}:/usr/bin:/bin` });
  });

  it("is started by the engine, and tells how programs end", async () => {
    const sandboxes = await world.sandboxes();
    expect(sandboxes.kind).toBe("container");
    expect(sandboxes.report.detail).toBe("docker with the image some-image");
    const sandbox = await world.open();
    const first = await finish(
      start(sandbox, ["sh", "-c", "echo $HOME; pwd; exit 137"], world.tree, { A: "1" }),
    );
    expect(first).toMatchObject({
      exit: { kind: "exited", code: 137 },
      out: `${sandbox.home}\n${world.tree}\n`,
    });
    const second = await finish(start(sandbox, ["sh", "-c", "kill -9 $$"], world.tree));
    expect(second.exit).toEqual({ kind: "signalled", signal: "SIGKILL" });
    expect(sandbox.env).not.toHaveProperty("SECRET_TOKEN");
  });

  it("is taken away when it had to be stopped", async () => {
    const sandbox = await world.open();
    const running = start(sandbox, ["sleep", "1000"], world.tree);
    await running.stop(0);
    await running.exit;
    expect(readFileSync(join(world.root, "bin/docker.log"), "utf8")).toMatch(/^rm --force loom-[0-9a-f-]+$/m);
  });
});

function program(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}
