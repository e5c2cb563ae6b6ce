import type { RequestRecord } from "../../playground/model/types.ts";
import type { Playground } from "../../playground/server.ts";

export type Answered = { readonly request: RequestRecord; readonly ms: number };

/** How long the look-alike takes for each answer: time that is neither Loom's nor its git's. */
export function timeAnswers({ world }: Playground): (from: number, to: number) => Answered[] {
  const ends = new Map<RequestRecord, number>();
  world.inspect = ({ method, path }) => {
    // The newest of its kind without an answer; which of two equal ones it was makes no difference to the sum.
    const record = world.github.requests.findLast(
      (one) => one.method === method && one.path === path && !ends.has(one),
    );
    if (record) ends.set(record, Date.now());
  };
  return (from, to) =>
    world.github.requests.flatMap((request) => {
      const end = ends.get(request);
      return request.at >= from && end !== undefined && end <= to ? [{ request, ms: end - request.at }] : [];
    });
}
