import {
  ATTACK_IDS,
  ATTACKS,
  type AttackId,
  type AttackKind,
  notPlayed,
  type Outcome,
  type Played,
} from "../../core/drill/attack.ts";
import { judgeSettings } from "../../core/drill/judge-settings.ts";
import { messageOf } from "../../core/errors.ts";
import type { WorkTree } from "../../ports/workspace.ts";
import { Interrupted, throwIfInterrupted } from "../attempt/interrupted.ts";
import type { DrillWorld } from "./drill-world.ts";
import { HARMLESS, hostileTree } from "./hostile-tree.ts";
import { IN_AGENT_SANDBOX, playAgentSandbox } from "./play-agent-sandbox.ts";
import { IMPORTED, playImport } from "./play-import.ts";
import { playSecondSandbox, playSetUp, TRACE_FOLDERS } from "./play-later-sandboxes.ts";
import { playLimits } from "./play-limits.ts";

/**
 * Plays every attack once and tells each as it ends. Where there is no sandbox, no attacking program is started: it would
 * run with the rights of whoever types the command. What such a program would have left behind is then written by the drill
 * itself, so that the import is tried either way; nothing of it is run.
 */
export async function playDrill(world: DrillWorld): Promise<Played[]> {
  const { ground } = world;
  const trace = `.loom-drill-${world.newId()}`;
  try {
    return await playAll(world, trace);
  } finally {
    // Where a defence was missing, they lie outside.
    const strays = [...ground.forbidden, ...TRACE_FOLDERS.map((folder) => `${folder}/${trace}`)];
    for (const path of strays) await ground.remove(path).catch(() => {});
  }
}

async function playAll(world: DrillWorld, trace: string): Promise<Played[]> {
  const all: Played[] = [];
  const tell = (played: Played): void => {
    throwIfInterrupted(world.signal);
    all.push(played);
    world.onPlayed(played.attack, played.outcome);
  };
  const { ground, repository } = world;
  const hostile = hostileTree({
    outside: ground.outside,
    secret: world.secret,
    trap: (name) => ground.trap(name),
  });
  const plants = [HARMLESS, ...Object.values(hostile).flat()];
  const workspace = await world.openWorkspace(null);
  const open = (): Promise<WorkTree> => workspace.open(repository.base);
  const tree = await open();
  if (world.sandboxes.kind !== "off") {
    await part(IN_AGENT_SANDBOX, () => playAgentSandbox(world, tree, plants, trace));
    const second = await open();
    await part(["leftovers", "history"], () =>
      playSecondSandbox(world, second, { trace, hidden: ground.canary }),
    );
    await part(["set-up"], () => playSetUp(world, second));
    await part(LIMITS, () => playLimits(world, second, tell));
    await workspace.close(second);
  } else {
    await part([], async () =>
      of("sandbox").map((attack) => ({ attack, outcome: withoutSandbox(world, attack) })),
    );
    await ground.plant(tree.path, plants);
  }
  await part(IMPORTED, () => playImport(world, workspace, tree, hostile));
  await part([], async () => judgeSettings(world.settings));
  return all;

  /** What breaks while attacks are played says nothing about their defences, so these count as open, and the rest is played. */
  async function part(attacks: readonly AttackId[], play: () => Promise<readonly Played[]>): Promise<void> {
    try {
      for (const played of await play()) tell(played);
    } catch (error) {
      throwIfInterrupted(world.signal);
      if (error instanceof Interrupted || attacks.length === 0) throw error;
      const [why = ""] = messageOf(error).split("\n");
      const told = new Set(all.map(({ attack }) => attack));
      for (const attack of attacks) if (!told.has(attack)) tell({ attack, outcome: notPlayed(why) });
    }
  }
}

const LIMITS = [
  "limit-processes",
  "limit-memory",
  "limit-disk",
  "limit-file",
  "stubborn",
] as const satisfies readonly AttackId[];

function withoutSandbox({ store }: DrillWorld, attack: AttackId): Outcome {
  return attack === "store" && store === null
    ? { kind: "skipped", why: "not-configured" }
    : { kind: "open", why: "no-sandbox" };
}

function of(kind: AttackKind): AttackId[] {
  return ATTACK_IDS.filter((id) => ATTACKS[id] === kind);
}
