import type { Simulated } from "./simulate.ts";

/** What came of it: the first bottleneck, what would be the next, and by how much. */
export function describeSimulated(name: string, simulated: Simulated): string[] {
  const { stages, hours, stagesPerHour, queueWaitP50, appends, conflicts, capacities } = simulated;
  const [first, next] = capacities;
  const number = (value: number): string => Math.round(value).toLocaleString("en");
  const by = first && next ? (next.stagesPerHour / first.stagesPerHour).toFixed(1) : "?";
  return [
    `${name}: ${number(stages)} stages in ${hours.toFixed(1)} h, ${number(stagesPerHour)} an hour; ${number(queueWaitP50)} s in the queue (p50); ` +
      `${number(conflicts)} of ${number(appends + conflicts)} appends came too late`,
    `  The bottleneck is ${first?.name}. The next one, ${next?.name}, carries ${by} times as much.`,
    ...capacities.map(
      (one) =>
        `  ${number(one.stagesPerHour).padStart(12)} stages an hour, ${(100 * one.used).toFixed(2).padStart(6)} % used: ${one.name}`,
    ),
  ];
}
