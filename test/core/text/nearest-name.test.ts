import { describe, expect, it } from "vitest";
import { nearestName } from "../../../src/core/text/nearest-name.ts";

describe("nearestName", () => {
  it.each([
    ["biuld", ["build", "deploy"], "build"],
    ["workingDir", ["working_dir", "wiring"], "working_dir"],
    ["dependancies", ["description", "dependencies"], "dependencies"],
    ["test", ["deploy"], null],
    ["a", ["b"], "b"],
    ["", ["build"], null],
  ])("for %j among %j is %j", (name, known, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });
});
