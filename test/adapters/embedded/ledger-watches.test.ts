import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLedgerWatches, type LedgerWatches } from "../../../src/adapters/embedded/ledger-watches.ts";

let folder: string;
let file: string;
let watches: LedgerWatches;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "loom-watches-"));
  file = join(folder, "events.jsonl");
  watches = createLedgerWatches();
});
afterEach(() => {
  watches.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Counts what it is told, as one of the listeners of the file. */
function listen(): { heard: number; stop: () => void } {
  const listener = { heard: 0, stop: () => {} };
  listener.stop = watches.watch(file, () => {
    listener.heard += 1;
  });
  return listener;
}

describe("watches of one ledger", () => {
  it("tell every listener, until it stops", async () => {
    const [one, other] = [listen(), listen()];
    appendFileSync(file, "1\n");
    await expect.poll(() => [one.heard > 0, other.heard > 0]).toEqual([true, true]);
    one.stop();
    const before = one.heard;
    const [heard, late] = [other.heard, listen()];
    appendFileSync(file, "2\n");
    await expect.poll(() => [other.heard > heard, late.heard > 0]).toEqual([true, true]);
    expect(one.heard).toBe(before);
  });

  it("begin anew after the last has stopped", async () => {
    listen().stop();
    const one = listen();
    appendFileSync(file, "1\n");
    await expect.poll(() => one.heard).toBeGreaterThan(0);
  });
});
