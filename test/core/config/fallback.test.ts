import { describe, expect, it } from "vitest";
import { chooseAvailable } from "../../../src/core/config/fallback.ts";

const NOW = 1_000_000;
const ORDER = ["claude", "codex", "gemini"];
const choose = (exhausted: Record<string, number>) =>
  chooseAvailable(ORDER, new Map(Object.entries(exhausted)), NOW);

describe("the harness that is used when one is out of quota", () => {
  it("is the first of the order as long as it has some left", () => {
    expect(choose({})).toEqual({ harness: "claude", until: null });
    expect(choose({ codex: NOW + 1 })).toEqual({ harness: "claude", until: null });
  });

  it("is the next one while the first has none", () => {
    expect(choose({ claude: NOW + 1 })).toEqual({ harness: "codex", until: null });
    expect(choose({ claude: NOW + 1, codex: NOW + 1 })).toEqual({ harness: "gemini", until: null });
  });

  it("is the first again once its quota is back", () => {
    expect(choose({ claude: NOW })).toEqual({ harness: "claude", until: null });
  });

  it("is the one that is free first when all are used up, the earlier one of two", () => {
    expect(choose({ claude: NOW + 9, codex: NOW + 5, gemini: NOW + 5 })).toEqual({
      harness: "codex",
      until: NOW + 5,
    });
  });
});
