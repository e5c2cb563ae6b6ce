import { describe, expect, it } from "vitest";
import { createFragmentFinder } from "../../../src/core/secrets/find-fragments.ts";

/** Letters as if drawn, the same ones every time. */
function drawn(count: number, seed: number): string[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  });
}

/** Each drawn letter stands behind others that are always the same. */
const between = (letters: readonly string[], before: string): string =>
  letters.map((letter) => `${before}${letter}`).join("");

/** The least of a few tries, and of the process's own time: what else the machine does stretches the clock. */
function msOf(act: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const started = process.cpuUsage();
    act();
    const { user, system } = process.cpuUsage(started);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}

describe("pieces of a secret", () => {
  it("are found wherever they stand in it and in the text", () => {
    const secret = drawn(200, 1).join("");
    const find = createFragmentFinder([secret]);
    for (let at = 0; at + 16 <= secret.length; at += 7) {
      const piece = secret.slice(at, at + 16);
      for (let before = 0; before < 8; before += 1) {
        const text = `${"-".repeat(before)}${piece}---`;
        expect(find(text)).toEqual([{ from: before, to: before + 16 }]);
      }
    }
    expect(find(secret.slice(0, 15))).toEqual([]);
  });

  it.each(["a", "0x4", "aaa", "\\u00"])(
    "cost no more to look for where only some letters differ, as behind %j",
    (before) => {
      const find = createFragmentFinder([between(drawn(20_000, 1), before)]);
      const other = createFragmentFinder([drawn(20_000, 1).join("")]);
      const [alike, plain] = [between(drawn(100_000, 2), before), drawn(500_000, 3).join("")];
      other(plain);
      // Letters that are left out of the table's number made this a hundred times as much.
      expect(msOf(() => find(alike))).toBeLessThan(20 * msOf(() => other(plain)) + 50);
    },
  );
});
