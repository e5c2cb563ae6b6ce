import type { Measurement, Result } from "./result.ts";
import { openRedis } from "./support/open-redis.ts";
import { type Outcome, runMany, STAGES_OF_A_RUN } from "./support/run-many.ts";

type Say = (text: string) => void;
type Case = { readonly runs: number; readonly workers: number; readonly files: number };

/** From a single run to a hundred, from one worker to four, and one repository of a real project's size. */
const CASES: readonly Case[] = [
  { runs: 1, workers: 1, files: 200 },
  { runs: 10, workers: 1, files: 200 },
  { runs: 10, workers: 2, files: 200 },
  { runs: 10, workers: 4, files: 200 },
  { runs: 100, workers: 2, files: 200 },
  { runs: 1, workers: 1, files: 10_000 },
];

/** How the service behaves as the work grows: nothing may grow faster than the work itself. Takes many minutes. */
export async function benchScale(say: Say): Promise<Measurement[]> {
  const outcomes: (Case & Outcome)[] = [];
  for (const one of CASES) {
    const redis = await openRedis();
    if (!redis) return [{ id: "scale.growth", name: NAME, leftOut: "redis-server is not installed" }];
    try {
      say(`${one.runs} runs of ${STAGES_OF_A_RUN} stages, ${one.workers} workers, ${one.files} files`);
      const outcome = await runMany({ redisUrl: redis.url, repositories: 1, ...one }, say);
      outcomes.push({ ...one, ...outcome });
      say(
        `  ${outcome.rate.toFixed(2)} stages a second, ${Math.round(outcome.queueWaitP50)} ms in the queue (p50), ` +
          `${Math.round(outcome.redisKb)} KB of Redis and ${Math.round(outcome.diskKb)} KB of disk for each run`,
      );
    } finally {
      await redis.close();
    }
  }
  return [growth(outcomes)];
}

const NAME = "time per stage with 100 runs at once against 10, 2 workers";

function growth(outcomes: readonly (Case & Outcome)[]): Result {
  const rateOf = (runs: number): number =>
    outcomes.find((one) => one.runs === runs && one.workers === 2)?.rate ?? Number.NaN;
  const value = rateOf(10) / rateOf(100);
  return { id: "scale.growth", name: NAME, value, unit: "×", detail: { outcomes } };
}
