import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { benchesForBusyMachines, judge, readTargets, targetOf } from "../../bench/judge.ts";
import { describeWorse } from "../../bench/print-table.ts";
import type { Result } from "../../bench/result.ts";
import { packageRoot } from "../../src/wiring/folders/package-root.ts";

const figure = (id: string, value: number, unit = "×"): Result => ({ id, name: id, value, unit, detail: {} });

describe("a figure is judged by what targets.json says of it", () => {
  it("meets its goal, is no worse than allowed, or is worse", () => {
    const target = { goal: 1, allowed: 2 };
    expect([1, 1.5, 2, 2.01].map((value) => judge(figure("x", value), target))).toEqual([
      "met",
      "allowed",
      "allowed",
      "worse",
    ]);
  });

  it("is turned around where more is better", () => {
    const target = { goal: 2, allowed: 1, more: "better" } as const;
    expect([2, 1.5, 0.9].map((value) => judge(figure("x", value), target))).toEqual([
      "met",
      "allowed",
      "worse",
    ]);
  });

  it("says what got worse, by how much, and under which id", () => {
    const targets = {
      "a.b": { goal: 1, allowed: 2 },
      "a.c": { goal: 2, allowed: 1, more: "better" },
    } as const;
    expect(describeWorse([figure("a.b", 2.5), figure("a.c", 0.5, "")], targets)).toEqual([
      "a.b: 2.50 ×, where at most 2.00 × is allowed (a.b)",
      "a.c: 0.5, where at least 1.0 is allowed (a.c)",
    ]);
    expect(describeWorse([figure("a.b", 2)], targets)).toEqual([]);
    expect(describeWorse([{ id: "a.b", name: "n", leftOut: "no Redis" }], targets)).toEqual([]);
  });

  it("fails for a figure that nobody set a target for", () => {
    expect(() => targetOf({}, figure("constructor", 1))).toThrow("does not say what constructor should be");
  });
});

describe("targets.json", () => {
  const targets = readTargets();

  it("allows nothing better than the goal", () => {
    for (const [id, { goal, allowed, more }] of Object.entries(targets))
      expect(more === "better" ? allowed <= goal : allowed >= goal, id).toBe(true);
  });

  it("names only benchmarks that there are", () => {
    const main = readFileSync(join(packageRoot(), "bench", "main.ts"), "utf8");
    for (const id of Object.keys(targets))
      expect(main).toMatch(new RegExp(`^  "?${id.split(".")[0]}"?: `, "m"));
  });

  it("has counts that hold on a busy machine", () => {
    expect(benchesForBusyMachines(targets)).toContain("processes");
  });
});
