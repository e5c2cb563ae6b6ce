import { randomBytes, randomUUID } from "node:crypto";
import { mkdtempSync, realpathSync, rmdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { createGround } from "../adapters/drill/ground.ts";
import { makeFirstCommit, makeRepository } from "../adapters/git/objects/new-repository.ts";
import { createGit } from "../adapters/git/run/git.ts";
import { createRepositoryGit } from "../adapters/git/run/repository-git.ts";
import { createGitWorkspace } from "../adapters/git/workspace.ts";
import { openRepository } from "../adapters/local/open-repository.ts";
import { hostPrograms } from "../adapters/os/host-programs.ts";
import { createTargets } from "../adapters/sandbox/gateway/resolve-target.ts";
import { createSupervisor } from "../adapters/sandbox/processes/process-supervisor.ts";
import { removeFolder } from "../adapters/sandbox/provider/remove-folder.ts";
import { createPatterns } from "../adapters/text/patterns.ts";
import { SETTINGS } from "../core/config/settings/setting-table.ts";
import { createSecretScan } from "../core/merge/secret-scan.ts";
import { readHostRule } from "../core/network/allowed-host.ts";
import { NO_SANDBOX_RULES } from "../core/plan/plan.ts";
import { mergeSandboxRules } from "../core/plan/sandbox-rules.ts";
import { changedSetUpNetwork, sandboxAccess } from "../core/sandbox/sandbox-access.ts";
import { passedNames } from "../core/secrets/passed-names.ts";
import { secretValues } from "../core/secrets/secret-values.ts";
import type { DrillWorld } from "../engine/drill/drill-world.ts";
import { HIDDEN_FILE } from "../engine/drill/play-later-sandboxes.ts";
import type { NetworkAccess } from "../ports/sandbox.ts";
import type { Workspace } from "../ports/workspace.ts";
import { openAgents } from "./agents.ts";
import { cacheFolder, treesFolder } from "./folders/cache-folder.ts";
import { homeFolder } from "./folders/home-folder.ts";
import { packageRoot } from "./folders/package-root.ts";
import { assertTemporaryFolder } from "./folders/temporary-folder.ts";
import { userFolder } from "./folders/user-folder.ts";
import { drillEnv, drillSettings, settingFacts } from "./settings/drill-settings.ts";
import type { Env } from "./settings/env.ts";
import { dataFolder } from "./settings/hosted-env.ts";

export type DrillOptions = {
  readonly cwd: string;
  readonly env: Env;
  readonly signal: AbortSignal;
  readonly onPlayed: DrillWorld["onPlayed"];
};

/** Besides Loom's own settings: names that secrets of other programs have. */
const CUSTOMARY = ["GITHUB_TOKEN", "GH_TOKEN", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY", "DATABASE_URL"];

/**
 * This installation, opened as for agents: the operator's settings, sandbox, rules and folders, around a repository that is
 * made for the drill and thrown away after it. The process gets variables with values of no worth under the names of
 * secrets, as far as it has none there: they must not be seen in any sandbox.
 */
export async function openDrill(
  options: DrillOptions,
): Promise<{ world: DrillWorld; warnings: readonly string[]; close(): Promise<void> }> {
  const { cwd, signal, onPlayed } = options;
  assertTemporaryFolder();
  const { env: own } = await drillEnv(options.env, cwd);
  const canaries = plantCanaries(own);
  const env: Env = { ...own, ...canaries.values };
  const id = randomBytes(6).toString("hex");
  const root = realpathSync(mkdtempSync(join(tmpdir(), "loom-drill-")));
  const trees = join(resolve(cwd, treesFolder(env)), `drill-${id}`);
  const sandboxes = join(cacheFolder(env), "sandboxes", "drill");
  const supervisor = createSupervisor();
  const workspaces: Workspace[] = [];
  const close = async (): Promise<void> => {
    canaries.restore();
    try {
      await supervisor.close();
      await agents?.sandboxes.close();
      for (const workspace of workspaces) await workspace.dispose().catch(() => {});
    } finally {
      for (const folder of [root, trees]) await removeFolder(folder);
      for (const folder of [join(sandboxes, "homes"), sandboxes]) removeIfEmpty(folder);
    }
  };
  let agents: Awaited<ReturnType<typeof openAgents>> | null = null;
  try {
    agents = await openAgents({ supervisor, env, cwd, folder: sandboxes, runsAgents: true });
    const { settings, warnings } = drillSettings(env);
    const rules = mergeSandboxRules(NO_SANDBOX_RULES, NO_SANDBOX_RULES, "standard");
    const home = homeFolder(env);
    const data = resolve(cwd, dataFolder(env));
    const canary = `drill-canary-${randomUUID()}`;
    const ground = await createGround({
      root,
      id,
      canary,
      home,
      ownPlaces: [
        ...[data, resolve(cwd, treesFolder(env)), userFolder(env, home)],
        ...[join(cwd, ".env"), join(cwd, ".git", "config")],
        ...[env.PRIVATE_KEY_PATH, env.LOOM_ENV_FILE].flatMap((path) => (path ? [resolve(cwd, path)] : [])),
      ],
      closedFolders: [
        home,
        data,
        cwd,
        packageRoot(),
        join(packageRoot(), "dist"),
        "/usr/local/bin",
        "/etc",
        "/",
      ],
      socketFolders: ["/tmp", ...(env.XDG_RUNTIME_DIR ? [env.XDG_RUNTIME_DIR] : [])],
      knownSockets: knownSockets(env),
    });
    const repository = join(root, "repository");
    await makeRepository(repository);
    const secret = `drill-secret-${randomBytes(16).toString("hex")}`;
    const secrets = createSecretScan(env, [secret]);
    const hostilePath = (tree: string | null): string =>
      [
        ...(tree === null ? [] : [join(tree, "node_modules", ".bin"), tree]),
        ...[join(repository, "node_modules", ".bin"), join(repository, "bin"), "."],
        env.PATH ?? "",
      ].join(delimiter);
    const openGit = async (tree: string | null) => {
      // The outer environment decides what git and its helpers are.
      const program = createGit({ cwd: repository, env: { ...process.env, PATH: hostilePath(tree) } });
      return createRepositoryGit(program, await openRepository(program, repository));
    };
    const base = await makeFirstCommit(await openGit(null), {
      "PLAN.md": "# A plan\n",
      "README.md": "A repository of no worth.\n",
      [HIDDEN_FILE]: `${canary}\n`,
    });
    const world: DrillWorld = {
      sandboxes: agents.sandboxes,
      supervisor,
      ground,
      rules: {
        agent: sandboxAccess(rules, settings, "agent"),
        setup: sandboxAccess(rules, settings, "setup"),
        checks: sandboxAccess(rules, settings, "checks"),
      },
      changedSetUp: changedSetUpNetwork(rules, settings),
      mayReach,
      store: storeOf(own),
      modelAllow: (env.LOOM_MODEL_ALLOW ?? "").split(/[\s,]+/).filter((one) => one !== ""),
      secret,
      secrets: secretsOf(env),
      openHome: agents.openHome,
      repository: { root: repository, gitDir: join(repository, ".git"), base },
      async openWorkspace(tree) {
        const treesRoot = join(trees, String(workspaces.length));
        await mkdir(treesRoot, { recursive: true });
        const workspace = createGitWorkspace({ git: await openGit(tree), treesRoot, secrets });
        workspaces.push(workspace);
        return workspace;
      },
      findProgram: (name, tree) => hostPrograms({ PATH: hostilePath(tree) }, repository).tool(name),
      patterns: createPatterns(),
      settings: await settingFacts(own, cwd, agents.sandboxes.kind),
      limitSecs: 15,
      arch: process.arch,
      newId: () => randomBytes(8).toString("hex"),
      signal,
      onPlayed,
    };
    return { world, warnings, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** In the environment of this very process as well: a program that inherits it would show them. */
function plantCanaries(env: Env): { readonly values: Env; restore(): void } {
  const names = [...CUSTOMARY, ...SETTINGS.filter(({ kind }) => kind === "secret").map(({ name }) => name)];
  const free = names.filter((name) => !env[name] && process.env[name] === undefined);
  const values = Object.fromEntries(free.map((name) => [name, `drill${randomBytes(20).toString("hex")}`]));
  Object.assign(process.env, values);
  return {
    values,
    restore() {
      for (const name of free) delete process.env[name];
    },
  };
}

/** What is passed on purpose is the operator's word, and judged among the settings. */
function secretsOf(env: Env): { name: string; value: string }[] {
  const passed = new Set(passedNames(env));
  return Object.entries(env).flatMap(([name, text]) =>
    passed.has(name) || text === undefined
      ? []
      : secretValues({ [name]: text }).map((value) => ({ name, value })),
  );
}

/** The gateway's own decision. Nothing is looked up: `localhost` is this machine, and other names lead nowhere. */
async function mayReach(network: NetworkAccess, host: string, port: number): Promise<boolean> {
  const read = (texts: readonly string[]) =>
    texts.map(readHostRule).flatMap((one) => (one.kind === "rule" ? [one.rule] : []));
  const rules = { own: read(network.allow), asked: read(network.allowPublic ?? []) };
  const target = await createTargets(rules, async (name) => {
    if (name === "localhost") return ["127.0.0.1", "::1"];
    throw new Error("not looked up");
  })(host, port);
  // A name that a rule lets through is open, whatever it leads to.
  return target.kind === "open" || target.kind === "unreachable";
}

function storeOf({ REDIS_URL }: Env): DrillWorld["store"] {
  if (!REDIS_URL?.trim() || !URL.canParse(REDIS_URL)) return null;
  const { hostname, port } = new URL(REDIS_URL);
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6379) };
}

function knownSockets({ SSH_AUTH_SOCK, DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR }: Env): string[] {
  const bus = /unix:path=([^,;]+)/.exec(DBUS_SESSION_BUS_ADDRESS ?? "")?.[1];
  const runtime = XDG_RUNTIME_DIR ? [join(XDG_RUNTIME_DIR, "docker.sock"), join(XDG_RUNTIME_DIR, "bus")] : [];
  const machine = [
    "/var/run/docker.sock",
    "/run/docker.sock",
    "/run/podman/podman.sock",
    "/run/dbus/system_bus_socket",
  ];
  return [...machine, ...runtime, ...(SSH_AUTH_SOCK ? [SSH_AUTH_SOCK] : []), ...(bus ? [bus] : [])];
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Another drill is at work there, or it never was.
  }
}
