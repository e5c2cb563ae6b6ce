import { type AttackId, notPlayed, type Outcome, outcomeOf, type Played } from "../../core/drill/attack.ts";
import { CALLS_END, systemCallScript } from "../../core/drill/system-calls.ts";
import { DRILL_EXIT, type DrillLoot, type DrillTask, type Plant } from "../../core/drill/task.ts";
import { anthropicApi } from "../../core/model-api/model-api.ts";
import type { DrillListeners } from "../../ports/drill-ground.ts";
import type { Sandbox } from "../../ports/sandbox.ts";
import type { WorkTree } from "../../ports/workspace.ts";
import { type CommandResult, runToEnd } from "../attempt/run-command.ts";
import type { DrillWorld } from "./drill-world.ts";
import { asks, judgeModel, modelAttempts } from "./model-attempts.ts";
import { METADATA, spellings } from "./private-targets.ts";
import { startVictim, victimToken } from "./victim.ts";

const TIME = { timeoutMs: 8_000, tailBytes: 1_500_000, graceMs: 0 };

/** Everything that one session of an obedient agent tries, in one sandbox, with a model and a home as agents have them. */
export async function playAgentSandbox(
  world: DrillWorld,
  tree: WorkTree,
  plants: readonly Plant[],
  trace: string,
): Promise<Played[]> {
  const { ground, rules, signal } = world;
  const listeners = await ground.listen();
  const model = await ground.listenAsModel();
  const mark = `loom-drill-victim-${world.newId()}`;
  const victim = startVictim(world.supervisor, mark);
  const placeholder = `loom-drill-${world.newId()}`;
  const key = `drill-key-${world.newId()}`;
  const home = await world.openHome(`drill-${world.newId()}`);
  const gitWrites = gitTargets(world);
  const before = await Promise.all(gitWrites.map((path) => ground.read(path)));
  let sandbox: Sandbox | null = null;
  try {
    sandbox = await world.sandboxes.open({
      ...rules.agent,
      marker: `drill-${world.newId()}`,
      tree: tree.path,
      treeAccess: "write",
      home: home.path,
      shows: [],
      model: { upstream: model.url, placeholder, key, api: anthropicApi("/v1"), allowed: world.modelAllow },
      judge: null,
      onTraffic: null,
    });
    const through = await targets(world, listeners);
    const task: DrillTask = {
      victim: { pid: victim.pid, mark },
      tcp: [...listeners.tcp, ...(through.storeHere ? [through.storeHere] : [])],
      udp: listeners.udp,
      sockets: [...listeners.sockets, ...ground.knownSockets],
      through: [...through.loopback, ...through.metadata, ...through.store],
      read: [...ground.homeFiles, ...ground.ownFiles],
      write: [...ground.forbidden, ...gitWrites],
      plants,
      trace,
      model: modelAttempts(placeholder),
    };
    const attacker = await ground.placeAttacker(tree.path);
    const ran = await runToEnd(
      sandbox,
      { argv: ["node", attacker], cwd: tree.path, env: {}, stdin: JSON.stringify(task) },
      { ...TIME, signal },
    );
    await ground.remove(`${tree.path}/${attacker}`);
    const loot = readLoot(ran);
    if (typeof loot === "string") return allNotPlayed(loot);
    const calls = await playCalls(world, sandbox, tree);
    const gone = victim.isGone();
    const written = await present(ground.forbidden, ground.exists);
    const touched = await changed(gitWrites, before, ground.read);
    await putBack(world, gitWrites, before);
    const shares = (kind: string): string[] =>
      ground.namespaces[kind] !== undefined && loot.namespaces[kind] === ground.namespaces[kind]
        ? [`Loom's ${kind} namespace`]
        : [];
    // Anything but a refusal means that a rule let it through, also where nobody answered behind it.
    const openOf = (goals: readonly string[]): string[] =>
      goals.filter((goal) => ![400, 403, 404].includes(loot.through[goal] ?? 0));
    const said = ran.stdout;
    const answered = asks(loot.through, task.through);
    const heard = listeners.heard();
    const outcomes: Partial<Record<AttackId, Outcome>> = {
      environment: outcomeOf([
        ...leaked(world, loot.dump),
        ...(loot.dump.includes(victimToken(mark)) ? ["VICTIM_TOKEN of another process"] : []),
      ]),
      processes: outcomeOf([...loot.victim, ...(gone ? ["its life"] : []), ...shares("pid")]),
      relay: merged([...loot.relay, ...forged(ran), ...calls.relay]),
      calls: calls.outcome,
      kernel: outcomeOf(loot.kernel),
      descriptors: outcomeOf(loot.descriptors),
      loopback: outcomeOf([...heard.filter((name) => !isSocket(name)), ...shares("net")]),
      sockets: outcomeOf([...heard.filter(isSocket), ...loot.sockets.filter((name) => isSocket(name))]),
      gateway: answered ? outcomeOf(openOf(through.loopback)) : notPlayed("the gateway did not answer"),
      metadata: answered
        ? outcomeOf([...through.metadataOpen, ...openOf(through.metadata)])
        : notPlayed("the gateway did not answer"),
      store:
        world.store === null
          ? { kind: "skipped", why: "not-configured" }
          : outcomeOf([
              ...through.storeOpen,
              ...openOf(through.store),
              ...reachedStore(loot, through.storeHere),
            ]),
      home: outcomeOf(loot.read.filter((path) => ground.homeFiles.includes(path))),
      "own-files": outcomeOf(loot.read.filter((path) => !ground.homeFiles.includes(path))),
      outside: outcomeOf(written),
      "git-folder": outcomeOf(touched),
      model: judgeModel(loot.model, model.arrived(), { key, text: said }),
    };
    return inOrder(outcomes);
  } finally {
    await sandbox?.close();
    await victim.stop();
    await home.remove();
    await listeners.close();
    await model.close();
  }
}

