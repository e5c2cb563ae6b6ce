import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Issue, Repository } from "../playground/model/types.ts";
import { grid, planOf as planText } from "./graphs.ts";
import type { Measurement } from "./result.ts";
import { countWrites, describeWrites } from "./support/count-writes.ts";
import { type LoomWorld, openLoomWorld, planOf } from "./support/loom-world.ts";
import { openRedis } from "./support/open-redis.ts";
import { sampleFiles } from "./support/sample-files.ts";

const REPOSITORIES = 10;
const RUNS_EACH = 2;
const SHAPE = grid(2, 5);
const STAGES = SHAPE.levels.flat();
/** It looks now and then only: this process is the look-alike as well, and has better things to do. */
const PATIENCE = { withinMs: 30 * 60_000, everyMs: 250 };

type Asked = { readonly repository: Repository; readonly issue: Issue; readonly plan: Issue };

/** Twenty runs of ten stages at once on Redis with two workers: each has to come to its end, and nothing to come twice. */
export async function benchManyRuns(say: (text: string) => void): Promise<Measurement[]> {
  const redis = await openRedis();
  if (!redis)
    return [
      { id: "runs.missing", name: NAME, leftOut: "REDIS_URL is not set and redis-server is not installed" },
    ];
  const world = await openLoomWorld({
    redisUrl: redis.url,
    workers: 2,
    repositories: REPOSITORIES,
    files: sampleFiles(),
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
    return await runAll(world, say);
  } finally {
    await world.close();
    await redis.close();
  }
}

const NAME = `${REPOSITORIES * RUNS_EACH} runs of ${STAGES.length} stages at once on Redis with 2 workers`;

async function runAll(world: LoomWorld, say: (text: string) => void): Promise<Measurement[]> {
  const count = REPOSITORIES * RUNS_EACH;
  const started = performance.now();
  const issues = Array.from({ length: count }, (_, n) => {
    const repository = world.repositories[n % REPOSITORIES] as Repository;
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
  say(`${count} plans after ${seconds(planned - started)}`);
  const from = world.github.world.github.requests.length;
  for (const { repository, plan } of asked) world.approve(repository, plan);
  const total = count * STAGES.length;
  let shown = 0;
  await world
    .until(
      () => {
        const merged = world.repositories.flatMap(stagePulls).filter(({ pull }) => pull?.merged).length;
        if (merged >= shown + total / 10) {
          shown = merged;
          say(`${merged} of ${total} stages are merged after ${seconds(performance.now() - planned)}`);
        }
        return merged >= total;
      },
      `${total} merged stages`,
      PATIENCE,
    )
    .catch((error: unknown) => say(String(error)));
  const ms = performance.now() - planned;
  // Whatever comes twice may come late.
  await world.quiet(3_000);
  const writes = countWrites(world.github.world.github.requests.slice(from));
  say(
    `${total} stages in ${seconds(ms)}; ${Math.round((writes.all / ms) * 60_000)} writes to GitHub a minute`,
  );
  say(describeWrites(writes, total));
  const found = findDuplicates(world, asked);
  for (const line of found.lines.slice(0, 20)) say(line);
  const detail = {
    seconds: ms / 1000,
    stages: total,
    writes: writes.all,
    perMinute: (writes.all / ms) * 60_000,
  };
  return [
    {
      id: "runs.missing",
      name: `${NAME}: stages that did not end merged`,
      value: found.missing,
      unit: "",
      detail,
    },
    {
      id: "runs.twice",
      name: `${NAME}: what was done twice`,
      value: found.lines.length,
      unit: "",
      detail: found,
    },
  ];
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
  const added = execFileSync(
    "git",
    ["log", "--format=", "--name-only", "--diff-filter=A", defaultBranch, "--", "out"],
    { cwd: gitDir, encoding: "utf8" },
  );
  return added.split("\n").filter((line) => line !== "");
}

/** Instant steps; the last of them is the witness that counts agents. */
function script(): string {
  const steps = [
    { run: 'mkdir -p "out/$LOOM_RUN_ID" && echo done > "out/$LOOM_RUN_ID/$LOOM_STAGE_ID"' },
    { run: 'echo "$LOOM_RUN_ID $LOOM_STAGE_ID" >> "$SESSIONS"' },
  ];
  return JSON.stringify({ stages: Object.fromEntries(STAGES.map((stage) => [stage, steps])) });
}
