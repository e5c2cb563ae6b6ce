import { notPlayed, type Outcome, outcomeOf, type Played } from "../../core/drill/attack.ts";
import type { ConfinedProcess } from "../../ports/process-supervisor.ts";
import type { Limits } from "../../ports/sandbox.ts";
import type { WorkTree } from "../../ports/workspace.ts";
import { runToEnd } from "../attempt/run-command.ts";
import type { DrillWorld } from "./drill-world.ts";
import { openCheckSandbox } from "./open-check-sandbox.ts";

const MB = 1_048_576;
const WIDE: Limits = { processes: 256, memoryBytes: 1_024 * MB, fileBytes: 64 * MB, diskBytes: 256 * MB };
/** All of these end by themselves, for the sake of a machine where nobody ends them. */
const bomb = (secs: number): string =>
  `n=0; while [ $n -lt 120 ]; do n=$((n+1)); (sleep ${secs} &); done; sleep ${secs}`;
const glutton = (secs: number): string => `
  const held = [];
  const timer = setInterval(() => {
    held.push(Buffer.alloc(16 * 1024 ** 2, 1));
    if (held.length === 32) clearInterval(timer);
  }, 10);
  setTimeout(() => process.exit(), ${secs * 1_000});`;
// Little by little: what others free on the same disk meanwhile may hide a part of it for a moment.
const filler = (secs: number): string =>
  `n=0; while [ $n -lt 40 ]; do n=$((n+1)); head -c 4000000 /dev/zero > f$n; sleep 0.15; done; sleep ${secs}`;
const LARGEST_FILE = 2 * MB;
/** Ignores all that asks it to end, has a child that left its session, and says when it is ready. */
const STUBBORN =
  "(head -c 8000000 /dev/zero > large); trap '' TERM INT HUP; setsid sleep 20 & echo ready; n=0; while [ $n -lt 20 ]; do n=$((n+1)); sleep 1; done";

/** Programs that take too much: each has to be ended, and nothing of it may go on. The limits are low, so that little is taken. */
export async function playLimits(
  world: DrillWorld,
  tree: WorkTree,
  tell: (played: Played) => void,
): Promise<readonly Played[]> {
  const { limitSecs } = world;
  tell({
    attack: "limit-processes",
    outcome: await exceed(world, tree, { processes: 40 }, ["sh", "-c", bomb(limitSecs)]),
  });
  const eat: [string, ...string[]] = ["node", "-e", glutton(limitSecs)];
  tell({ attack: "limit-memory", outcome: await exceed(world, tree, { memoryBytes: 192 * MB }, eat) });
  tell({
    attack: "limit-disk",
    outcome: await exceed(world, tree, { diskBytes: 24 * MB }, ["sh", "-c", filler(limitSecs)]),
  });
  return playStubborn(world, tree);
}

async function exceed(
  world: DrillWorld,
  tree: WorkTree,
  limits: Partial<Limits>,
  argv: [string, ...string[]],
): Promise<Outcome> {
  const marker = `drill-${world.newId()}`;
  const sandbox = await openCheckSandbox(world, tree, { marker, limits: { ...WIDE, ...limits } });
  try {
    const options = {
      timeoutMs: (world.limitSecs + 10) * 1_000,
      tailBytes: 2_000,
      graceMs: 0,
      signal: world.signal,
    };
    const { exit } = await runToEnd(sandbox, { argv, cwd: tree.path, env: {}, stdin: "" }, options);
    if (exit.kind === "not-started") return notPlayed(exit.reason);
    const ended = sandbox.exceeded() !== null;
    return outcomeOf([...(ended ? [] : ["nobody ended it"]), ...(await survivors(world, marker))]);
  } finally {
    await sandbox.close();
  }
}

async function playStubborn(world: DrillWorld, tree: WorkTree): Promise<Played[]> {
  const { ground } = world;
  const marker = `drill-${world.newId()}`;
  const sandbox = await openCheckSandbox(world, tree, {
    marker,
    limits: { ...WIDE, fileBytes: LARGEST_FILE },
  });
  try {
    const running = sandbox.spawn({ argv: ["sh", "-c", STUBBORN], cwd: tree.path, env: {}, stdin: "" });
    const isReady = await saysReady(running);
    const size = await ground.size(`${tree.path}/large`);
    await running.stop(200);
    const exit = await running.exit;
    if (!isReady) {
      const why = notPlayed(exit.kind === "not-started" ? exit.reason : "it did not begin");
      return [
        { attack: "limit-file", outcome: why },
        { attack: "stubborn", outcome: why },
      ];
    }
    return [
      { attack: "limit-file", outcome: outcomeOf(size > LARGEST_FILE ? [`a file of ${size} bytes`] : []) },
      { attack: "stubborn", outcome: outcomeOf(await survivors(world, marker)) },
    ];
  } finally {
    await sandbox.close();
  }
}

async function saysReady(running: ConfinedProcess): Promise<boolean> {
  let text = "";
  for await (const { data } of running.output) {
    text += data.toString("utf8");
    if (text.includes("ready")) return true;
  }
  return false;
}

/** Whatever still carries the marker is ended here, and counts. */
async function survivors({ supervisor }: DrillWorld, marker: string): Promise<string[]> {
  const count = await supervisor.reap(marker);
  return count > 0 ? [`${count} processes went on`] : [];
}
