import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ATTACK_IDS } from "../../src/core/drill/attack.ts";
import { ensureProgram } from "../setup/ensure-program.ts";
import { tempFolder } from "../support/git-repo.ts";
import { askLoom, processesWith, startLoom } from "../support/loom-cli.ts";
import { withoutBubblewrap } from "../support/without-bubblewrap.ts";

beforeAll(() => ensureProgram("bwrap", "bubblewrap"));

/** A machine of its own: home, caches and temporary files, all of them empty afterwards or as they were. */
function aMachine(env: Record<string, string> = {}) {
  const root = tempFolder();
  const folder = (name: string): string => {
    mkdirSync(join(root, name));
    return join(root, name);
  };
  const home = folder("home");
  mkdirSync(join(home, ".ssh"));
  writeFileSync(join(home, ".ssh", "id_ed25519"), "a key\n", { mode: 0o600 });
  const cwd = folder("work");
  return {
    root,
    temporary: folder("tmp"),
    options: {
      cwd,
      env: { HOME: home, XDG_CACHE_HOME: folder("cache"), XDG_RUNTIME_DIR: folder("run"), ...env },
    },
    /** Every file that is there, temporary ones included. */
    files: (): string[] =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
        .sort(),
  };
}

const AS_BEFORE = ["home/.ssh/id_ed25519"];
const shown = (text: string): string => text.replace(/bubblewrap \d[\d.]*/, "bubblewrap <version>");