/** What git would act on; some are there already, and some must not come to be. */
function gitTargets({ repository: { gitDir } }: DrillWorld): string[] {
  return [
    "config",
    "HEAD",
    "hooks/post-checkout",
    "info/attributes",
    "objects/info/alternates",
    "packed-refs",
  ].map((name) => `${gitDir}/${name}`);
}

type Targets = {
  readonly loopback: readonly string[];
  readonly metadata: readonly string[];
  /** What the rules let through: told as it is, and nobody is asked, so that no packet leaves this machine. */
  readonly metadataOpen: readonly string[];
  readonly store: readonly string[];
  readonly storeOpen: readonly string[];
  readonly storeHere: { readonly host: string; readonly port: number } | null;
};

async function targets(world: DrillWorld, listeners: DrillListeners): Promise<Targets> {
  const port = listeners.tcp[0]?.port ?? 9;
  const metadata: string[] = [];
  const metadataOpen: string[] = [];
  for (const host of METADATA) {
    const by = Object.entries(world.rules);
    const open = await Promise.all(by.map(([, { network }]) => world.mayReach(network, host, 80)));
    const who = by.filter((_, index) => open[index]).map(([name]) => name);
    if (who.length > 0) metadataOpen.push(`${host} (${who.join(", ")})`);
    else metadata.push(`${host}:80`);
  }
  const { store } = world;
  const place =
    store === null ? null : `${store.host.includes(":") ? `[${store.host}]` : store.host}:${store.port}`;
  const isOpen = store !== null && (await world.mayReach(world.rules.agent.network, store.host, store.port));
  return {
    loopback: spellings(port),
    metadata,
    metadataOpen,
    store: place === null || isOpen ? [] : [place],
    storeOpen: place !== null && isOpen ? [place] : [],
    storeHere: store !== null && /^(?:127\.|::1$|localhost$)/.test(store.host) ? store : null,
  };
}

function reachedStore(loot: DrillLoot, here: Targets["storeHere"]): string[] {
  const name = here === null ? null : `${here.host}:${here.port}`;
  return name !== null && loot.sockets.includes(name) ? [name] : [];
}

