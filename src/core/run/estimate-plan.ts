import { criticalPath } from "../graph/critical-path.ts";
import { type RunOrder, withSynthesis } from "../graph/with-synthesis.ts";
import type { Millis, StageId } from "../ids.ts";
import type { Plan, StagePlan } from "../plan/plan.ts";
import type { Run, StageRecord } from "./run.ts";

/** What a plan may take, going by what earlier runs took; not a limit. */
export type PlanEstimate = {
  /** null: no earlier stage said what it cost. */
  readonly costUsd: Range | null;
  /** Until all is published: as long as the longest chain of stages, or as all of them divided by how many run at a time. */
  readonly timeMs: Range;
  /** What it rests on. */
  readonly basis: { readonly stages: number; readonly runs: number };
};

/** Half of the earlier stages stayed below `typical`, nine of ten below `high`. */
export type Range = { readonly typical: number; readonly high: number };

type Kind = Pick<StagePlan, "type" | "effort">;
type Sample = Kind & {
  readonly durationMs: Millis;
  readonly costUsd: number | null;
};

/** Fewer samples of one kind say less than all samples do. */
const ENOUGH = 5;

/**
 * null when no stage of an earlier run was completed by an agent. A stage is measured by those of its type and effort
 * when there are enough of them, else by those of its type, else by all. A stage's time runs until it is published: where
 * people merge, the next stages don't wait for them, and a pull request that lay there for a day says nothing about work.
 */
export function estimatePlan(
  plan: Pick<Plan, "stages">,
  graph: RunOrder,
  earlier: readonly Pick<Run, "stages">[],
  maxParallel: number,
): PlanEstimate | null {
  const perRun = earlier.map((run) => [...run.stages.values()].flatMap((record) => sampleOf(record) ?? []));
  const samples = perRun.flat();
  if (samples.length === 0) return null;
  const costs = samples.filter(({ costUsd }) => costUsd !== null);
  const cost = measure(costs, ({ costUsd }) => costUsd ?? 0);
  const time = measure(samples, ({ durationMs }) => durationMs);
  const order = withSynthesis(graph, plan.stages);
  const times = new Map(plan.stages.map((stage) => [stage.id, time(stage)]));
  return {
    costUsd: costs.length === 0 ? null : sumOf(plan.stages.map(cost)),
    timeMs: {
      typical: timeOf(order, (id) => times.get(id)?.typical ?? 0, maxParallel),
      high: timeOf(order, (id) => times.get(id)?.high ?? 0, maxParallel),
    },
    basis: { stages: samples.length, runs: perRun.filter((one) => one.length > 0).length },
  };
}

function sampleOf(record: StageRecord): Sample | null {
  const { plan, state, takenBy, startedAt, firstPublishedAt, usage } = record;
  // A stage that changed nothing was never published.
  const doneAt = firstPublishedAt ?? record.endedAt;
  // What a person did says nothing about agents.
  if (state.kind !== "completed" || takenBy !== null || startedAt === null || doneAt === null) return null;
  const durationMs = Math.max(0, Date.parse(doneAt) - Date.parse(startedAt));
  return { type: plan.type, effort: plan.effort, durationMs, costUsd: usage?.costUsd ?? null };
}

/** What stages such as the given one took; worked out once for each kind of stage. */
function measure(samples: readonly Sample[], value: (sample: Sample) => number): (stage: Kind) => Range {
  const known = new Map<string, Range>();
  return (stage) => {
    const key = `${stage.type} ${stage.effort}`;
    const range = known.get(key) ?? rangeOf(alike(samples, stage).map(value));
    known.set(key, range);
    return range;
  };
}

function alike(samples: readonly Sample[], { type, effort }: Kind): readonly Sample[] {
  const ofType = samples.filter((one) => one.type === type);
  const ofEffort = ofType.filter((one) => one.effort === effort);
  if (ofEffort.length >= ENOUGH) return ofEffort;
  return ofType.length >= ENOUGH ? ofType : samples;
}

function timeOf(graph: RunOrder, weight: (id: StageId) => number, maxParallel: number): number {
  const chain = criticalPath(graph, weight).reduce((sum, id) => sum + weight(id), 0);
  const all = graph.order.reduce((sum, id) => sum + weight(id), 0);
  return Math.max(chain, all / Math.max(1, maxParallel));
}

function rangeOf(values: readonly number[]): Range {
  const sorted = values.toSorted((one, other) => one - other);
  return { typical: quantile(sorted, 0.5), high: quantile(sorted, 0.9) };
}

/** Between two neighbours where it falls between them. */
function quantile(sorted: readonly number[], part: number): number {
  const place = (sorted.length - 1) * part;
  const below = sorted[Math.floor(place)] ?? 0;
  const above = sorted[Math.ceil(place)] ?? below;
  return below + (above - below) * (place - Math.floor(place));
}

function sumOf(ranges: readonly Range[]): Range {
  return ranges.reduce((sum, one) => ({ typical: sum.typical + one.typical, high: sum.high + one.high }), {
    typical: 0,
    high: 0,
  });
}
