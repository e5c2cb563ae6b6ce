import { expect, it } from "vitest";
import { chooseSwept, type Kept } from "../../../src/core/config/choose-swept.ts";

const DAY = 24 * 3_600_000;
const NOW = 1_000 * DAY;

function ended(id: string, daysAgo: number, bytes = 10): Kept {
  return { id, bytes, endedAt: NOW - daysAgo * DAY };
}

const live = (id: string, bytes: number): Kept => ({ id, bytes, endedAt: null });

it("removes what ended longer ago than it may be kept, and nothing younger while there is room", () => {
  const kept = [ended("young", 89), ended("old", 91), ended("older", 400)];
  expect(chooseSwept(kept, { ms: 90 * DAY, bytes: 1_000 }, NOW)).toEqual(["older", "old"]);
});

it("removes the oldest until the rest fits", () => {
  const kept = [ended("b", 20), ended("c", 10), ended("a", 30)];
  expect(chooseSwept(kept, { ms: 90 * DAY, bytes: 20 }, NOW)).toEqual(["a"]);
  expect(chooseSwept(kept, { ms: 90 * DAY, bytes: 19 }, NOW)).toEqual(["a", "b"]);
  expect(chooseSwept(kept, { ms: 90 * DAY, bytes: 30 }, NOW)).toEqual([]);
});

it("counts what somebody may still need, and never removes it", () => {
  const kept = [live("at work", 1_000), ended("a", 30), ended("b", 20)];
  expect(chooseSwept(kept, { ms: 90 * DAY, bytes: 100 }, NOW)).toEqual(["a", "b"]);
});

it("keeps what ended within a day, however much it is", () => {
  expect(chooseSwept([ended("last night", 0.9, 5_000)], { ms: 90 * DAY, bytes: 1 }, NOW)).toEqual([]);
});
