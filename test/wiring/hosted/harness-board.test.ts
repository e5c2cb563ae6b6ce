import { describe, expect, it } from "vitest";
import type { Cache } from "../../../src/ports/cache.ts";
import type { Harness, HarnessCheck } from "../../../src/ports/harness.ts";
import { createHarnessBoard } from "../../../src/wiring/hosted/harness-board.ts";

function aCache(): Cache {
  const kept = new Map<string, string>();
  return {
    get: async (key) => kept.get(key) ?? null,
    set: async (key, value) => void kept.set(key, value),
    list: async () => kept,
    remove: async (key) => void kept.delete(key),
  };
}

function able(check: HarnessCheck): ReadonlyMap<string, Harness> {
  const harness = { id: "claude", speaks: true, model: null, smallModel: null, check: async () => check };
  return new Map([["claude", harness as Partial<Harness> as Harness]]);
}

const READY: HarnessCheck = { kind: "ready", detail: "2.1" };
const MISSING: HarnessCheck = { kind: "missing", reason: "claude was not found.", next: "Install it." };

describe("the board of harnesses", () => {
  it("tells an App without agents what its workers can start", async () => {
    const cache = aCache();
    const app = createHarnessBoard(cache, able(MISSING), true);
    expect(await app.look("claude")).toBeNull();
    await createHarnessBoard(cache, able(MISSING), true).announce();
    expect(await app.look("claude")).toEqual(MISSING);
    await createHarnessBoard(cache, able(READY), true).announce();
    expect(await app.look("claude")).toEqual(READY);
    await createHarnessBoard(cache, able(MISSING), true).announce();
    expect(await app.look("claude")).toEqual(READY);
  });

  it("asks the harness itself where this process runs the agents", async () => {
    const cache = aCache();
    const board = createHarnessBoard(cache, able(READY), false);
    await board.announce();
    expect(await cache.list("")).toEqual(new Map());
    expect(await board.look("claude")).toEqual(READY);
    expect(await board.look("nobody")).toBeNull();
  });
});
