import { describe, expect, it } from "vitest";
import { contextHealth, redPercent, YELLOW_PERCENT } from "../../../src/core/session/context-health.ts";

describe("the health of a context", () => {
  it("is yellow from 60 % and red from the stage's budget", () => {
    expect([0, 59.9, YELLOW_PERCENT, 64.9, 65, 100].map((percent) => contextHealth(percent, 65))).toEqual([
      "green",
      "green",
      "yellow",
      "yellow",
      "red",
      "red",
    ]);
  });

  it("is red from 75 % whatever the budget", () => {
    expect([74, 75].map((percent) => contextHealth(percent, 99))).toEqual(["yellow", "red"]);
  });

  it("warns five points before a tight budget", () => {
    expect([34, 35, 39, 40].map((percent) => contextHealth(percent, 40))).toEqual([
      "green",
      "yellow",
      "yellow",
      "red",
    ]);
    expect([54, 55, 60].map((percent) => contextHealth(percent, 60))).toEqual(["green", "yellow", "red"]);
  });

  it("takes the default for a budget that makes no sense, and no number for green", () => {
    expect([redPercent(0), redPercent(Number.NaN), redPercent(-5)]).toEqual([65, 65, 65]);
    expect(contextHealth(Number.NaN, 65)).toBe("green");
  });
});
