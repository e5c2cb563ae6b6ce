import type { Limit, Resource } from "./resources.ts";
import type { WorkerEntry } from "./service.ts";

/** How many stages an hour something would carry if nothing else were in the way, and how much of it was used. */
export type Capacity = { readonly name: string; readonly stagesPerHour: number; readonly used: number };

export type Used = {
  readonly resources: readonly Resource[];
  readonly workers: readonly WorkerEntry[];
  /** Of each installation, in the same order. */
  readonly limits: readonly (readonly Limit[])[];
};

const HOUR = 3_600_000;

/** The narrowest first. What waits for something else counts as not used, or everything in front of a bottleneck would look like one. */
export function capacities(stages: number, hours: number, { resources, workers, limits }: Used): Capacity[] {
  const rate = stages / hours;
  const capacity = (name: string, used: number): Capacity => ({ name, used, stagesPerHour: rate / used });
  const shareOf = (all: readonly Resource[]): number =>
    all.reduce((sum, { busyMs, count }) => sum + busyMs / count, 0) / all.length / (hours * HOUR);
  const [first = []] = limits;
  return [
    ...resources.map((one) => capacity(one.name, shareOf([one]))),
    capacity("CPUs of the workers", shareOf(workers.map(({ cpu }) => cpu))),
    capacity("git mirrors", shareOf(workers.map(({ mirror }) => mirror))),
    ...first.map(({ name, max, perMs }, place) => {
      const taken = limits.reduce((sum, one) => sum + (one[place]?.taken ?? 0), 0);
      return capacity(name, taken / limits.length / ((max * hours * HOUR) / perMs));
    }),
  ].sort((one, other) => one.stagesPerHour - other.stagesPerHour);
}
