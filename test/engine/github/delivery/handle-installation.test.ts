import { describe, expect, it } from "vitest";
import type { PauseCause } from "../../../../src/core/run/causes.ts";
import { runEventSchema } from "../../../../src/core/run/events.ts";
import { restsWithoutAccess } from "../../../../src/engine/github/delivery/handle-installation.ts";
import { aRun } from "../../../support/a-run.ts";

describe("a run that rests because the App is suspended", () => {
  const rests = (cause: PauseCause): boolean => {
    const event = { type: "run-paused", at: "2031-05-06T07:08:09.000Z", cause };
    return restsWithoutAccess(aRun([{ id: "one" }]).add(runEventSchema.parse(event)).run);
  };

  it("is known by its code, whatever people are told about it by now", () => {
    expect(rests({ kind: "suspended" })).toBe(true);
  });

  it("is none that a person or the budget has paused, whatever they are called", () => {
    expect(rests({ kind: "person", by: "GitHub" })).toBe(false);
    expect(rests({ kind: "budget", usd: 3 })).toBe(false);
  });
});
