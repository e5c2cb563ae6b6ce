import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "../playground/model/types.ts";
import { grid, planOf as planText } from "./graphs.ts";
import { measure, median } from "./measure.ts";
import type { Measurement, Result } from "./result.ts";
import { type LoomWorld, openLoomWorld, planOf } from "./support/loom-world.ts";
import { openRedis } from "./support/open-redis.ts";
import { sampleFiles } from "./support/sample-files.ts";
import { type Answered, timeAnswers } from "./support/time-answers.ts";

const ROUNDS = 7;

/** Notes that it was started, by a file whose time is read, and does its work at once. */
const AGENT = 'touch "$STARTED/$LOOM_RUN_ID" && mkdir -p out && echo "$LOOM_RUN_ID" > "out/$LOOM_RUN_ID"';

type Round = {
  readonly ms: number;
  readonly gitMs: number;
  /** Of the look-alike, which starts several git processes to answer for a pull request. */
  readonly githubMs: number;
  readonly requests: number;
};

/**
 * From the moment at which somebody sets the label to the moment at which the agent runs, less what git needs at the
 * least: a fetch of the branch and a work tree of its tip, by the ordinary commands and from the same look-alike.
 */
export async function benchLabelToAgent(say: (text: string) => void): Promise<Measurement[]> {
  const embedded = await measurePair("embedded", null, say);
  const redis = await openRedis();
  if (!redis) {
    const leftOut = "REDIS_URL is not set and redis-server is not installed";
    return [embedded, { id: "label.redis", name: nameOf("Redis"), leftOut }];
  }
  try {
    return [embedded, await measurePair("Redis", redis.url, say)];
  } finally {
    await redis.close();
  }
}

async function measurePair(
  store: string,
  redisUrl: string | null,
  say: (text: string) => void,
): Promise<Result> {
  const world = await openLoomWorld({
    redisUrl,
    workers: redisUrl === null ? 0 : 1,
    repositories: 1,
    files: sampleFiles(),
    env: (folder) => ({
      STARTED: join(folder, "started"),
      LOOM_COMMAND_BIN: "/bin/sh",
      LOOM_COMMAND_ARGS: JSON.stringify(["-c", AGENT]),
    }),
  });
  try {
    const [repository] = world.repositories;
    if (!repository) throw new Error("no repository");
    const floor = await openFloor(world, repository);
    const answers = timeAnswers(world.github);
    const rounds: Round[] = [];
    for (let number = 1; number <= ROUNDS; number += 1) {
      const round = {
        ...(await fromLabelToAgent(world, repository, number, answers)),
        gitMs: await floor(number),
      };
      rounds.push(round);
      say(
        `label to agent, ${store}, round ${number}: ${round.ms.toFixed(0)} ms, raw git ${round.gitMs.toFixed(0)} ms, ` +
          `GitHub's ${round.requests} answers ${round.githubMs.toFixed(0)} ms`,
      );
    }
    const medianOf = (pick: (round: Round) => number): number => median(rounds.map(pick));
    return {
      id: `label.${store.toLowerCase()}`,
      name: nameOf(store),
      value: medianOf(({ ms, gitMs }) => ms - gitMs),
      unit: "ms",
      detail: {
        ms: medianOf(({ ms }) => ms),
        gitMs: medianOf(({ gitMs }) => gitMs),
        githubMs: medianOf(({ githubMs }) => githubMs),
        rounds,
      },
    };
  } finally {
    await world.close();
  }
}

function nameOf(store: string): string {
  return `from label to first agent beyond raw git, ${store}`;
}

async function fromLabelToAgent(
  world: LoomWorld,
  repository: Repository,
  round: number,
  answers: (from: number, to: number) => Answered[],
): Promise<Omit<Round, "gitMs">> {
  const started = join(world.folder, "started");
  mkdirSync(started, { recursive: true });
  const issue = world.ask(repository, `Round ${round}`, planText(grid(1, 1), 1));
  const plan = await world.until(() => planOf(repository, issue), "the plan");
  await world.quiet();
  const run = plan.pull?.headRef.replace(/^loom\//, "").replace(/\.plan$/, "") ?? "";
  const labelled = Date.now();
  world.approve(repository, plan);
  const startedAt = await world.until(() => timeOf(join(started, run)), "the agent");
  await world.until(() => isMerged(repository, run), "the end of the run");
  await world.quiet();
  const answered = answers(labelled, startedAt);
  const githubMs = answered.reduce((sum, { ms }) => sum + ms, 0);
  return { ms: startedAt - labelled, githubMs, requests: answered.length };
}

function timeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

function isMerged(repository: Repository, run: string): boolean {
  return [...repository.issues.values()].some(
    ({ pull }) => pull?.merged && pull.headRef.startsWith(`loom/${run}/`),
  );
}

/** What a person's script would do: fetch the branch, check its tip out. */
async function openFloor(
  world: LoomWorld,
  repository: Repository,
): Promise<(round: number) => Promise<number>> {
  const cwd = join(world.folder, "floor");
  mkdirSync(cwd);
  const url = `${world.github.url}/${repository.owner}/${repository.name}.git`;
  await measure(["git", "init", "--quiet", "--bare", "mirror.git"], { cwd });
  const mirror = join(cwd, "mirror.git");
  const fetch = ["git", "fetch", "--quiet", url, "+refs/heads/main:refs/heads/main"];
  await measure(fetch, { cwd: mirror });
  return async (round) => {
    const tree = ["git", "worktree", "add", "--quiet", "--detach", join(cwd, `tree-${round}`), "main"];
    return (await measure(fetch, { cwd: mirror })).ms + (await measure(tree, { cwd: mirror })).ms;
  };
}
