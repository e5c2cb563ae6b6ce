import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Issue, Repository } from "../../playground/model/types.ts";
import { grid, planOf as planText } from "../graphs.ts";
import { bytesIn } from "./bytes-in.ts";
import { countReads, countWrites, describeWrites } from "./count-writes.ts";
import { git, timesBetween } from "./histories.ts";
import { type LoomWorld, openLoomWorld, planOf } from "./loom-world.ts";
import { quantile } from "./quantile.ts";
import { redisCpuOf, usedMemory } from "./redis-memory.ts";
import { sampleFiles } from "./sample-files.ts";

const SHAPE = grid(2, 5);
const STAGES = SHAPE.levels.flat();
export const STAGES_OF_A_RUN = STAGES.length;
/** It looks now and then only: this process is the look-alike as well, and has better things to do. */
const PATIENCE = { withinMs: 30 * 60_000, everyMs: 250 };

export type ManyRuns = {
  readonly redisUrl: string;
  readonly runs: number;
  readonly repositories: number;
  readonly workers: number;
  /** In each repository. */
  readonly files: number;
};

export type Outcome = {
  readonly seconds: number;
  /** Merged stages per second, from the approval to the last of them. */
  readonly rate: number;
  /** How much longer the last tenth of the stages took than the first tenth. */
  readonly slowdown: number;
  /** From the moment a stage could start to the moment a worker took it, in milliseconds. */
  readonly queueWaitP50: number;
  /** From there to the start of the agent: the median, in milliseconds. */
  readonly prepareMs: number;
  readonly writes: number;
  readonly missing: number;
  readonly twice: readonly string[];
  /** What each run left, besides what is there without any and work trees: on the disks of all processes together, and in Redis. */
  readonly diskKb: number;
  readonly redisKb: number;
  /** For each stage, in milliseconds, from the approval on: what it costs, however busy the machine is otherwise. */
  readonly cpuMs: Cpu;
  /** For each stage: requests that were answered with more than "as before". */
  readonly requests: { readonly content: number; readonly writes: number; readonly reads: number };
};

export type Cpu = { readonly app: number; readonly workers: number; readonly redis: number };

type Asked = { readonly repository: Repository; readonly issue: Issue; readonly plan: Issue };
type Say = (text: string) => void;

/** Runs of ten stages, all at once, with agents that are done at once: each has to come to its end, and nothing to come twice. */
export async function runMany(options: ManyRuns, say: Say): Promise<Outcome> {
  const world = await openLoomWorld({
    ...options,
    files: sampleFiles(options.files),
    env: (folder) => {
      writeFileSync(join(folder, "script.json"), script());
      return {
        LOOM_SCRIPT: join(folder, "script.json"),
        SESSIONS: join(folder, "sessions.log"),
        LOOM_CONCURRENCY: "2",
      };
    },
  });
  try {
    return await runAll(world, options, say);
  } finally {
    await world.close();
  }
}

async function runAll(world: LoomWorld, options: ManyRuns, say: Say): Promise<Outcome> {
  const started = performance.now();
  const before = await sizes(world, options);
  const issues = Array.from({ length: options.runs }, (_, n) => {
    const repository = world.repositories[n % options.repositories] as Repository;
    const title = `Wish ${n + 1}`;
    // Runs are named after issue and plan; the witness of the agents needs names that differ between repositories.
    const plan = planText(SHAPE, 4).replace("# Bench", `# ${title}`);
    return { repository, issue: world.ask(repository, title, plan) };
  });
  const asked: Asked[] = [];
  for (const { repository, issue } of issues) {
    const plan = await world.until(() => planOf(repository, issue), `plan ${asked.length + 1}`, PATIENCE);
    asked.push({ repository, issue, plan });
  }
  const planned = performance.now();
  const approvedAt = Date.now();
  say(`${options.runs} plans after ${seconds(planned - started)}`);
  const from = world.github.world.github.requests.length;
  const cpuBefore = await cpuOf(world, options);
  for (const { repository, plan } of asked) world.approve(repository, plan);
  const total = options.runs * STAGES.length;
  await world
    .until(tellOf(world, total, say), `${total} merged stages`, PATIENCE)
    .catch((error: unknown) => say(String(error)));
  const ms = performance.now() - planned;
  // Whatever comes twice may come late.
  await world.quiet(3_000);
  const cpuAfter = await cpuOf(world, options);
  const requests = world.github.world.github.requests.slice(from);
  const writes = countWrites(requests);
  say(
    `${total} stages in ${seconds(ms)}; ${Math.round((writes.all / ms) * 60_000)} writes to GitHub a minute`,
  );
  say(describeWrites(writes, total));
  const found = findDuplicates(world, asked);
  const after = await sizes(world, options);
  for (const line of found.lines.slice(0, 20)) say(line);
  const mergedAt = world.repositories
    .flatMap(stagePulls)
    .flatMap(({ pull }) => pull?.mergedAt ?? [])
    .sort((one, other) => one - other);
  return {
    seconds: ms / 1000,
    rate: (mergedAt.length / ms) * 1000,
    slowdown: slowdownOf(approvedAt, mergedAt),
    queueWaitP50: quantile(timesBetween(world.repositories, "stage-queued", "attempt-started"), 0.5),
    prepareMs: quantile(timesBetween(world.repositories, "attempt-started", "session-started"), 0.5),
    writes: writes.all,
    missing: found.missing,
    twice: found.lines,
    diskKb: (after.disk - before.disk) / options.runs / 1024,
    redisKb: (after.redis - before.redis) / options.runs / 1024,
    cpuMs: {
      app: (cpuAfter.app - cpuBefore.app) / mergedAt.length,
      workers: (cpuAfter.workers - cpuBefore.workers) / mergedAt.length,
      redis: (cpuAfter.redis - cpuBefore.redis) / mergedAt.length,
    },
    requests: {
      content: writes.content / mergedAt.length,
      writes: (writes.all - writes.content) / mergedAt.length,
      reads: countReads(requests) / mergedAt.length,
    },
  };
}

