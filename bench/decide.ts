import { decide } from "../src/core/run/decide.ts";
import { evolve } from "../src/core/run/evolve/evolve.ts";
import type { Run } from "../src/core/run/run.ts";
import { grid, planOf } from "./graphs.ts";
import type { Result } from "./result.ts";

const SIZES = [100, 1_000, 10_000] as const;
const TURNS = 25;

/**
 * Time per stage must not grow with the graph. The sizes take turns and the least disturbed turn of each counts: what
 * else the machine does comes and goes within seconds and would fall on one size alone.
 */
export function benchDecide(say: (text: string) => void): Result[] {
  const cases = SIZES.map((size) => ({
    size,
    run: halfway(size),
    rounds: Math.max(20, 200_000 / size),
    nanos: Number.POSITIVE_INFINITY,
  }));
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const one of cases) one.nanos = Math.min(one.nanos, timeDecide(one.run, one.rounds) / one.size);
  }
  for (const { size, nanos } of cases) say(`decide at ${size} stages: ${nanos.toFixed(0)} ns per stage`);
  const [smallest, ...others] = cases.map(({ nanos }) => nanos);
  return [
    {
      id: "decide.growth",
      name: "decide: time per stage at 1,000 and 10,000 stages against 100",
      value: Math.max(...others) / (smallest ?? Number.NaN),
      unit: "×",
      detail: Object.fromEntries(cases.map(({ size, nanos }) => [`nanosPerStageAt${size}`, nanos])),
    },
  ];
}

/** In nanoseconds, for one look. */
export function timeDecide(run: Run, rounds: number): number {
  const started = process.hrtime.bigint();
  for (let n = 0; n < rounds; n += 1) decide(run, 0);
  return Number(process.hrtime.bigint() - started) / rounds;
}

/** A run in which half of the stages are merged: every branch of `decide` has something to do. */
export function halfway(size: number): Run {
  const shape = grid(10, size / 10);
  const sha = "a".repeat(40);
  const at = "2026-01-01T00:00:00.000Z";
  let run = evolve(null, [
    {
      type: "run-created",
      at,
      run: "bench-1",
      generation: 0,
      planPath: "PLAN.md",
      planText: planOf(shape, 10),
      target: "main",
      base: sha,
      gate: null,
      settings: {
        harness: "command",
        harnessWins: false,
        maxParallel: 10,
        retries: 2,
        timeoutSecs: 1,
        noProgressSecs: 1,
        transientDelaysSecs: [],
        backoffSecs: { base: 1, max: 1 },
      },
    },
  ]);
  const done = shape.levels.slice(0, shape.levels.length / 2).flat();
  run = evolve(
    run,
    done.flatMap((stage) => [
      { type: "stage-queued" as const, at, stage, attempt: 1, notBefore: null },
      { type: "attempt-started" as const, at, stage, attempt: 1, claim: "c", base: sha },
      { type: "stage-merged" as const, at, stage, attempt: 1, commit: sha, merged: sha },
    ]),
  );
  if (!run) throw new Error("no run");
  return run;
}
