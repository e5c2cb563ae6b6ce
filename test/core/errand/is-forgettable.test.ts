import { describe, expect, it } from "vitest";
import { isForgettable, KEEP_ERRANDS_MS } from "../../../src/core/errand/is-forgettable.ts";
import { ASKED_AT, anErrand } from "../../support/an-errand.ts";

const MONTH_LATER = Date.parse(ASKED_AT) + KEEP_ERRANDS_MS;
const finished = { type: "errand-finished", outcome: { kind: "answered" } };

describe("an errand is forgotten", () => {
  it("30 days after its end, and not before", () => {
    const errand = anErrand("ask", [finished]);
    expect([isForgettable(errand, MONTH_LATER - 1), isForgettable(errand, MONTH_LATER)]).toEqual([
      false,
      true,
    ]);
  });

  it("when nobody came back to it in a terminal for as long, but never on GitHub while people may answer", () => {
    const left = anErrand("review", [], { origin: null });
    expect([isForgettable(left, MONTH_LATER - 1), isForgettable(left, MONTH_LATER)]).toEqual([false, true]);
    const claimed = { type: "errand-claimed", at: new Date(MONTH_LATER).toISOString() };
    expect(isForgettable(anErrand("plan", [claimed], { origin: null }), MONTH_LATER)).toBe(false);
    expect(isForgettable(anErrand("plan"), MONTH_LATER)).toBe(false);
  });
});