async function cpuOf(world: LoomWorld, { redisUrl }: ManyRuns): Promise<Cpu> {
  return { ...world.cpu(), redis: await redisCpuOf(redisUrl) };
}

/** The mirrors are in it, and with them what each worker fetched of the repository. */
async function sizes({ folder }: LoomWorld, options: ManyRuns): Promise<{ disk: number; redis: number }> {
  const names = ["app", ...Array.from({ length: options.workers }, (_, n) => `worker-${n + 1}`)];
  const disk = names.reduce((sum, name) => sum + bytesBesidesTrees(join(folder, name)), 0);
  return { disk, redis: await usedMemory(options.redisUrl) };
}

/** Trees of runs that are over go with the sweep of the next hour, which this does not wait for. */
function bytesBesidesTrees(data: string): number {
  return bytesIn(data) - bytesIn(join(data, "workers"));
}

/** Tells of every tenth on the way. */
function tellOf(world: LoomWorld, total: number, say: Say): () => boolean {
  const began = performance.now();
  let shown = 0;
  return () => {
    const merged = world.repositories.flatMap(stagePulls).filter(({ pull }) => pull?.merged).length;
    if (merged >= shown + total / 10) {
      shown = merged;
      say(`${merged} of ${total} stages are merged after ${seconds(performance.now() - began)}`);
    }
    return merged >= total;
  };
}

function slowdownOf(began: number, mergedAt: readonly number[]): number {
  const tenth = Math.max(1, Math.floor(mergedAt.length / 10));
  const first = (mergedAt[tenth - 1] ?? Number.NaN) - began;
  const last = (mergedAt.at(-1) ?? Number.NaN) - (mergedAt.at(-1 - tenth) ?? Number.NaN);
  return last / first;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(0)} s`;
}

function stagePulls(repository: Repository): Issue[] {
  return [...repository.issues.values()].filter(
    ({ pull }) => pull !== null && STAGES.some((stage) => pull.headRef.endsWith(`/${stage}`)),
  );
}

/** Pull requests, agents, commits on the target, and texts: each may be there once. */
function findDuplicates(world: LoomWorld, asked: readonly Asked[]): { lines: string[]; missing: number } {
  const seen: string[] = readFileSync(join(world.folder, "sessions.log"), "utf8")
    .trim()
    .split("\n")
    .map((line) => `agent for ${line}`);
  let missing = 0;
  for (const repository of world.repositories) {
    for (const { number, pull, comments } of repository.issues.values()) {
      if (pull) seen.push(`pull request for ${repository.name} ${pull.headRef}`);
      for (const { author, body } of comments)
        if (author === world.bot) seen.push(`comment in ${repository.name}#${number}: ${shorten(body)}`);
    }
    const landed = landedStages(repository);
    for (const line of landed) seen.push(`merge of ${repository.name} ${line}`);
    const runs = asked.filter((one) => one.repository === repository).length;
    missing += runs * STAGES.length - new Set(landed).size;
  }
  const counts = new Map<string, number>();
  for (const one of seen) counts.set(one, (counts.get(one) ?? 0) + 1);
  const lines = [...counts]
    .filter(([, times]) => times > 1)
    .map(([what, times]) => `${times} times: ${what}`);
  return { lines, missing };
}

/** A panel is edited in place, so two with the same mark are two panels, whatever else they say. */
function shorten(body: string): string {
  return body.includes("loom:panel") ? "the panel" : body;
}

/** Run and stage of each commit of Loom's that stands on the target. */
function landedStages({ gitDir, defaultBranch }: Repository): string[] {
  return git(gitDir, "log", "--format=", "--name-only", "--diff-filter=A", defaultBranch, "--", "out");
}

/** Instant steps; the last of them is the witness that counts agents. */
function script(): string {
  const steps = [
    { run: 'mkdir -p "out/$LOOM_RUN_ID" && echo done > "out/$LOOM_RUN_ID/$LOOM_STAGE_ID"' },
    { run: 'echo "$LOOM_RUN_ID $LOOM_STAGE_ID" >> "$SESSIONS"' },
  ];
  return JSON.stringify({ stages: Object.fromEntries(STAGES.map((stage) => [stage, steps])) });
}
