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
    if (!redis) return [{ id: "scale.growth", name: NAMES.growth, leftOut: "redis-server is not installed" }];
    try {
      say(`${one.runs} runs of ${STAGES_OF_A_RUN} stages, ${one.workers} workers, ${one.files} files`);
      const outcome = await runMany({ redisUrl: redis.url, repositories: 1, ...one }, say);
      outcomes.push({ ...one, ...outcome });
      say(
        `  ${outcome.rate.toFixed(2)} stages a second, ${Math.round(outcome.queueWaitP50)} ms in the queue (p50), ` +
          `${Math.round(outcome.redisKb)} KB of Redis and ${Math.round(outcome.diskKb)} KB of disk for each run; ` +
          `CPU for each stage: workers ${Math.round(outcome.cpuMs.workers)} ms, App ${Math.round(outcome.cpuMs.app)} ms, ` +
          `Redis ${Math.round(outcome.cpuMs.redis)} ms`,
      );
    } finally {
      await redis.close();
    }
  }
  return [
    growth("growth", outcomes, ({ rate }) => 1 / rate),
    growth("cpu", outcomes, ({ cpuMs }) => cpuMs.app + cpuMs.workers + cpuMs.redis),
  ];
}

const NAMES = {
  growth: "time per stage with 100 runs at once against 10, 2 workers",
  cpu: "CPU per stage with 100 runs at once against 10, 2 workers",
} as const;

function growth(
  id: keyof typeof NAMES,
  outcomes: readonly (Case & Outcome)[],
  costOf: (outcome: Outcome) => number,
): Result {
  const cost = (runs: number): number => {
    const found = outcomes.find((one) => one.runs === runs && one.workers === 2);
    return found ? costOf(found) : Number.NaN;
  };
  const value = cost(100) / cost(10);
  return { id: `scale.${id}`, name: NAMES[id], value, unit: "×", detail: { outcomes } };
}
