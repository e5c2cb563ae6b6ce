/** How many cases each property is tried with: few in the ordinary tests, LOOM_PROPERTY_RUNS of them every night. */
export const PROPERTY_RUNS = Number(process.env.LOOM_PROPERTY_RUNS ?? 30);

/** For a property whose cases say so much less, or take so much longer, than those of others. */
export function propertyRuns(factor: number): number {
  return Math.ceil(PROPERTY_RUNS * factor);
}
