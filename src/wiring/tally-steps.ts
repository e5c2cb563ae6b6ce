import type { ProfileRow, ProgramRow } from "../core/report/commands/profile-report.ts";
import { STEPS, stepBegunBy } from "../core/run/step-of-stage.ts";
import type { FeedItem } from "../ports/feed.ts";
import type { Job } from "../ports/job-queue.ts";

/** Adds up what the steps of stages and other jobs took. Times are of a clock that only goes forward, in milliseconds. */
export type StepTally = {
  readonly see: (item: FeedItem, now: number) => void;
  readonly jobDone: (job: Job, ms: number) => void;
  /** The step that a program belongs to when this job starts it; null: no job did. */
  readonly stepOf: (job: Job | null) => string;
  readonly programStarted: (step: string, name: string) => void;
  readonly programEnded: (name: string, ms: number) => void;
  readonly rows: () => ProfileRow[];
  readonly programs: () => ProgramRow[];
};

type Sum = { times: number; ms: number; longestMs: number; readonly programs: Map<string, number> };

const BESIDE = "beside jobs";

export function createStepTally(): StepTally {
  const steps = new Map<string, Sum>();
  const programs = new Map<string, Sum>();
  /** What each stage is at. */
  const at = new Map<string, { readonly step: string; readonly since: number }>();

  return {
    see(item, now) {
      if (item.kind !== "event" || !("stage" in item.event)) return;
      const begun = stepBegunBy(item.event);
      if (begun === undefined) return;
      const key = `${item.run.id} ${item.event.stage}`;
      const before = at.get(key);
      if (before) add(sumOf(steps, before.step), now - before.since);
      if (begun === null) at.delete(key);
      else at.set(key, { step: begun, since: now });
    },
    jobDone(job, ms) {
      // What happens in jobs of stages is told by their steps.
      if (!("stage" in job)) add(sumOf(steps, nameOf(job)), ms);
    },
    stepOf(job) {
      if (job === null) return BESIDE;
      return ("stage" in job ? at.get(`${job.run} ${job.stage}`)?.step : undefined) ?? nameOf(job);
    },
    programStarted(step, name) {
      const { programs: ofStep } = sumOf(steps, step);
      ofStep.set(name, (ofStep.get(name) ?? 0) + 1);
    },
    programEnded: (name, ms) => add(sumOf(programs, name), ms),
    rows() {
      const order = (step: string): number => (STEPS as readonly string[]).indexOf(step) >>> 0;
      return [...steps]
        .sort(([one, a], [other, b]) => order(one) - order(other) || b.ms - a.ms)
        .map(([step, sum]) => ({ step, ...sum }));
    },
    programs: () =>
      [...programs]
        .sort(([, a], [, b]) => b.ms - a.ms)
        .map(([program, { times, ms }]) => ({ program, times, ms })),
  };
}

function nameOf(job: Job): string {
  return `${job.kind} job`;
}

function sumOf(sums: Map<string, Sum>, name: string): Sum {
  const sum = sums.get(name) ?? { times: 0, ms: 0, longestMs: 0, programs: new Map() };
  sums.set(name, sum);
  return sum;
}

function add(sum: Sum, ms: number): void {
  sum.times += 1;
  sum.ms += ms;
  sum.longestMs = Math.max(sum.longestMs, ms);
}