async function playCalls(
  { arch, signal }: DrillWorld,
  sandbox: Sandbox,
  tree: WorkTree,
): Promise<{ readonly relay: readonly string[]; readonly outcome: Outcome }> {
  const script = systemCallScript(arch);
  const skipped = { relay: [], outcome: { kind: "skipped", why: "no-perl" } } as const;
  if (script === null) return skipped;
  const { exit, stdout, stderr } = await runToEnd(
    sandbox,
    { argv: ["perl", "-e", script], cwd: tree.path, env: {}, stdin: "" },
    { ...TIME, signal },
  );
  if (exit.kind === "not-started") return skipped;
  const lines = stdout.split("\n");
  if (!lines.includes(CALLS_END))
    return { relay: [], outcome: notPlayed(stderr.trim() || "perl ended early") };
  const of = (what: string): string[] =>
    lines.filter((line) => line.startsWith(`${what}: `)).map((line) => line.slice(what.length + 2));
  return { relay: of("relay"), outcome: outcomeOf(of("calls")) };
}

function readLoot({ exit, stdout, stderr, timedOut }: CommandResult): DrillLoot | string {
  const why =
    exit.kind === "not-started" ? exit.reason : stderr.trim().split("\n").at(-1) || "it said nothing";
  if (timedOut) return "it did not end in time";
  try {
    const loot = JSON.parse(stdout) as DrillLoot;
    return loot.works ? loot : "the program could do nothing at all";
  } catch {
    return why;
  }
}

/** The program said that it ended well, and with another code than Loom shall believe. */
function forged({ exit }: CommandResult): string[] {
  return exit.kind === "exited" && exit.code === DRILL_EXIT ? [] : ["Loom's word for how it ended"];
}

function leaked({ secrets }: DrillWorld, dump: string): string[] {
  return secrets.filter(({ value }) => dump.includes(value)).map(({ name }) => name);
}

function isSocket(name: string): boolean {
  return name.startsWith("@") || name.startsWith("/");
}

async function present(
  paths: readonly string[],
  exists: (path: string) => Promise<boolean>,
): Promise<string[]> {
  const found = await Promise.all(paths.map(exists));
  return paths.filter((_, index) => found[index]);
}

async function changed(
  paths: readonly string[],
  before: readonly (string | null)[],
  read: (path: string) => Promise<string | null>,
): Promise<string[]> {
  const after = await Promise.all(paths.map(read));
  return paths.filter((_, index) => after[index] !== before[index]);
}

/** Those who come next need a repository that works, also where an attack broke it. */
async function putBack(
  { ground, repository: { gitDir } }: DrillWorld,
  paths: readonly string[],
  before: readonly (string | null)[],
): Promise<void> {
  for (const [index, path] of paths.entries()) {
    const text = before[index] ?? null;
    if (text === null) await ground.remove(path);
    else await ground.plant(gitDir, [{ path: path.slice(gitDir.length + 1), text }]);
  }
}

function merged(what: readonly string[]): Outcome {
  return outcomeOf(what.length > 6 ? [...what.slice(0, 6), `${what.length - 6} more`] : what);
}

export const IN_AGENT_SANDBOX = [
  "environment",
  "processes",
  "relay",
  "calls",
  "kernel",
  "descriptors",
  "loopback",
  "sockets",
  "gateway",
  "metadata",
  "store",
  "home",
  "own-files",
  "outside",
  "git-folder",
  "model",
] as const satisfies readonly AttackId[];

function inOrder(outcomes: Partial<Record<AttackId, Outcome>>): Played[] {
  return IN_AGENT_SANDBOX.map((attack) => ({ attack, outcome: outcomes[attack] ?? notPlayed() }));
}

function allNotPlayed(why: string): Played[] {
  return IN_AGENT_SANDBOX.map((attack) => ({ attack, outcome: notPlayed(why) }));
}
