import { spawn } from "node:child_process";
import { tmpdir } from "node:os";
import type { HarnessSession } from "../src/ports/harness.ts";
import type { SandboxProvider } from "../src/ports/sandbox.ts";
import { median } from "./measure.ts";
import type { Measurement } from "./result.ts";
import { startPacedModel } from "./support/paced-model.ts";
import { memoryBelow } from "./support/process-memory.ts";
import { openSessionWorld, type SessionWorld } from "./support/session-world.ts";

type Say = (text: string) => void;

/** A short session: real ones have more turns, and models that take longer for each. */
const TURNS = 6;
const PACE_MS = 1_500;
const ROUNDS = 5;
const AT_ONCE = 4;

/**
 * What Loom adds to a session of an agent CLI: the same CLI, the same words, the same model, once started bare and once
 * by Loom in a sandbox of the sandbox, in turns. Memory is what the sandbox's own processes take beside the CLI, and Loom's own
 * growth.
 */
export async function benchSession(say: Say): Promise<Measurement[]> {
  const world = await openSessionWorld();
  try {
    const missing = await whatIsMissing(world);
    if (missing !== null) return [{ id: "session.time", name: "session", leftOut: missing }];
    return [await compareTime(say, world), await measureMemory(say, world)];
  } finally {
    await world.close();
  }
}

async function whatIsMissing({ sandboxes, claude }: SessionWorld): Promise<string | null> {
  if (sandboxes.kind !== "bubblewrap") return `there is no sandbox here: ${sandboxes.report.detail}`;
  const check = await claude("http://127.0.0.1").check();
  return check.kind === "ready" ? null : `${check.reason} ${check.next}`;
}

async function compareTime(say: Say, world: SessionWorld): Promise<Measurement> {
  const model = await startPacedModel(TURNS, PACE_MS);
  try {
    const bare: number[] = [];
    const loom: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(await runBare(await commandOf(world, model.url)));
      loom.push(await runInSandbox(world, model.url));
      say(`session: bare ${bare.at(-1)?.toFixed(0)} ms, in a sandbox ${loom.at(-1)?.toFixed(0)} ms`);
    }
    const floor = median(bare);
    return {
      id: "session.time",
      name: `session: time that Loom adds to a session of ${TURNS + 1} turns of ${PACE_MS / 1000} s`,
      value: (median(loom) / floor - 1) * 100,
      unit: "%",
      detail: { bareMs: floor, loomMs: median(loom), addedMs: median(loom) - floor },
    };
  } finally {
    await model.close();
  }
}

type Command = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
};

/** How the harness starts the CLI, taken from a sandbox in which nothing is started. */
async function commandOf(world: SessionWorld, modelUrl: string): Promise<Command> {
  let command: Command | null = null;
  const spying: SandboxProvider = {
    ...world.sandboxes,
    async open(sandboxSpec) {
      const sandbox = await world.sandboxes.open(sandboxSpec);
      return {
        ...sandbox,
        modelUrl,
        spawn(spec) {
          command = { ...spec, env: { ...sandbox.env, ...spec.env } };
          return sandbox.spawn({ ...spec, argv: ["true"] });
        },
      };
    },
  };
  const session = world.claude(modelUrl, spying).start({ ...world.session(), judge: null });
  await listen(session);
  if (command === null) throw new Error("the harness started nothing");
  return command;
}

async function runBare({ argv, cwd, env, stdin }: Command): Promise<number> {
  const [program = "", ...args] = argv;
  const open = Object.fromEntries(Object.entries(env).filter(([name]) => !/proxy/i.test(name)));
  const started = performance.now();
  const child = spawn(program, args, {
    cwd,
    env: { ...open, PATH: process.env.PATH ?? "", TMPDIR: tmpdir(), CLAUDE_CODE_TMPDIR: tmpdir() },
    stdio: ["pipe", "ignore", "inherit"],
  });
  child.stdin.end(stdin);
  const code = await new Promise((resolve) => child.on("exit", resolve));
  if (code !== 0) throw new Error(`the bare CLI ended with ${code}`);
  return performance.now() - started;
}

async function runInSandbox(world: SessionWorld, modelUrl: string): Promise<number> {
  const harness = world.claude(modelUrl);
  const spec = world.session();
  const started = performance.now();
  const session = harness.start(spec);
  const { failure } = await listen(session);
  if (failure) throw new Error(`the session failed: ${failure.message}`);
  return performance.now() - started;
}

async function listen(session: HarnessSession) {
  for await (const _ of session.events);
  return session.end;
}

async function measureMemory(say: Say, world: SessionWorld): Promise<Measurement> {
  const model = await startPacedModel(0, null);
  try {
    const harness = world.claude(model.url);
    const before = process.memoryUsage().rss;
    const sessions = Array.from({ length: AT_ONCE }, () => harness.start(world.session()));
    const ends = await Promise.all(sessions.map(untilItRuns));
    const grownMb = Math.max(0, process.memoryUsage().rss - before) / 1024 ** 2;
    const all = memoryBelow(process.pid);
    await Promise.all(sessions.map((session) => session.stop(0)));
    await Promise.all(ends.map(({ end }) => end));
    const isCli = ({ name }: { readonly name: string }): boolean => name.startsWith("claude");
    const sum = (list: readonly { readonly mb: number }[]): number =>
      list.reduce((total, { mb }) => total + mb, 0) / AT_ONCE;
    const cliMb = sum(all.filter(isCli));
    const sandboxMb = sum(all.filter((one) => !isCli(one)));
    say(`session: each CLI ${cliMb.toFixed(0)} MB, its sandbox ${sandboxMb.toFixed(0)} MB`);
    return {
      id: "session.memory",
      name: `session: memory of each of ${AT_ONCE} at once, beyond the CLI's own`,
      value: sandboxMb + grownMb / AT_ONCE,
      unit: "MB",
      detail: { cliMb, sandboxMb, loomGrowthMb: grownMb / AT_ONCE },
    };
  } finally {
    await model.close();
  }
}

/** Reads on in the background, so that the session never waits for a listener. */
async function untilItRuns(session: HarnessSession): Promise<{ readonly end: Promise<unknown> }> {
  const events = session.events[Symbol.asyncIterator]();
  await events.next();
  const rest = async (): Promise<void> => {
    while (!(await events.next()).done);
  };
  return { end: rest().then(() => session.end) };
}
