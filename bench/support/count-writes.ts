import type { RequestRecord } from "../../playground/model/types.ts";

export type Writes = {
  /** What makes content and notifies people: GitHub limits it by the minute and the hour. */
  readonly content: number;
  /** Everything that is no GET; tokens and git are not counted by GitHub. */
  readonly all: number;
  readonly byRoute: ReadonlyMap<string, number>;
};

/** As the look-alike counts them, with what it refused. */
export function countWrites(requests: readonly RequestRecord[]): Writes {
  const writes = requests.filter(
    ({ method, route }) => method !== "GET" && route !== null && !route.includes("access_tokens"),
  );
  const byRoute = new Map<string, number>();
  for (const { route } of writes) if (route !== null) byRoute.set(route, (byRoute.get(route) ?? 0) + 1);
  return { content: writes.filter((one) => one.createsContent).length, all: writes.length, byRoute };
}

export function describeWrites({ byRoute }: Writes, stages: number): string {
  const sorted = [...byRoute].sort((a, b) => b[1] - a[1]);
  return sorted.map(([route, count]) => `  ${(count / stages).toFixed(2)} per stage: ${route}`).join("\n");
}

/** Those that GitHub counts: what is as it was, it answers for nothing. */
export function countReads(requests: readonly RequestRecord[]): number {
  return requests.filter(({ method, route, status }) => method === "GET" && route !== null && status !== 304)
    .length;
}
