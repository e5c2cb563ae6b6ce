import type { Measurement, Result } from "./result.ts";
import { openRedis } from "./support/open-redis.ts";
import { runMany, STAGES_OF_A_RUN } from "./support/run-many.ts";

const RUNS = 20;
const NAME = `${RUNS} runs of ${STAGES_OF_A_RUN} stages at once in one repository, Redis, 2 workers`;

/** What many runs cost each other: all of them change one branch. */
export async function benchManyRuns(say: (text: string) => void): Promise<Measurement[]> {
  const redis = await openRedis();
  if (!redis)
    return [
      { id: "runs.rate", name: NAME, leftOut: "REDIS_URL is not set and redis-server is not installed" },
    ];
  try {
    const redisUrl = redis.url;
    const outcome = await runMany({ redisUrl, runs: RUNS, repositories: 1, workers: 2, files: 200 }, say);
    const result = (id: string, name: string, value: number, unit = ""): Result => ({
      id: `runs.${id}`,
      name: `${NAME}: ${name}`,
      value,
      unit,
      detail: outcome,
    });
    return [
      result("rate", "stages per second", outcome.rate),
      result("slowdown", "the last tenth of the stages against the first", outcome.slowdown, "×"),
      result("missing", "stages that did not end merged", outcome.missing),
      result("twice", "what was done twice", outcome.twice.length),
      result(
        "disk",
        "what each run left on the disks of the App and the workers, with mirrors and without work trees",
        outcome.diskKb,
        "KB",
      ),
      result("redis", "what each run left in Redis", outcome.redisKb, "KB"),
    ];
  } finally {
    await redis.close();
  }
}
