import { describe, expect, it } from "vitest";
import { writeMarker } from "../../../../../src/core/report/github/markdown/marker.ts";

describe("a marker", () => {
  it("names the run, and the stage where there is one", () => {
    expect(writeMarker({ kind: "panel", run: "login-1a2b" })).toBe("<!-- loom:panel login-1a2b -->");
    expect(writeMarker({ kind: "stage", run: "login-1a2b", stage: "build" })).toBe(
      "<!-- loom:stage login-1a2b build -->",
    );
  });

  it("takes ids only", () => {
    expect(() => writeMarker({ kind: "panel", run: "x --> <b>" })).toThrow("can't stand in a marker");
  });
});
