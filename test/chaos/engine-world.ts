import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { RunSettings } from "../../src/core/config/run-settings.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { createRunLedgers } from "../../src/engine/run/run-ledgers.ts";
import { startRun } from "../../src/engine/run/start-run.ts";
import type { FeedItem } from "../../src/ports/feed.ts";
import { type Local, openLocal } from "../../src/wiring/local.ts";
import type { Scene } from "../support/chaos.ts";

export const RUN = "chaos-1";

const SETTINGS: RunSettings = {
  harness: "command",
  harnessWins: false,
  maxParallel: 4,
  retries: 1,
  timeoutSecs: 60,
  noProgressSecs: 0,
  transientDelaysSecs: [],
  backoffSecs: { base: 0, max: 0 },
};

/** One process as far as the ledger and git can tell: an engine of its own over the real adapters. */
export type World = {
  readonly local: Local;
  readonly engine: Engine;
  /** What its onlookers were shown. */
  readonly items: FeedItem[];
  /** Ends its programs and lets go of its files, as the system does for a process that died. */
  die(): Promise<void>;
};

export type Ports = Pick<Engine, "store" | "forgeFor" | "workspaceFor">;

type WorldOptions = {
  /** Puts something between the engine and its ports. */
  readonly change?: (ports: Ports) => Partial<Engine>;
  /** Work trees of its own, for a world that lives beside another one. */
  readonly trees?: string;
};

export async function openWorld(
  scene: Scene,
  agent: string,
  { change = () => ({}), trees = "trees" }: WorldOptions = {},
): Promise<World> {
  const items: FeedItem[] = [];
  const feed = (item: FeedItem): void => void items.push(item);
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    CHAOS: scene.folder,
    LOOM_TREES: join(scene.folder, trees),
    LOOM_SANDBOX: "off",
    LOOM_COMMAND_BIN: "/bin/sh",
    LOOM_COMMAND_ARGS: JSON.stringify(["-c", agent]),
  };
  const local = await openLocal({ cwd: scene.repo.root, env, feed, runsAgents: true });
  const { store, forgeFor, workspaceFor } = local.engine;
  const changed = change({ store, forgeFor, workspaceFor });
  const engine: Engine = {
    ...local.engine,
    ...changed,
    runs: createRunLedgers(changed.store ?? store, feed),
  };
  const die = async (): Promise<void> => {
    await local.engine.supervisor.close();
    await local.engine.store.close();
  };
  onTestFinished(die);
  return { local, engine, items, die };
}

/** The first event of the run, as `loom run` writes it. */
export async function begin({ local, engine }: World, settings: Partial<RunSettings> = {}): Promise<void> {
  const { repository } = local;
  const planText = await local.workspace(RUN).readFile(repository.headSha ?? "", "PLAN.md", 1_000_000);
  await startRun(engine, local.workspace(RUN), {
    run: RUN,
    planPath: "PLAN.md",
    planText: planText ?? "",
    planHasGate: true,
    target: "main",
    base: repository.headSha ?? "",
    generation: 0,
    settings: { ...SETTINGS, ...settings },
  });
}

/** `forge.merge`, `workspace.commit`, or an append, named after one of the events in it: `append attempt-committed`. */
export type Moment = `forge.${string}` | `workspace.${string}` | `append ${string}`;

type Call = () => unknown;

/** Lets `around` stand between the engine and every call of its ports; it is told what the call is known by. */
function between(ports: Ports, around: (names: readonly string[], call: Call) => unknown): Partial<Engine> {
  const wrapped = <T extends object>(port: T, namesOf: (method: string, args: unknown[]) => string[]): T =>
    new Proxy(port, {
      get(target, method) {
        const value: unknown = Reflect.get(target, method);
        if (typeof value !== "function" || method === "watch") return value;
        return (...args: unknown[]): unknown =>
          around(namesOf(String(method), args), () => Reflect.apply(value, target, args));
      },
    });
  return {
    store: wrapped(ports.store, (method, args) =>
      method === "append" ? (args[2] as { type: string }[]).map(({ type }) => `append ${type}`) : [],
    ),
    forgeFor: async (run) => wrapped(await ports.forgeFor(run), (method) => [`forge.${method}`]),
    workspaceFor: (run) => wrapped(ports.workspaceFor(run), (method) => [`workspace.${method}`]),
  };
}

export type PowerCut = {
  readonly change: (ports: Ports) => Partial<Engine>;
  /** Resolves when the power is gone. */
  readonly gone: Promise<void>;
};

/**
 * From a moment on no call of this engine is answered any more, and none has an effect: what a process that was killed
 * looks like to the rest of the world. `after`: the call in question took effect, but nobody heard of it.
 */
export function cutPower(when: "before" | "after", moment: Moment): PowerCut {
  let dead = false;
  let tell = (): void => {};
  const gone = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const never = new Promise<never>(() => {});
  const die = (): Promise<never> => {
    dead = true;
    tell();
    return never;
  };
  const around = (names: readonly string[], call: Call): unknown => {
    if (dead) return never;
    const isIt = names.includes(moment);
    if (isIt && when === "before") return die();
    const result = call();
    return result instanceof Promise
      ? result.then((answer) => (isIt ? die() : dead ? never : answer))
      : result;
  };
  return { gone, change: (ports) => between(ports, around) };
}

/** The machine refuses these calls once each, one after the other. */
export function refuse(
  ...moments: readonly Moment[]
): Pick<PowerCut, "change"> & { readonly left: Moment[] } {
  const left = [...moments];
  const around = (names: readonly string[], call: Call): unknown => {
    const [moment] = left;
    if (moment === undefined || !names.includes(moment)) return call();
    left.shift();
    return Promise.reject(new Error(`the machine is in trouble at ${moment}`));
  };
  return { left, change: (ports) => between(ports, around) };
}
