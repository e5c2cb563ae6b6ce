import { expect, it } from "vitest";
import { BLOCK_BYTES, createBodyBudget } from "../../src/app/body-budget.ts";

/** With room for four blocks. */
function aBudget() {
  let time = 0;
  const out: string[] = [];
  const budget = createBodyBudget(4 * BLOCK_BYTES, () => time);
  return {
    budget,
    out,
    pass: (ms: number) => {
      time += ms;
    },
    hold: (name: string) => budget.hold(() => out.push(name)),
  };
}

it("crowds out whoever has held the most for the longest", () => {
  const { hold, pass, out, budget } = aBudget();
  const slow = hold("slow");
  slow.block();
  pass(10_000);
  const large = hold("large");
  for (const _ of [1, 2, 3]) large.block();
  const small = hold("small");
  expect(small.block()).not.toBeNull();
  expect(out).toEqual(["slow"]);
  pass(1);
  expect(hold("another").block()).not.toBeNull();
  expect(out).toEqual(["slow", "large"]);
  expect(budget.used()).toBe(2 * BLOCK_BYTES);
});

it("crowds out the one that asks when it is the heaviest itself", () => {
  const { hold, out } = aBudget();
  const greedy = hold("greedy");
  for (const _ of [1, 2, 3, 4]) expect(greedy.block()).not.toBeNull();
  expect(greedy.block()).toBeNull();
  expect(greedy.block()).toBeNull();
  expect(out).toEqual(["greedy"]);
});

it("takes nothing from senders that are known", () => {
  const { hold, pass, out, budget } = aBudget();
  const known = hold("known");
  for (const _ of [1, 2, 3, 4]) known.block();
  known.keep();
  pass(10_000);
  expect(hold("newcomer").block()).toBeNull();
  expect(out).toEqual(["newcomer"]);
  known.release();
  expect(budget.used()).toBe(0);
});

it("hands a block to one holder at a time, and gives back once", () => {
  const { hold, budget } = aBudget();
  const [one, other] = [hold("one"), hold("other")];
  const first = one.block();
  expect(other.block()).not.toBe(first);
  one.release();
  one.release();
  expect(budget.used()).toBe(BLOCK_BYTES);
  expect(other.block()).toBe(first);
});

it("keeps a few blocks for the next bodies, and not all that a flood took", () => {
  const budget = createBodyBudget(40 * BLOCK_BYTES);
  const take = (count: number): (Buffer | null)[] => {
    const held = budget.hold(() => {});
    const blocks = Array.from({ length: count }, () => held.block());
    held.release();
    return blocks;
  };
  const flood = new Set(take(40));
  expect(take(40).filter((block) => flood.has(block))).toHaveLength(16);
});
