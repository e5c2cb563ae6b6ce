import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/**
 * The agent CLIs that tests drive, each in one version. They are big and come from npm, so they live in a cache outside
 * of node_modules, in a folder named after this table: another version is another folder. A folder gets its name only
 * once all in it has said its version, so what is there is whole, however an earlier installation ended. The lock beside
 * it just saves a second process the download; without it the rename would still let one of them win.
 */
export const AGENT_CLIS = {
  // What npm installs is a stub, which the package's own script replaces by the program for this machine.
  claude: { package: "@anthropic-ai/claude-code", version: "2.1.325", script: "install.cjs" },
  codex: { package: "@openai/codex", version: "0.166.0", script: null },
  gemini: { package: "@google/gemini-cli", version: "0.61.0", script: null },
  opencode: { package: "opencode-ai", version: "1.18.33", script: "postinstall.mjs" },
} as const;

export type AgentCliId = keyof typeof AGENT_CLIS;

export type InstalledCli = {
  readonly version: string;
  /** The program itself, not a link to it. */
  readonly bin: string;
  readonly packageRoot: string;
};

export type AgentClis = Readonly<Record<AgentCliId, InstalledCli>> & {
  /** Holds all that the four need; a sandbox that shows it can run them. */
  readonly folder: string;
  /** With links of the programs' own names, for a PATH. */
  readonly binFolder: string;
};

/** How an installation is done; tests put something small in npm's place. */
export type Installer = (folder: string) => void;

const IDS = Object.keys(AGENT_CLIS) as readonly AgentCliId[];
/** Longer than any download should take: whoever holds a lock for longer is stuck, or another process has its number. */
const LOCK_MS = 15 * 60_000;

/** Installs them the first time, which takes a minute or two, and then only looks. */
export function ensureAgentClis(
  env: NodeJS.ProcessEnv = process.env,
  install: Installer = installClis,
): AgentClis {
  const folder = agentClisFolder(env);
  while (!isWhole(folder)) {
    mkdirSync(dirname(folder), { recursive: true });
    const lock = takeLock(`${folder}.lock`);
    if (lock === null) {
      wait(200);
      continue;
    }
    try {
      if (!isWhole(folder)) installInto(folder, install);
    } finally {
      lock.release();
    }
  }
  return describe(folder);
}

export function agentClisFolder(env: NodeJS.ProcessEnv): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache");
  const hash = createHash("sha256").update(JSON.stringify(AGENT_CLIS)).digest("hex").slice(0, 12);
  return join(env.LOOM_TEST_CLIS || join(cache, "loom", "test-clis"), hash);
}

function installInto(folder: string, install: Installer): void {
  removeLeftovers(folder);
  const fresh = `${folder}.new-${process.pid}`;
  try {
    mkdirSync(fresh);
    install(fresh);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** What an installation left that was killed: more than a gigabyte each. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(dirname(folder))) {
    const path = join(dirname(folder), name);
    const pid = Number(/\.new-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
    if (path.startsWith(`${folder}.new-`) && !isAlive(pid)) rmSync(path, { recursive: true, force: true });
  }
}

function installClis(folder: string): void {
  process.stderr.write(`Installing ${IDS.join(", ")} for the tests, once (about 1.3 GB) …\n`);
  const began = Date.now();
  const dependencies = Object.fromEntries(
    IDS.map((id) => [AGENT_CLIS[id].package, AGENT_CLIS[id].version] as const),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies }));
  run(
    "npm",
    [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      // Said aloud, because under `npm test` the environment names the project's folder.
      `--prefix=${folder}`,
    ],
    folder,
  );
  for (const id of IDS) {
    const { package: name, script, version } = AGENT_CLIS[id];
    const root = join(folder, "node_modules", name);
    if (script !== null) run(process.execPath, [script], root);
    const said = run(join(folder, "node_modules", ".bin", id), ["--version"], folder);
    if (!said.includes(version)) throw new Error(`${id} should be ${version}, but says: ${said.trim()}`);
    process.stderr.write(`  ${id} ${version}\n`);
  }
  process.stderr.write(`Installed in ${Math.round((Date.now() - began) / 1000)} s.\n`);
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (status === 0) return stdout;
  const how = error?.message ?? `it ended with ${signal ?? status}`;
  throw new Error(
    `The tests need the agent CLIs, but \`${program} ${args[0]}\` failed: ${how}\n${stderr ?? ""}\n` +
      "Check that the npm registry can be reached, then run the tests again.",
  );
}

function isWhole(folder: string): boolean {
  return IDS.every((id) => existsSync(join(folder, "node_modules", ".bin", id)));
}

function describe(folder: string): AgentClis {
  const installed = (id: AgentCliId): InstalledCli => ({
    version: AGENT_CLIS[id].version,
    bin: realpathSync(join(folder, "node_modules", ".bin", id)),
    packageRoot: realpathSync(join(folder, "node_modules", AGENT_CLIS[id].package)),
  });
  return {
    claude: installed("claude"),
    codex: installed("codex"),
    gemini: installed("gemini"),
    opencode: installed("opencode"),
    folder: realpathSync(folder),
    binFolder: join(realpathSync(folder), "node_modules", ".bin"),
  };
}

/** null: somebody else has it, who is alive. */
function takeLock(path: string): { release(): void } | null {
  try {
    const file = openSync(path, "wx");
    writeFileSync(file, String(process.pid));
    closeSync(file);
    return { release: () => rmSync(path, { force: true }) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  const holder = Number(readIfThere(path) || Number.NaN);
  // A lock without a number may be one that is just being written.
  const isLeft = Number.isNaN(holder) ? age > 5_000 : !isAlive(holder) || age > LOCK_MS;
  if (isLeft) rmSync(path, { force: true });
  return null;
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function isAlive(pid: number): boolean {
  try {
    return Number.isInteger(pid) && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The set-up of vitest may be asynchronous, but those who call this from a script want it done. */
function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