describe("loom drill", () => {
  it("finds every defence standing on a machine with bubblewrap, and leaves nothing behind", async () => {
    const machine = aMachine({ LOOM_SANDBOX: "bubblewrap" });
    const before = process.env.TMPDIR;
    process.env.TMPDIR = machine.temporary;
    onTestFinished(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
    const { code, stdout, stderr } = await askLoom(["drill"], machine.options);
    expect({ code, stderr, text: shown(stdout) }).toMatchInlineSnapshot(`
      {
        "code": 0,
        "stderr": "",
        "text": "Playing the attacks of an obedient agent. Sandbox: bubblewrap <version>

      ✓ secrets of Loom's process       reads its own environment and that of every process
      ✓ other processes                 looks for a process outside, reads its command line and kills it
      ✓ a forged end                    takes over the process that tells Loom how it ended, and says that all went well
      ✓ calls to the kernel             opens raw sockets, keyrings, io_uring and further namespaces
      ✓ the kernel and devices          opens files of /proc and /dev through which a machine is changed
      ✓ files that Loom has open        looks for open files that it inherited
      ✓ this machine's loopback         connects to ports of 127.0.0.1 and ::1
      ✓ sockets of this machine         connects to sockets of the drill, Docker, D-Bus and the SSH agent
      ✓ loopback through the proxy      asks the gateway for this machine, in twelve spellings
      ✓ private and metadata addresses  asks the gateway for the addresses where clouds keep keys, and for private networks
      - the store                       not configured here
      ✓ your home                       reads keys, tokens and histories in the home folder
      ✓ Loom's own files                reads ledgers, keys, settings and work trees of others
      ✓ writing outside of the tree     writes beside its tree, to the home, to Loom's programs and to the system
      ✓ git's own folder                writes hooks, settings, attributes and alternates of the repository
      ✓ the model's endpoint            sends another key, other paths and tools of the provider's, and looks for the key
      ✓ from one session to the next    leaves files in the home and in temporary folders for the next program
      ✓ hidden files in the history     reads a file that the rules hide, from the tree and through git
      ✓ set-up of an agent's commit     reaches for anything while the commands of set-up run what an agent wrote
      ✓ too many processes              starts 120 where 40 are allowed
      ✓ too much memory                 takes 512 MB where 192 are allowed
      ✓ too much disk                   writes 160 MB where 24 are allowed
      ✓ a huge file                     writes a file of 8 MB where 2 are allowed
      ✓ a program that will not end     ignores every request to end, with a child that left its session
      ✓ programs that git would run     leaves hooks, filters, drivers and settings for Loom's own git
      ✓ planted programs                leaves a \`git\`, \`sh\` and \`node\` in the repository, first on PATH
      ✓ links out of the tree           leaves links for Loom to follow
      ✓ files that run once published   adds workflows, editor tasks, hooks and packages to its change
      ✓ settings for the next agent     leaves hooks and servers where agents look for them
      ✓ deceptive files                 adds a repository in the repository and names that others take for another file
      ✓ secrets in a commit             writes a secret into a file, plain and in base64
      ✓ the sandbox setting             runs where LOOM_SANDBOX is off or bubblewrap is missing
      ✓ rights of root                  runs as root without a sandbox
      ✓ rules for hosts                 uses rules for all hosts, or for private ones
      - variables passed to agents      not configured here
      - folders shown to agents         not configured here
      - further requests to the model   not configured here
      ✓ keys in plain text              listens where keys travel without TLS
      ✓ folders of PATH                 puts a program where others may write
      - the data folder                 not configured here
      - files that hold keys            not configured here
      - the store's password            not configured here
      - the webhook secret              not configured here
      ✓ how stages are checked          passes a gate that it changed itself, or that lets errors pass

      All 36 defences held. 8 do not apply here.
      ",
      }
    `);
    expect(machine.files()).toEqual(AS_BEFORE);
    expect(processesWith(machine.root)).toEqual([]);
    expect(process.env.NPM_TOKEN).toBeUndefined();
  });

  it("starts no attack where the sandbox is off, and says that each would get through", async () => {
    const machine = aMachine({ LOOM_SANDBOX: "off" });
    const { code, stdout, stderr } = await askLoom(["drill"], { ...machine.options, whole: true });
    expect({ code, stderr, text: stdout }).toMatchInlineSnapshot(`
      {
        "code": 1,
        "stderr": "",
        "text": "Playing the attacks of an obedient agent. Sandbox: off (LOOM_SANDBOX=off)

      ✗ secrets of Loom's process       no sandbox, so it was not played
      ✗ other processes                 no sandbox, so it was not played
      ✗ a forged end                    no sandbox, so it was not played
      ✗ calls to the kernel             no sandbox, so it was not played
      ✗ the kernel and devices          no sandbox, so it was not played
      ✗ files that Loom has open        no sandbox, so it was not played
      ✗ this machine's loopback         no sandbox, so it was not played
      ✗ sockets of this machine         no sandbox, so it was not played
      ✗ loopback through the proxy      no sandbox, so it was not played
      ✗ private and metadata addresses  no sandbox, so it was not played
      - the store                       not configured here
      ✗ your home                       no sandbox, so it was not played
      ✗ Loom's own files                no sandbox, so it was not played
      ✗ writing outside of the tree     no sandbox, so it was not played
      ✗ git's own folder                no sandbox, so it was not played
      ✗ the model's endpoint            no sandbox, so it was not played
      ✗ from one session to the next    no sandbox, so it was not played
      ✗ hidden files in the history     no sandbox, so it was not played
      ✗ set-up of an agent's commit     no sandbox, so it was not played
      ✗ too many processes              no sandbox, so it was not played
      ✗ too much memory                 no sandbox, so it was not played
      ✗ too much disk                   no sandbox, so it was not played
      ✗ a huge file                     no sandbox, so it was not played
      ✗ a program that will not end     no sandbox, so it was not played
      ✓ programs that git would run     leaves hooks, filters, drivers and settings for Loom's own git
      ✓ planted programs                leaves a \`git\`, \`sh\` and \`node\` in the repository, first on PATH
      ✓ links out of the tree           leaves links for Loom to follow
      ✓ files that run once published   adds workflows, editor tasks, hooks and packages to its change
      ✓ settings for the next agent     leaves hooks and servers where agents look for them
      ✓ deceptive files                 adds a repository in the repository and names that others take for another file
      ✓ secrets in a commit             writes a secret into a file, plain and in base64
      ✗ the sandbox setting             LOOM_SANDBOX=off
      ✗ rights of root                  Loom runs as root
      ✓ rules for hosts                 uses rules for all hosts, or for private ones
      - variables passed to agents      not configured here
      - folders shown to agents         not configured here
      - further requests to the model   not configured here
      ✓ keys in plain text              listens where keys travel without TLS
      ✓ folders of PATH                 puts a program where others may write
      - the data folder                 not configured here
      - files that hold keys            not configured here
      - the store's password            not configured here
      - the webhook secret              not configured here
      ✓ how stages are checked          passes a gate that it changed itself, or that lets errors pass

      25 of 36 attacks get through, 11 defences held. 8 do not apply here.

      - secrets of Loom's process, other processes, a forged end and 21 more: Set LOOM_SANDBOX=auto to have one.
      - rights of root: Run Loom as a user of its own, or have a sandbox.
      ",
      }
    `);
    expect(machine.files()).toEqual(AS_BEFORE);
  });

  it("says the same as data where bubblewrap does not work", async () => {
    const machine = aMachine({ LOOM_SANDBOX: "auto", PATH: withoutBubblewrap() });
    const { code, stdout, stderr } = await askLoom(["drill", "--json"], machine.options);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const { attacks, ...told } = JSON.parse(stdout);
    expect(told).toMatchObject({ holds: false, sandbox: "off" });
    expect(attacks.map(({ id }: { id: string }) => id).sort()).toEqual([...ATTACK_IDS].sort());
    expect(attacks[0]).toEqual({
      id: "environment",
      title: "secrets of Loom's process",
      tries: "reads its own environment and that of every process",
      outcome: "open",
      why: "no-sandbox",
      reason: "no sandbox, so it was not played",
      found: [],
      // What helps differs from machine to machine.
      fix: expect.stringMatching(/./),
    });
  });

  it("looks at the settings of the service's own file, which count for more than those of its user", async () => {
    const machine = aMachine();
    const { cwd, env } = machine.options;
    mkdirSync(join(env.HOME, ".config", "loom"), { recursive: true });
    writeFileSync(join(env.HOME, ".config", "loom", ".env"), "LOOM_SANDBOX=auto\n", { mode: 0o600 });
    const weak = "APP_ID=7\nLOOM_SANDBOX=off\nLOOM_ALLOWED_DOMAINS=*\nLOOM_SANDBOX_SHOW=/\n";
    writeFileSync(join(cwd, "app.env"), weak, { mode: 0o600 });
    const { code, stdout } = await askLoom(["drill", "--json"], {
      cwd,
      env: { ...env, LOOM_ENV_FILE: "app.env" },
    });
    const { sandbox, attacks } = JSON.parse(stdout);
    const open = attacks.filter((one: { outcome: string }) => one.outcome === "open");
    expect({ code, sandbox }).toEqual({ code: 1, sandbox: "off" });
    expect(open.map(({ id }: { id: string }) => id)).toEqual(
      expect.arrayContaining(["setting-sandbox", "setting-hosts", "setting-shown", "setting-webhook"]),
    );
  });

  it("takes no argument, and refuses a sandbox that nobody knows", async () => {
    const { options } = aMachine();
    expect(await askLoom(["drill", "harder"], options)).toMatchObject({ code: 2 });
    const unknown = await askLoom(["drill"], { ...options, env: { ...options.env, LOOM_SANDBOX: "on" } });
    expect(unknown).toMatchObject({ code: 2, stdout: "" });
  });

  it("says which settings it passes over, ends at once when somebody stops it, and leaves nothing behind then either", async () => {
    const machine = aMachine({ LOOM_SANDBOX: "bubblewrap" });
    const started = startLoom(["drill"], {
      ...machine.options,
      env: { ...machine.options.env, TMPDIR: machine.temporary, LOOM_GATE_CHANGES: "never" },
    });
    await new Promise((done) => started.child.stdout?.once("data", done));
    started.kill("SIGINT");
    const { code, stderr } = await started.finished;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr:
        "loom: LOOM_GATE_CHANGES=never is not ask or warn; using ask.\n" +
        "loom: The drill was interrupted. It left nothing behind.\n",
    });
    expect(machine.files()).toEqual(AS_BEFORE);
    expect(processesWith(machine.root)).toEqual([]);
  });
});
