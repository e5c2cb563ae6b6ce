import { expect, it } from "vitest";
import { andMore, listSome } from "../../../src/core/text/list-some.ts";

it.each([
  [[], ""],
  [["a"], "a"],
  [["a", "b", "c"], "a, b, c"],
  [["a", "b", "c", "d"], "a, b, c and 1 more"],
])("names the first three of %j and counts the rest", (items, text) => {
  expect(listSome(items, 3)).toBe(text);
});

it("shows only those that it names", () => {
  const asked: number[] = [];
  const show = (one: number): string => {
    asked.push(one);
    return `<${one}>`;
  };
  expect(listSome([1, 2, 3], 2, show)).toBe("<1>, <2> and 1 more");
  expect(asked).toEqual([1, 2]);
});

it("says how many more there are than were chosen", () => {
  expect(andMore(["x", "y"], 5)).toBe("x, y and 5 more");
  expect(andMore(["x", "y"], 0)).toBe("x, y");
});
