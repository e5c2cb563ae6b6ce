import { describe, expect, it } from "vitest";
import { asksNothing, criteriaFor, gateChecks, normaliseFolder } from "../../../src/core/verify/criteria.ts";
import { aStage } from "../../support/check-values.ts";

describe("criteriaFor", () => {
  it("takes the synthesised gate only when the plan says nothing about one", () => {
    const made = gateChecks(["npm test"]);
    const own = gateChecks(["make check"]);
    expect(criteriaFor({ gate: null }, aStage({}), made).gate).toEqual(made);
    expect(criteriaFor({ gate: own }, aStage({}), made).gate).toEqual(own);
    expect(criteriaFor({ gate: [] }, aStage({}), made).gate).toEqual([]);
  });

  it("knows when a stage has nothing to prove", () => {
    const nothing = criteriaFor({ gate: [] }, aStage({ files: ["src/**"], setup: ["npm ci"] }), []);
    expect(asksNothing(nothing)).toBe(true);
    expect(asksNothing(criteriaFor({ gate: null }, aStage({}), gateChecks(["npm test"])))).toBe(false);
    expect(asksNothing(criteriaFor({ gate: null }, aStage({ artifacts: ["a"] }), []))).toBe(false);
    expect(asksNothing(criteriaFor({ gate: null }, aStage({ bugFix: true }), []))).toBe(false);
  });

  it("keeps the working folder inside the tree", () => {
    expect(["", ".", "./", "a//b/./c/", "../x", "a/../..", "/etc"].map(normaliseFolder)).toEqual([
      ".",
      ".",
      ".",
      "a/b/c",
      null,
      null,
      null,
    ]);
  });
});
