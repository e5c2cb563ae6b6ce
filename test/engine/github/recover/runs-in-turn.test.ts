import { expect, it } from "vitest";
import { LOOKS_AT_ONCE, runsInTurn } from "../../../../src/engine/github/recover/runs-in-turn.ts";

const runs = (count: number): string[] => Array.from({ length: count }, (_, n) => `run-${n}`);

it("lets every run have its turn in each sweep while there are few", () => {
  expect(runsInTurn([], 7).size).toBe(0);
  for (const count of [1, LOOKS_AT_ONCE])
    for (const n of [0, 1, 2]) expect([...runsInTurn(runs(count), 7 + n)]).toEqual(runs(count));
});

it.each([LOOKS_AT_ONCE + 1, 100, 1_003])("looks at few of %i at a time, and at each in its turn", (count) => {
  const groups = Math.ceil(count / LOOKS_AT_ONCE);
  const seen = Array.from({ length: groups }, (_, n) => runsInTurn(runs(count), 7 + n));
  for (const { size } of seen) expect(size).toBeLessThanOrEqual(LOOKS_AT_ONCE);
  expect(seen.flatMap((turn) => [...turn]).sort()).toEqual(runs(count).sort());
  expect([...runsInTurn(runs(count), 7 + groups)]).toEqual([...(seen[0] ?? [])]);
});
